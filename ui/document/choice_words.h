#pragma once

#include <QString>

#include "core/study/facts/named_sizes.h"

namespace stashscope::ui {

/// `no optimizer`, `with adam`, or for a captured step with an optimizer `with its own optimizer`
QString optimizer_text(const Study& study);

/// The translated word of a size, see `word_of`.
QString word_text(const NamedSize& size);

/// `batch (inputs_input_ids_dim0)`; only the name if there is no other word for it.
QString full_text(const NamedSize& size);

}  // namespace stashscope::ui
