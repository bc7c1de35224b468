#pragma once

#include <QString>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// The details of a parameter, an input or a constant as rich text: its type and bytes, its
/// gradient and optimizer states, and links to its readers.
/// @pre no node of the graph makes the tensor
QString tensor_page(const Study& study, ValueId tensor);

}  // namespace stashscope::ui
