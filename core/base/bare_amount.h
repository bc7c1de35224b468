#pragma once

#include <string>
#include <string_view>

namespace stashscope {

/// Whether `text` is a number without a unit, such as `24`, `1.5` or `-4`. Blanks around the number
/// and after its sign do not matter.
bool is_bare_amount(std::string_view text);

/// `24 GiB` for `24`: a number without a unit gets `unit`. Any other text is returned as it is.
std::string with_unit(std::string_view text, std::string_view unit);

}  // namespace stashscope
