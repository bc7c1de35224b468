// What the palette finds for typed letters, and what it ranks first.

#include "ui/palette/fuzzy.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/ui/support/samples.h"
#include "ui/palette/command_model.h"
#include "ui/widgets/key_action.h"
#include "ui/window/mnemonics.h"

namespace stashscope::ui::test {
namespace fuzzy_test {

using namespace Qt::StringLiterals;
using Places = std::vector<qsizetype>;

int score(const QString& pattern, const QString& text) {
  const auto match = fuzzy_match(pattern, text);
  return match ? match->score : -1000;
}

TEST(Fuzzy, FindsLettersInTheirOrderOnly) {
  EXPECT_TRUE(fuzzy_match(u"svg"_s, u"Export graph as SVG"_s));
  EXPECT_FALSE(fuzzy_match(u"gvs"_s, u"as SVG"_s));
  EXPECT_FALSE(fuzzy_match(u"svgg"_s, u"as SVG"_s));
  EXPECT_TRUE(fuzzy_match(u""_s, u"anything"_s));
  EXPECT_FALSE(fuzzy_match(u"a"_s, u""_s));
}

TEST(Fuzzy, LettersAfterAGapStartWords) {
  EXPECT_FALSE(fuzzy_match(u"undo"_s, u"Passes › Fuse bias and softmax"_s));
  EXPECT_FALSE(fuzzy_match(u"reset"_s, u"Redo selection"_s));
  EXPECT_TRUE(fuzzy_match(u"fusbia"_s, u"Passes › Fuse bias and softmax"_s));
  EXPECT_TRUE(fuzzy_match(u"softm"_s, u"Fuse bias and LogSoftmax"_s)) << "in one piece";
  EXPECT_FALSE(fuzzy_match(u"oftmbi"_s, u"Softmax and bias"_s)) << "begins inside a word";
}

TEST(Fuzzy, TellsWhereTheLettersAre) {
  EXPECT_EQ(fuzzy_match(u"sm"_s, u"Save modified model"_s)->places, Places({0, 5}));
  EXPECT_EQ(fuzzy_match(u"model"_s, u"Save modified model"_s)->places,
            Places({14, 15, 16, 17, 18}));
  EXPECT_EQ(fuzzy_match(u" MO del "_s, u"a model"_s)->places, Places({2, 3, 4, 5, 6}));
}

TEST(Fuzzy, StartsOfWordsAndNeighboursCountMost) {
  EXPECT_GT(score(u"zi"_s, u"Zoom in"_s), score(u"zi"_s, u"Fuzzing"_s));
  EXPECT_GT(score(u"run"_s, u"Run the step"_s), score(u"run"_s, u"Restore Unsaved Notes"_s));
  EXPECT_GT(score(u"dark"_s, u"Dark"_s), score(u"dark"_s, u"Dark theme for all windows of it"_s));
  EXPECT_GT(score(u"ab"_s, u"a b"_s), score(u"ab"_s, u"a long way to b"_s));
}

TEST(Fuzzy, OnlyTheFirstLettersOfALongPatternCount) {
  const QString text = u"ab "_s.repeated(24).trimmed();  // has 48 letters
  const auto cut = fuzzy_match(text + u" zz"_s, text);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->score, score(text, text)) << "in one piece, too";
  EXPECT_EQ(cut->places.size(), 48U);
  EXPECT_LT(score(text.chopped(1) + u'z', text), 0) << "the last letter that counts";
}

/// The score of a match whose letters are at these places, without the loss of long texts.
int score_of(const QString& text, const Places& places) {
  int score = 0;
  bool has_first_letters = true;
  bool is_in_one_piece = true;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool starts = places[i] == 0 || text[places[i] - 1] == u' ';
    const qsizetype gap = i == 0 ? 0 : places[i] - places[i - 1] - 1;
    score += 1 + (starts ? 8 : 0);
    if (i > 0) score += gap == 0 ? 6 : -static_cast<int>(std::min<qsizetype>(gap, 4));
    has_first_letters = has_first_letters && starts;
    is_in_one_piece = is_in_one_piece && gap == 0;
  }
  return score + (has_first_letters || is_in_one_piece ? 30 : 0);
}

int best_of_all_ways(const QString& pattern, const QString& text, const Places& places = {}) {
  if (std::ssize(places) == pattern.size()) return score_of(text, places);
  const auto at = std::ssize(places);
  const qsizetype from = places.empty() ? 0 : places.back() + 1;
  int best = -1000;
  for (qsizetype i = from; i < text.size(); ++i) {
    if (text[i] != pattern[at]) continue;
    const bool starts = i == 0 || text[i - 1] == u' ';
    const bool fits = at == 0 ? text.mid(i).startsWith(pattern) : i == from;
    if (!starts && !fits) continue;
    Places more = places;
    more.push_back(i);
    best = std::max(best, best_of_all_ways(pattern, text, more));
  }
  return best;
}

