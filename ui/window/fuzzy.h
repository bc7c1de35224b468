#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// How well a text fits what was typed.
struct FuzzyMatch {
  int score = 0;                  ///< higher is better
  std::vector<qsizetype> places;  ///< of the typed letters in the text, ascending
};

/// The best way to find the letters of `pattern` in `text`, in their order but not side by side.
/// Starts of words and letters side by side count most, gaps and long texts count against it.
/// Neither case nor spaces of the pattern matter. Nothing where the letters are not there; an empty
/// pattern fits everything.
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace stashscope::ui
