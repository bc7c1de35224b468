#pragma once

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

// The kernels of this folder.

void grid_sample(const KernelContext& context);
void grid_sample_grad(const KernelContext& context);
void affine_grid(const KernelContext& context);
void affine_grid_grad(const KernelContext& context);

std::vector<std::vector<std::int64_t>> non_max_suppression_size(const KernelContext& context);
void non_max_suppression(const KernelContext& context);
void roi_align(const KernelContext& context);
void deform_conv(const KernelContext& context);

void fourier_transform(const KernelContext& context);
void short_time_fourier_transform(const KernelContext& context);
void hann_window(const KernelContext& context);
void hamming_window(const KernelContext& context);
void blackman_window(const KernelContext& context);
void mel_weight_matrix(const KernelContext& context);

void ngram_counts(const KernelContext& context);

}  // namespace stashscope::cpu