TEST(Fuzzy, NoWayToPickTheLettersIsBetter) {
  const QString text = u"ab ba a bab"_s;
  for (int number = 2; number < 32; ++number) {
    QString pattern;
    for (int rest = number; rest > 1; rest /= 2) pattern += rest % 2 == 0 ? u'a' : u'b';
    const int best = best_of_all_ways(pattern, text);
    EXPECT_EQ(std::max(score(pattern, text), -500), std::max(best, -500)) << pattern.toStdString();
  }
}

TEST(Fuzzy, PiecesOfSeveralWordsCountLess) {
  const QString pieces = u"What holds the memory"_s;
  EXPECT_TRUE(fuzzy_match(u"theme"_s, pieces));
  EXPECT_GT(score(u"theme"_s, u"View › Theme › High contrast"_s), score(u"theme"_s, pieces) + 12)
      << "also if the pieces are in the name of a command";
  EXPECT_GT(score(u"zoom in"_s, u"Zoom in"_s), score(u"zoom in"_s, u"Zoom › in"_s));
}

class Ranking : public testing::Test {
 protected:
  Command command(const QString& place, const QString& name) {
    actions_.push_back(std::make_unique<QAction>(name));
    return {place, name, actions_.back().get()};
  }
  static QStringList names(const std::vector<RankedCommand>& ranked) {
    QStringList list;
    for (const RankedCommand& each : ranked) list << each.command.name;
    return list;
  }

  std::vector<std::unique_ptr<QAction>> actions_;
};

TEST_F(Ranking, OwnNamesGoBeforePlaces) {
  const std::vector<Command> commands = {command(u"View"_s, u"Zoom in"_s),
                                         command(u"File"_s, u"Review"_s),
                                         command(u"Help"_s, u"About"_s)};
  EXPECT_EQ(names(ranked(commands, u"view"_s)), QStringList({u"Review"_s, u"Zoom in"_s}));
  EXPECT_EQ(names(ranked(commands, u"vzi"_s)), QStringList({u"Zoom in"_s}));
  EXPECT_EQ(ranked(commands, u"about"_s).front().places, Places({7, 8, 9, 10, 11}));
}

TEST_F(Ranking, WordsOfAPlaceGoBeforePiecesOfAName) {
  const std::vector<Command> commands = {command(u"View › Panels"_s, u"What holds the memory"_s),
                                         command(u"View › Theme"_s, u"Dark"_s)};
  EXPECT_EQ(names(ranked(commands, u"theme"_s)),
            QStringList({u"Dark"_s, u"What holds the memory"_s}));
}

TEST_F(Ranking, OtherWordsGoBeforePiecesOfAName) {
  const std::vector<Command> commands = {command(u"Passes"_s, u"Follow all data"_s),
                                         command(u"View"_s, u"Close groups down to the layers"_s)};
  add_search_words(*commands[1].action, u"fold collapse"_s);
  EXPECT_EQ(names(ranked(commands, u"fold"_s)),
            QStringList({u"Close groups down to the layers"_s, u"Follow all data"_s}));
  EXPECT_TRUE(ranked(commands, u"fold"_s).front().places.empty());
}

TEST_F(Ranking, NothingTypedKeepsTheOrderOfTheMenus) {
  const std::vector<Command> commands = {command(u"b"_s, u"long name of a command"_s),
                                         command(u"a"_s, u"x"_s)};
  EXPECT_EQ(names(ranked(commands, u" "_s)), QStringList({u"long name of a command"_s, u"x"_s}));
}

TEST_F(Ranking, ItsModelKeepsTheRules) {
  CommandModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Warning);
  model.set_commands({command(u"View"_s, u"Zoom in"_s), command(u"Help"_s, u"About"_s)});
  model.set_pattern(u"zo"_s);
  ASSERT_EQ(model.rowCount(), 1);
  EXPECT_EQ(model.index(0, 0).data().toString(), u"View › Zoom in"_s);
  actions_.clear();
  EXPECT_EQ(model.action(0), nullptr);
  EXPECT_FALSE(model.index(0, 0).data(Qt::CheckStateRole).isValid());
  model.set_pattern(u"no such thing"_s);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(Mnemonics, EachLetterIsTakenOnce) {
  EXPECT_EQ(with_mnemonics({u"Open"_s, u"Order"_s, u"&Run"_s, u"oo"_s}),
            QStringList({u"&Open"_s, u"Or&der"_s, u"&Run"_s, u"oo"_s}));
  EXPECT_EQ(with_mnemonics({u"&Open"_s, u"&On top"_s}), QStringList({u"&Open"_s, u"On &top"_s}));
  EXPECT_EQ(with_mnemonics({u"Zoom in"_s, u"Zoom out"_s}),
            QStringList({u"&Zoom in"_s, u"Zoom &out"_s}));
  EXPECT_EQ(with_mnemonics({u"a && b"_s, u"a\tb"_s, u"…"_s}),
            QStringList({u"&a && b"_s, u"a\tb"_s, u"…"_s}));
}

}  // namespace fuzzy_test
}  // namespace stashscope::ui::test
