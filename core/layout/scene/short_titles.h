#pragma once

#include <string>
#include <vector>

namespace stashscope::layout {

/// Shorter forms of a title, longest first: cut at the borders of modules (`…/attn`) or words
/// (`Softmax…Grad`), or a part of a module without its operators (`part 4`). Empty if the title is
/// one word.
std::vector<std::string> shorter_titles(const std::string& title);

/// The shorter forms of each title that no other title among `titles` shares, so that a short form
/// still tells which title is meant.
std::vector<std::vector<std::string>> distinct_short_titles(const std::vector<std::string>& titles);

}  // namespace stashscope::layout
