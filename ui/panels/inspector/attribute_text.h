#pragma once

#include <QString>

#include "core/graph/attributes.h"

namespace stashscope::ui {

/// The value of a node's attribute.
struct AttributeText {
  QString shortened;  ///< on one short line
  QString full;       ///< on several lines if it is long
};
AttributeText text_of(const AttributeValue& value);

}  // namespace stashscope::ui
