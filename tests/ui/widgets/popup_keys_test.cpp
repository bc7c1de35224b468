// While a menu or list is open, the keys of the view below do nothing.

#include "ui/widgets/popup_keys.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QMenuBar>

#include "tests/ui/graph/graph_test.h"
#include "ui/memory/memory_view.h"

namespace stashscope::ui::test {
namespace popup_keys_test {

using namespace Qt::StringLiterals;

class PopupKeysTest : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    view().setFocus();
  }
};

TEST_F(PopupKeysTest, AnOpenMenuKeepsTheKeysOfTheGraph) {
  go_to(find_node([this](NodeId node) { return readers(node).size() == 1; }));
  const NodeId node = document().selection().node();
  auto* const menu = new QMenu(&window());
  menu->addAction(u"Nothing"_s);
  menu->popup(window().mapToGlobal(QPoint(100, 100)));
  ASSERT_EQ(QApplication::activePopupWidget(), menu);
  for (const Qt::Key key : {Qt::Key_A, Qt::Key_P, Qt::Key_W, Qt::Key_I, Qt::Key_R, Qt::Key_K}) {
    QTest::keyClick(menu, key);
  }
  EXPECT_FALSE(view().alive_at()) << "A";
  EXPECT_FALSE(view().isolation()) << "I";
  EXPECT_EQ(view().notice(), QString()) << "W";
  EXPECT_EQ(document().selection().node(), node) << "P";
  EXPECT_FALSE(document().undo_stack().canUndo()) << "R and K";
  menu->close();
  QTest::keyClick(&view(), Qt::Key_A);
  EXPECT_TRUE(view().alive_at());
}

TEST_F(PopupKeysTest, AMenuOfTheMenuBarKeepsThemToo) {
  QAction* const first = window().menuBar()->actions().front();
  window().menuBar()->setActiveAction(first);
  ASSERT_TRUE(first->menu()->isVisible());
  view().setFocus();
  QTest::keyClick(first->menu(), Qt::Key_I);
  EXPECT_FALSE(view().isolation());
  first->menu()->close();
}

TEST_F(PopupKeysTest, AnOpenListKeepsThem) {
  auto& colours = find<QComboBox>(u"graph_colours"_s);
  colours.showPopup();
  view().setFocus();
  QWidget* const list = QApplication::activePopupWidget();
  ASSERT_NE(list, nullptr);
  QTest::keyClick(list, Qt::Key_A);
  EXPECT_FALSE(view().alive_at());
  colours.hidePopup();
}

TEST_F(PopupKeysTest, ReturnChoosesInAnOpenListAndEscapeLeavesIt) {
  auto& colours = find<QComboBox>(u"graph_colours"_s);
  const auto press = [&](std::initializer_list<Qt::Key> keys) {
    colours.showPopup();
    for (const Qt::Key key : keys) QTest::keyClick(colours.view(), key);
    return QApplication::activePopupWidget() == nullptr;
  };
  const int first = colours.currentIndex();
  EXPECT_TRUE(press({Qt::Key_Down, Qt::Key_Return})) << "the list is closed";
  EXPECT_EQ(colours.currentIndex(), first + 1);
  EXPECT_TRUE(press({Qt::Key_Down, Qt::Key_Escape})) << "the list is closed";
  EXPECT_EQ(colours.currentIndex(), first + 1);
}

TEST_F(PopupKeysTest, AnOpenMenuKeepsTheKeysOfTheMemoryCurve) {
  auto& curve = find<MemoryView>(u"memory_view"_s);
  curve.setFocus();
  const MemoryLook before = curve.look();
  auto* const menu = new QMenu(&window());
  menu->addAction(u"Nothing"_s);
  menu->popup(window().mapToGlobal(QPoint(100, 100)));
  QTest::keyClick(menu, Qt::Key_T);
  EXPECT_EQ(curve.look(), before);
  menu->close();
  QTest::keyClick(&curve, Qt::Key_T);
  EXPECT_NE(curve.look(), before);
}

}  // namespace popup_keys_test
}  // namespace stashscope::ui::test
