#include "core/ops/rules/known_texts.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

void require_known_text(const ShapeContext& context, std::string_view attribute,
                        std::initializer_list<std::string_view> known) {
  const std::string name(attribute);
  if (!context.attributes().has(name)) return;
  const std::string text = context.attributes().text(name, "");
  if (std::ranges::find(known, text) != known.end()) return;
  context.fail("its attribute " + name + " is '" + printable(text, 40) + "', but must be one of " +
               join({known.begin(), known.end()}, ", "));
}

}  // namespace stashscope
