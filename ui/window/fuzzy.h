#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// How well a text matches the typed pattern.
struct FuzzyMatch {
  int score = 0;                  ///< a higher score is a better match
  std::vector<qsizetype> places;  ///< positions of the typed letters in the text, ascending
};

/// The best match of the letters of `pattern` in `text`, in the same order, with gaps allowed.
/// Starts of words and adjacent letters raise the score; gaps and long texts lower the score. Case,
/// and spaces in the pattern, are ignored. Only the first 48 letters of the pattern and the first
/// 200 characters of the text count. Nothing if the letters do not occur in this order; an empty
/// pattern matches every text.
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace stashscope::ui
