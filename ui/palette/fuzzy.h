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

/// The best match of the letters of `pattern` in `text`, in the same order; nothing if there is
/// none. A letter after a gap must start a word. The first letter must start a word, too, unless
/// the whole pattern stands in one piece inside the text. Starts of words and adjacent letters
/// raise the score; gaps and long texts lower the score. Extra points go to a match in one piece,
/// spaces included, and to a match of first letters of words only. Apart from that, spaces in the
/// pattern are ignored. Case is ignored. Only the first 48 letters of the pattern and the first 200
/// characters of the text count. An empty pattern matches every text.
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace stashscope::ui
