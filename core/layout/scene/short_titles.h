#pragma once

#include <string>
#include <vector>

namespace stashscope::layout {

/// Shorter forms of a title, longest first. Titles are cut at the borders of modules (`…attn` for
/// `h/attn`) or words (`Softmax…Grad`). `part 4: Conv … Add` has the form `part 4` only. Empty if
/// the title is one word.
std::vector<std::string> shorter_titles(const std::string& title);

/// For each title, its shorter forms without those that equal another title or a shorter form of
/// another title. Thus a short form identifies its title.
std::vector<std::vector<std::string>> distinct_short_titles(const std::vector<std::string>& titles);

}  // namespace stashscope::layout
