#pragma once

#include <QString>

#include "core/study/facts/named_sizes.h"

namespace stashscope::ui {

/// Whether PyTorch ran the step, so that its order, fused groups, passes and runs are not to be
/// chosen. False for null.
bool is_captured(const Study* study);
/// Whether the step updates its parameters by itself, so that no optimizer is to be chosen.
bool has_own_optimizer(const Study& study);

/// `no optimizer`, `with adam`, or for a captured step with an optimizer `with its own optimizer`
QString optimizer_text(const Study& study);

/// The translated word of a size, see `word_of`.
QString word_text(const NamedSize& size);

/// `batch (inputs_input_ids_dim0)`; only the name if there is no other word for it.
QString full_text(const NamedSize& size);
QString full_text(const Study& study, const Dimension& dimension);
/// Only the word, for the sizes of dimensions that have one.
QString word_text(const Study& study, const Dimension& dimension);

}  // namespace stashscope::ui
