// The menu of devices, with its fields for memory, and how keys lead through it.

#include "ui/window/fit_device_menu.h"

#include <QApplication>
#include <QLineEdit>

#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace fit_device_menu_test {

using namespace Qt::StringLiterals;

class FitDevice : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  /// Opens the menu, and types into a field of it in place of what it has.
  void type(QLineEdit& field, const QString& typed) {
    find<QMenu>(u"fit_device_menu"_s).popup({});
    field.setFocus();
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_Delete);
    QTest::keyClicks(&field, typed);
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settles());
  }
};

TEST_F(FitDevice, ANumberWithoutAUnitIsMemoryInGibibytes) {
  auto& field = find<QLineEdit>(u"fit_device_memory"_s);
  EXPECT_TRUE(field.placeholderText().contains(u"GiB"_s));
  for (const auto& [typed, gibibytes] : {std::pair(u"24"_s, 24.0), {u"1.5"_s, 1.5}}) {
    type(field, typed);
    EXPECT_EQ(document().choices().times.device_memory,
              static_cast<std::int64_t>(gibibytes * (1 << 30)));
    EXPECT_TRUE(field.text().startsWith(typed) && field.text().endsWith(u"GiB"_s));
  }
  type(field, u"-4"_s);
  EXPECT_TRUE(message().contains(u"negative"_s)) << message().toStdString();
}

TEST_F(FitDevice, TheMemoryOfTheHostAndTheOverlapOfCopiesAreChoices) {
  auto& field = find<QLineEdit>(u"host_memory"_s);
  const Choices before = document().choices();
  type(field, u"2"_s);
  EXPECT_EQ(document().choices().times.host_memory, std::int64_t{2} << 30);
  EXPECT_TRUE(field.text().startsWith(u"2"_s) && field.text().endsWith(u"GiB"_s));
  type(field, u"0"_s);
  EXPECT_TRUE(message().contains(u"no tensor can be offloaded"_s)) << message().toStdString();
  EXPECT_EQ(document().choices().times.host_memory, std::int64_t{2} << 30);
  type(field, u""_s);
  EXPECT_FALSE(document().choices().times.host_memory);
  find<QAction>(u"overlap_copies"_s).trigger();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().choices().plans.overlaps_copies);
  EXPECT_TRUE(find<QAction>(u"overlap_copies"_s).isChecked());
  while (document().undo_stack().canUndo()) document().undo_stack().undo();
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), before);
}

/// Presses a key where the window would get it: in the open menu, or in its field.
void press_in_menu(Qt::Key key, const QString& text = {}) {
  QWidget* const menu = QApplication::activePopupWidget();
  ASSERT_NE(menu, nullptr);
  QWidget* const at = menu->focusWidget() == nullptr ? menu : menu->focusWidget();
  if (text.isEmpty()) return QTest::keyClick(at, key);
  QTest::keyClicks(at, text);
}

TEST_F(FitDevice, LetterAndArrowsLeadToTheOtherMemory) {
  auto& menu = find<QMenu>(u"fit_device_menu"_s);
  auto& field = find<QLineEdit>(u"fit_device_memory"_s);
  const Choices before = document().choices();
  for (const Qt::Key key : {Qt::Key_O, Qt::Key_Up, Qt::Key_Down}) {
    menu.popup({});
    EXPECT_FALSE(field.hasFocus()) << "a menu that opens again begins anew";
    // Behind the entry of the field come a separator and two entries, before it a separator.
    const auto presses =
        key == Qt::Key_Down ? menu.actions().size() - 4 : (key == Qt::Key_Up ? 3 : 1);
    for (qsizetype i = 0; i < presses; ++i) press_in_menu(key);
    EXPECT_TRUE(menu.isVisible());
    ASSERT_TRUE(field.hasFocus()) << key;
    EXPECT_EQ(menu.activeAction(), &find<QAction>(u"fit_device_memory_entry"_s));
    press_in_menu(Qt::Key_unknown, u"9"_s);
    press_in_menu(Qt::Key_Escape);
    EXPECT_FALSE(menu.isVisible());
  }
  EXPECT_EQ(document().choices(), before);
  menu.popup({});
  press_in_menu(Qt::Key_O);
  press_in_menu(Qt::Key_unknown, u"12"_s);
  press_in_menu(Qt::Key_Escape);
  menu.popup({});
  press_in_menu(Qt::Key_O);
  press_in_menu(Qt::Key_unknown, u"12"_s);
  press_in_menu(Qt::Key_Return);
  EXPECT_EQ(document().choices().times.device_memory, std::int64_t{12} << 30);
  menu.popup({});
  press_in_menu(Qt::Key_O);
  EXPECT_EQ(field.selectedText(), field.text()) << "the next size replaces it";
  EXPECT_FALSE(field.text().isEmpty());
  menu.close();
}

TEST_F(FitDevice, NoDigitChoosesADevice) {
  auto& menu = find<QMenu>(u"fit_device_menu"_s);
  const Choices before = document().choices();
  menu.popup({});
  press_in_menu(Qt::Key_unknown, u"0123456789"_s);
  EXPECT_TRUE(menu.isVisible());
  EXPECT_EQ(document().choices(), before);
  menu.close();
}

TEST_F(FitDevice, ReturnClosesAllMenusAndEscapeOne) {
  auto& menu = find<QMenu>(u"fit_device_menu"_s);
  auto* const planner = qobject_cast<QMenu*>(menu.menuAction()->associatedObjects().front());
  ASSERT_NE(planner, nullptr);
  for (const Qt::Key last : {Qt::Key_Escape, Qt::Key_Return}) {
    planner->popup({});
    planner->setActiveAction(menu.menuAction());
    press_in_menu(Qt::Key_Right);
    ASSERT_TRUE(comes_true([&] { return menu.isVisible(); }));
    press_in_menu(Qt::Key_O);
    press_in_menu(Qt::Key_unknown, u"12"_s);
    press_in_menu(last);
    EXPECT_FALSE(menu.isVisible());
    EXPECT_EQ(planner->isVisible(), last == Qt::Key_Escape);
    planner->close();
  }
  ASSERT_TRUE(settles());
  const QString name = shown(document().choices().times.profile.name);
  EXPECT_TRUE(bar().contains(u"12.0 GiB of memory, as fast as "_s + name)) << bar().toStdString();
}

}  // namespace fit_device_menu_test
}  // namespace stashscope::ui::test
