#pragma once

#include <string_view>

namespace stashscope {

/// The files of resources/report, which the build puts into the program.
struct PageParts {
  std::string_view page;    ///< HTML with `{{name}}` where the texts of a study go
  std::string_view style;   ///< CSS
  std::string_view script;  ///< JavaScript, all files one after the other
};

PageParts page_parts();

}  // namespace stashscope
