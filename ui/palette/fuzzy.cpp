#include "ui/palette/fuzzy.h"

#include <algorithm>
#include <limits>

namespace stashscope::ui {

namespace {

constexpr int letter_score = 1;
constexpr int word_start_score = 8;
constexpr int side_by_side_score = 6;
constexpr int most_gap_loss = 4;
constexpr int characters_per_loss = 16;
/// Extra points of a match in one piece, or of first letters of words only. They outweigh the extra
/// points of a match in the name of a command and, for short patterns, those of more starts of
/// words.
constexpr int plain_match_score = 30;
constexpr qsizetype longest_pattern = 48;
constexpr qsizetype longest_text = 200;
constexpr int impossible = std::numeric_limits<int>::min() / 2;

/// The best matches of the first letters of the pattern. Entry i is about the matches whose last
/// letter is character i of the text.
struct Row {
  std::vector<int> score;  ///< best score of such a match
  /// Position of the preceding letter in that match. Empty for the first letter of the pattern.
  std::vector<qsizetype> before;
};

/// The part of the pattern that counts, with single spaces between its words.
QString words_of(const QString& pattern) {
  const QString words = pattern.toCaseFolded().simplified();
  qsizetype end = 0;
  for (qsizetype letters = 0; end < words.size() && letters < longest_pattern; ++end) {
    if (!words[end].isSpace()) ++letters;
  }
  return words.left(end);
}

QString letters_of(QString words) {
  words.removeIf([](QChar c) { return c.isSpace(); });
  return words;
}

bool starts_word(const QString& text, qsizetype place) {
  if (place == 0) return true;
  const QChar before = text[place - 1];
  return !before.isLetterOrNumber() || (before.isLower() && text[place].isUpper());
}

int score_of_step(qsizetype from, qsizetype to) {
  const auto gap = static_cast<int>(to - from - 1);
  return gap == 0 ? side_by_side_score : -std::min(gap, most_gap_loss);
}

/// Where the letters of a match may stand: anywhere, or only at the starts of words.
enum class Letters { any, first_of_words };

Row row_of_letter(const QString& text, const QString& folded, QChar letter, Letters which) {
  Row row{std::vector<int>(static_cast<std::size_t>(text.size()), impossible), {}};
  for (qsizetype at = 0; at < text.size(); ++at) {
    if (folded[at] != letter) continue;
    if (which == Letters::first_of_words && !starts_word(text, at)) continue;
    row.score[static_cast<std::size_t>(at)] =
        letter_score + (starts_word(text, at) ? word_start_score : 0);
  }
  return row;
}

Row first_row(const QString& text, const QString& folded, const QString& letters, Letters which) {
  Row row = row_of_letter(text, folded, letters[0], which);
  for (qsizetype at = 0; at < text.size(); ++at) {
    const bool is_whole = QStringView(folded).mid(at).startsWith(letters);
    if (!starts_word(text, at) && !is_whole) row.score[static_cast<std::size_t>(at)] = impossible;
  }
  return row;
}

Row next_row(const QString& text, const QString& folded, QChar letter, Letters which,
             const Row& last) {
  Row row = row_of_letter(text, folded, letter, which);
  row.before.assign(row.score.size(), -1);
  for (qsizetype at = 0; at < text.size(); ++at) {
    int& score = row.score[static_cast<std::size_t>(at)];
    if (score == impossible) continue;
    int best = impossible;
    const qsizetype first = starts_word(text, at) ? 0 : std::max<qsizetype>(0, at - 1);
    for (qsizetype from = first; from < at; ++from) {
      const int before = last.score[static_cast<std::size_t>(from)];
      if (before == impossible || before + score_of_step(from, at) <= best) continue;
      best = before + score_of_step(from, at);
      row.before[static_cast<std::size_t>(at)] = from;
    }
    score = best == impossible ? impossible : score + best;
  }
  return row;
}

std::vector<qsizetype> places_in(const std::vector<Row>& rows, qsizetype last) {
  std::vector<qsizetype> places = {last};
  for (std::size_t i = rows.size(); i-- > 1;) {
    places.push_back(rows[i].before[static_cast<std::size_t>(places.back())]);
  }
  std::reverse(places.begin(), places.end());
  return places;
}

/// The best match whose letters may stand in several words.
std::optional<FuzzyMatch> scattered_match(const QString& text, const QString& folded,
                                          const QString& letters, Letters which) {
  std::vector<Row> rows = {first_row(text, folded, letters, which)};
  for (const QChar letter : letters.mid(1)) {
    rows.push_back(next_row(text, folded, letter, which, rows.back()));
  }
  const auto& ends = rows.back().score;
  const auto best = std::max_element(ends.begin(), ends.end());
  if (best == ends.end() || *best == impossible) return std::nullopt;
  const int more = which == Letters::first_of_words ? plain_match_score : 0;
  return FuzzyMatch{*best + more, places_in(rows, best - ends.begin())};
}

/// The match of `words`, which stands in the text at `start`.
FuzzyMatch match_at(const QString& text, const QString& words, qsizetype start) {
  FuzzyMatch match{plain_match_score, {}};
  for (qsizetype at = start; at < start + words.size(); ++at) {
    if (text[at].isSpace()) continue;
    match.score += letter_score + (starts_word(text, at) ? word_start_score : 0);
    if (!match.places.empty()) match.score += score_of_step(match.places.back(), at);
    match.places.push_back(at);
  }
  return match;
}

/// The best match of all words in one piece, with the spaces between them.
std::optional<FuzzyMatch> whole_match(const QString& text, const QString& folded,
                                      const QString& words) {
  std::optional<FuzzyMatch> best;
  for (qsizetype at = folded.indexOf(words); at >= 0; at = folded.indexOf(words, at + 1)) {
    FuzzyMatch match = match_at(text, words, at);
    if (!best || match.score > best->score) best = std::move(match);
  }
  return best;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text) {
  const QString words = words_of(pattern);
  const QString letters = letters_of(words);
  if (letters.isEmpty()) return FuzzyMatch();
  const QString counted = text.left(longest_text);
  const QString folded = counted.toCaseFolded();
  // A letter whose case-folded form is longer would shift the places of all letters after it.
  if (folded.size() != counted.size()) return std::nullopt;
  std::optional<FuzzyMatch> best;
  for (const auto& found : {scattered_match(counted, folded, letters, Letters::any),
                            scattered_match(counted, folded, letters, Letters::first_of_words),
                            whole_match(counted, folded, words)}) {
    if (found && (!best || found->score > best->score)) best = found;
  }
  if (best) best->score -= static_cast<int>(counted.size()) / characters_per_loss;
  return best;
}

}  // namespace stashscope::ui
