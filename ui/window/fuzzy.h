#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// How well a text matches the typed pattern.
struct FuzzyMatch {
  int score = 0;                  ///< higher is better
  std::vector<qsizetype> places;  ///< of the typed letters in the text, ascending
};

/// The best match of the letters of `pattern` in `text`: in order, with gaps allowed. Starts of
/// words and adjacent letters add to the score; gaps and long texts subtract from it. Case and
/// spaces in the pattern are ignored. Nothing if the letters do not occur; an empty pattern matches
/// everything.
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace stashscope::ui
