#pragma once

#include <QString>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// `no optimizer`, `with adam`, or for a captured step with an optimizer `with its own optimizer`
QString optimizer_text(const Study& study);

/// A size of the model, in the word that users have for it.
struct NamedSize {
  QString dimension;  ///< its name in the model
  QString word;       ///< `batch`, `sequence`, `image`; the name if what it counts is unknown
  std::int64_t value = 0;
};

/// `batch (inputs_input_ids_dim0)`; only the name if there is no other word for it.
QString full_text(const NamedSize& size);

/// The sizes that can be set, in the order of the dimensions.
std::vector<NamedSize> named_sizes(const Study& study);

}  // namespace stashscope::ui
