#include "core/run/cpu/signals/kernels.h"

#include "core/run/cpu/signals/signals.h"

namespace stashscope::cpu {

void add_signal_kernels(KernelRegistry& registry) {
  registry.add("", "GridSample", {grid_sample});
  registry.add("com.microsoft", "GridSampleGrad", {grid_sample_grad});
  registry.add("", "AffineGrid", {affine_grid});
  registry.add("com.microsoft", "AffineGridGrad", {affine_grid_grad});
  registry.add("", "NonMaxSuppression", {non_max_suppression, non_max_suppression_size});
  registry.add("", "RoiAlign", {roi_align});
  registry.add("", "DeformConv", {deform_conv});
  registry.add("", "DFT", {fourier_transform});
  registry.add("", "STFT", {short_time_fourier_transform});
  registry.add("", "HannWindow", {hann_window});
  registry.add("", "HammingWindow", {hamming_window});
  registry.add("", "BlackmanWindow", {blackman_window});
  registry.add("", "MelWeightMatrix", {mel_weight_matrix});
  registry.add("", "TfIdfVectorizer", {ngram_counts});
}

}  // namespace stashscope::cpu
