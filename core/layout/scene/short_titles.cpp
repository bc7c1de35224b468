#include "core/layout/scene/short_titles.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace stashscope::layout {

namespace {

constexpr const char* ellipsis = "…";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// Whether a module ends before position `i`. The number of a layer stays with its name: `h.0`.
bool is_module_border(const std::string& title, std::size_t i) {
  const char c = title[i];
  return c == '/' || (c == '.' && i + 1 < title.size() && !is_digit(title[i + 1]));
}

/// Whether a word begins at position `i`: `Soft|max_|loss`, `Softmax|Cross|Entropy`.
bool begins_word(const std::string& title, std::size_t i) {
  const char before = title[i - 1];
  if (before == '_' || before == ' ') return true;
  return is_upper(title[i]) && (is_lower(before) || is_digit(before));
}

std::vector<std::string> without_outer_modules(const std::string& title) {
  std::vector<std::string> shorter;
  for (std::size_t i = 1; i + 1 < title.size(); ++i) {
    if (is_module_border(title, i)) shorter.push_back(ellipsis + title.substr(i + 1));
  }
  return shorter;
}

/// Shorter forms of a title: without one or more words at its end. A title of at least three words
/// has one more form: its first and its last word.
std::vector<std::string> without_words(const std::string& title) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 1; i < title.size(); ++i) {
    if (begins_word(title, i)) starts.push_back(i);
  }
  std::vector<std::string> shorter;
  for (auto at = starts.rbegin(); at != starts.rend(); ++at) {
    std::string first = title.substr(0, *at);
    while (first.size() > 1 && (first.back() == '_' || first.back() == ' ')) first.pop_back();
    shorter.push_back(first + ellipsis);
  }
  if (starts.size() >= 2) {
    shorter.push_back(title.substr(0, starts.front()) + ellipsis + title.substr(starts.back()));
  }
  return shorter;
}

}  // namespace

std::vector<std::string> shorter_titles(const std::string& title) {
  // All forms of a title together take space that grows with the square of the title's length.
  constexpr std::size_t longest_title = 200;
  if (title.size() > longest_title) return {title.substr(0, longest_title) + ellipsis};
  const std::size_t colon = title.find(": ");
  if (colon != std::string::npos) return {title.substr(0, colon)};
  std::vector<std::string> shorter = without_outer_modules(title);
  if (shorter.empty()) shorter = without_words(title);
  std::erase_if(shorter, [&](const std::string& each) { return each.size() >= title.size(); });
  std::stable_sort(shorter.begin(), shorter.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return shorter;
}

std::vector<std::vector<std::string>> distinct_short_titles(
    const std::vector<std::string>& titles) {
  std::unordered_map<std::string, std::vector<std::string>> shorter_of;
  std::unordered_map<std::string, std::size_t> users;
  for (const std::string& title : titles) {
    const auto [at, is_new] = shorter_of.try_emplace(title);
    if (!is_new) continue;
    at->second = shorter_titles(title);
    ++users[title];
    for (const std::string& each : at->second) ++users[each];
  }
  for (auto& [title, shorter] : shorter_of) {
    std::erase_if(shorter, [&](const std::string& each) { return users[each] > 1; });
  }
  std::vector<std::vector<std::string>> all;
  all.reserve(titles.size());
  for (const std::string& title : titles) all.push_back(shorter_of[title]);
  return all;
}

}  // namespace stashscope::layout
