// The passes and what-ifs that are on, in the answer bar.

#include <QMenu>
#include <QPushButton>
#include <QTextDocument>

#include "core/passes/graph_pass.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"
#include "ui/widgets/link_label.h"
#include "ui/window/answer_bar.h"

namespace stashscope::ui::test {
namespace answer_changes_test {

using namespace Qt::StringLiterals;

class AnswerChanges : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  /// Waits until the moves are known and the bar has placed its buttons, in an event of its own.
  void settle_bar() {
    ASSERT_TRUE(comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); }));
    QTest::qWait(0);
  }
  QPushButton& move(int number) { return find<QPushButton>(u"answer_move_%1"_s.arg(number)); }
};

TEST_F(AnswerChanges, NameThePassesAndWhatIfsThatAreOn) {
  window().resize(1366, 768);
  auto& changes = find<LinkLabel>(u"answer_changes"_s);
  EXPECT_FALSE(changes.isVisible());
  const auto plain = [&] {
    QTextDocument text;
    text.setHtml(changes.text());
    return text.toPlainText();
  };
  const auto choose = [&](const std::set<std::string>& passes, const WhatIfChoices& what_ifs) {
    Choices choices = document().choices();
    choices.graph.passes = passes;
    choices.graph.what_ifs = what_ifs;
    document().choose(choices, u"test"_s);
    ASSERT_TRUE(settles());
    settle_bar();
  };
  choose({}, {{"attention", "flash"}});
  ASSERT_TRUE(changes.isVisible());
  EXPECT_EQ(plain(), u"with Flash attention"_s);
  changes.setFocus(Qt::TabFocusReason);
  EXPECT_TRUE(changes.hasFocus());
  QTest::keyClick(&changes, Qt::Key_Return);
  auto& menu = find<QMenu>(u"pass_menu"_s);
  EXPECT_TRUE(menu.isVisible()) << "Return leads to the menu";
  menu.close();
  choose({"fuse_gelu", "fuse_matmul", "keep_loss_only"}, {{"attention", "flash"}});
  ASSERT_TRUE(changes.isVisible());
  EXPECT_TRUE(plain().contains(u" more"_s) || plain() == u"with 4 changes"_s)
      << plain().toStdString();
  for (const char* const pass : {"fuse_gelu", "fuse_matmul", "keep_loss_only"}) {
    const QString title = shown(std::string(find_pass(pass).title));
    EXPECT_TRUE(changes.toolTip().contains(title)) << changes.toolTip().toStdString();
    EXPECT_TRUE(changes.accessibleDescription().contains(title));
    EXPECT_TRUE(find<QLabel>(u"answer_text"_s).toolTip().contains(title));
  }
  choose({}, {});
  EXPECT_FALSE(changes.isVisible());
}

/// What to do about a step that does not fit stays beside the answer.
TEST_F(AnswerChanges, AndTheAnswerLeaveRoomForMakeItFit) {
  choose_memory(peak() - 1024);
  const auto& text = find<QLabel>(u"answer_text"_s);
  for (const int width : {1366, 1100, 900, 800}) {
    window().resize(width, 768);
    settle_bar();
    EXPECT_GE(text.width(), text.sizeHint().width()) << width << ": " << text.text().toStdString();
    EXPECT_TRUE(find<QWidget>(u"answer_fit"_s).isVisible()) << width;
  }
}

TEST_F(AnswerChanges, TheListOfPassesTakesNoRoomOfTheAnswerOrTheFirstMove) {
  choose_memory(peak() / 2);
  auto& changes = find<LinkLabel>(u"answer_changes"_s);
  const auto shown_first = [this] {
    return std::tuple(bar(), find<QWidget>(u"answer_fit"_s).isVisible(), move(0).isVisible(),
                      find<QWidget>(u"answer_samples"_s).isVisible());
  };
  int seen = 0;
  for (const int width : {1000, 1300, 1500, 1700, 2200}) {
    window().resize(width, 768);
    settle_bar();
    const auto before = shown_first();
    // A pass that is on but changes nothing in this model.
    Choices choices = document().choices();
    const Choices plain = choices;
    choices.graph.passes = {"train_normalizations"};
    document().choose(choices, u"test"_s);
    ASSERT_TRUE(settles());
    settle_bar();
    EXPECT_EQ(shown_first(), before) << width;
    if (changes.isVisible()) {
      ++seen;
      const QRect place(changes.mapTo(&window(), QPoint()), changes.size());
      EXPECT_LE(place.right(), window().width());
      for (const int each : {0, 1, 2}) {
        const QRect button(move(each).mapTo(&window(), QPoint()), move(each).size());
        EXPECT_FALSE(move(each).isVisible() && button.intersects(place)) << width;
      }
    }
    document().choose(plain, u"test"_s);
    ASSERT_TRUE(settles());
    settle_bar();
  }
  EXPECT_GT(seen, 1);
}

}  // namespace answer_changes_test
}  // namespace stashscope::ui::test
