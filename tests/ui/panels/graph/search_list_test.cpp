#include "ui/panels/graph/search_list.h"

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace search_list_test {

using namespace Qt::StringLiterals;

class SearchHits : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    search().setFocus();
    QTest::keyClicks(&search(), u"softmax"_s);
  }
  QLineEdit& search() { return find<QLineEdit>(u"graph_search"_s); }
  SearchList& list() { return find<SearchList>(u"graph_hits"_s); }
  QString matches() { return find<QLabel>(u"graph_matches"_s).text(); }
  QString hit(int row) { return list().model()->index(row, 0).data().toString(); }
  int hits() { return list().model()->rowCount(); }
};

TEST_F(SearchHits, AreListedWhileTypingWithTheFirstMarked) {
  ASSERT_TRUE(list().isVisible());
  EXPECT_EQ(matches(), u"%1 found"_s.arg(hits()));
  EXPECT_EQ(list().marked(), 0);
  for (int row = 0; row < hits(); ++row) {
    EXPECT_TRUE(hit(row).contains(u"softmax"_s, Qt::CaseInsensitive)) << hit(row).toStdString();
  }
  EXPECT_FALSE(document().selection().node().valid()) << "typing selects nothing";
  QTest::keyClicks(&search(), u"no such node"_s);
  EXPECT_FALSE(list().isVisible());
}

TEST_F(SearchHits, AnyOfThemIsOneChoiceAway) {
  ASSERT_GT(hits(), 3);
  for (int i = 0; i < 2; ++i) QTest::keyClick(&search(), Qt::Key_Down);
  EXPECT_EQ(list().marked(), 2);
  QTest::keyClick(&search(), Qt::Key_Return);
  EXPECT_EQ(matches(), u"3 of %1"_s.arg(hits()));
  EXPECT_FALSE(list().isVisible());
  ASSERT_TRUE(settles());
  const NodeId third = document().selection().node();
  ASSERT_TRUE(third.valid());
  QTest::keyClick(&search(), Qt::Key_Return);
  EXPECT_EQ(matches(), u"4 of %1"_s.arg(hits()));
  click(find<QLabel>(u"graph_matches"_s));
  ASSERT_TRUE(list().isVisible());
  EXPECT_EQ(list().marked(), 3);
  click_cell(list(), list().model()->index(2, 0));
  EXPECT_EQ(document().selection().node(), third);
}

TEST_F(SearchHits, TheCountFollowsTheSelection) {
  const auto expect_hit = [this](int hit) {
    EXPECT_EQ(matches(), u"%1 of %2"_s.arg(hit).arg(hits()));
  };
  QTest::keyClick(&search(), Qt::Key_Return);
  QTest::keyClick(&search(), Qt::Key_Return);
  expect_hit(2);
  const NodeId second = document().selection().node();
  press(Qt::Key_Left, Qt::AltModifier);
  expect_hit(1);
  press(Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(document().selection().node(), second);
  expect_hit(2);
  document().selection().clear();
  EXPECT_EQ(matches(), u"%1 found"_s.arg(hits()));
  search().setFocus();
  press(Qt::Key_F3);
  expect_hit(3);
}

TEST_F(SearchHits, AnOpenListFollowsTheStudy) {
  ASSERT_TRUE(list().isVisible());
  const int before = hits();
  const int height = list().height();
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(comes_true([&] { return document().study()->choices.plans.level == 1; }));
  ASSERT_TRUE(list().isVisible());
  EXPECT_GT(hits(), before) << "nodes that run again are hits, too";
  EXPECT_NE(list().height(), height);
  EXPECT_EQ(list().marked(), 0);
}

TEST_F(SearchHits, TheButtonInTheFieldEndsTheSearch) {
  auto* const clear = search().findChild<QToolButton*>();
  ASSERT_NE(clear, nullptr);
  QTest::mouseClick(clear, Qt::LeftButton);
  EXPECT_EQ(search().text(), QString());
  EXPECT_EQ(matches(), QString());
  EXPECT_EQ(hits(), 0);
  EXPECT_FALSE(list().isVisible());
}

TEST_F(SearchHits, EscapeClosesTheListAndDownOpensIt) {
  QTest::keyClick(&search(), Qt::Key_Escape);
  EXPECT_FALSE(list().isVisible());
  EXPECT_EQ(search().text(), u"softmax"_s);
  QTest::keyClick(&search(), Qt::Key_Down);
  EXPECT_TRUE(list().isVisible());
  window().graph().view().setFocus();
  EXPECT_FALSE(list().isVisible());
}

}  // namespace search_list_test
}  // namespace stashscope::ui::test
