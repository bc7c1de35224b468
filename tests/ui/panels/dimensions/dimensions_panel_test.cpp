// Dimensions made the same and separated again, presets: by mouse and by keyboard.

#include "ui/panels/dimensions/dimensions_panel.h"

#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QToolBar>
#include <algorithm>

#include "tests/ui/support/window_test.h"
#include "ui/document/dimension_presets.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui::test {
namespace dimensions_panel_test {

using namespace Qt::StringLiterals;

const QString batch = u"inputs_input_ids_dim0"_s;
const QString length = u"inputs_input_ids_dim1"_s;

class Dimensions : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  QSpinBox& box(const QString& name) { return find<QSpinBox>(u"dimension:"_s + name); }
  QStringList names() {
    QStringList names;
    for (const QSpinBox* const each : window().findChildren<QSpinBox*>()) {
      if (each->objectName().startsWith(u"dimension:"_s) && each->isVisible()) {
        names << each->accessibleName();
      }
    }
    return names;
  }

  void type(const QString& name, const QString& number) {
    box(name).setFocus();
    box(name).selectAll();
    QTest::keyClicks(&box(name), number);
    QTest::keyClick(&box(name), Qt::Key_Return);
    ASSERT_TRUE(settles());
  }

  void type_and_press(const QString& name, const QString& number, Qt::Key key) {
    QTest::keyClicks(&box(name), number);
    QTest::keyClick(&box(name), key);
  }

  /// Opens the menu of a button by mouse and clicks an entry, in a submenu if one is named.
  void choose(const QString& button, const QString& menu, const QString& entry,
              const QString& inner = {}) {
    click(find<QWidget>(button));
    auto* shown = &find<QMenu>(menu);
    ASSERT_TRUE(comes_true([&] { return shown->isVisible(); }));
    if (!inner.isEmpty()) {
      auto* const below = shown->findChild<QMenu*>(inner);
      ASSERT_NE(below, nullptr);
      QTest::mouseClick(shown, Qt::LeftButton, {},
                        shown->actionGeometry(below->menuAction()).center());
      ASSERT_TRUE(comes_true([&] { return below->isVisible(); }));
      shown = below;
    }
    auto* const action = shown->findChild<QAction*>(entry);
    ASSERT_NE(action, nullptr) << entry.toStdString();
    QTest::mouseClick(shown, Qt::LeftButton, {}, shown->actionGeometry(action).center());
    ASSERT_TRUE(settles());
  }
  void choose_of(const QString& dimension, const QString& entry, const QString& inner = {}) {
    choose(u"dimension_more:"_s + dimension, u"dimension_menu:"_s + dimension, entry, inner);
  }
  void choose_preset(const QString& entry, const QString& inner = {}) {
    choose(u"presets_button"_s, u"preset_menu"_s, entry, inner);
  }

  void undo_by_mouse() {
    auto& bar = find<QToolBar>(u"toolbar"_s);
    click(*bar.widgetForAction(&find<QAction>(u"undo"_s)));
    ASSERT_TRUE(settles());
  }

  void save_preset(const QString& name) {
    choose_preset(u"save_preset"_s);
    QInputDialog* dialog = nullptr;
    ASSERT_TRUE(comes_true([&] {
      dialog = window().findChild<QInputDialog*>(u"preset_name_dialog"_s);
      return dialog != nullptr && dialog->isVisible();
    }));
    auto* const line = dialog->findChild<QLineEdit*>();
    ASSERT_NE(line, nullptr);
    QTest::keyClicks(line, name);
    QTest::keyClick(line, Qt::Key_Return);
    ASSERT_TRUE(comes_true(
        [&] { return window().findChild<QInputDialog*>(u"preset_name_dialog"_s) == nullptr; }));
  }
};

TEST_F(Dimensions, AreTypedOneAfterTheOther) {
  find<QAction>(u"go_to_dimensions_dock"_s).trigger();
  ASSERT_TRUE(box(batch).hasFocus());
  type_and_press(batch, u"4"_s, Qt::Key_Tab);
  ASSERT_TRUE(box(length).hasFocus()) << "the next size";
  type_and_press(length, u"32"_s, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim0"), 4);
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim1"), 32);
}

TEST_F(Dimensions, TabGoesThroughTheSizesThenThroughTheirMenus) {
  box(batch).setFocus();
  press(Qt::Key_Tab);
  ASSERT_TRUE(box(length).hasFocus());
  press(Qt::Key_Tab);
  ASSERT_TRUE(find<QWidget>(u"dimension_more:"_s + batch).hasFocus());
  press(Qt::Key_Tab);
  EXPECT_TRUE(find<QWidget>(u"dimension_more:"_s + length).hasFocus());
}

/// The study of the first size arrives while the second one is typed.
TEST_F(Dimensions, DigitsStayWhileTheStepIsComputed) {
  box(batch).setFocus();
  box(batch).selectAll();
  type_and_press(batch, u"4"_s, Qt::Key_Tab);
  ASSERT_TRUE(box(length).hasFocus());
  QTest::keyClicks(&box(length), u"1"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(box(batch).value(), 4);
  EXPECT_EQ(box(length).cleanText(), u"1"_s);
  QTest::keyClicks(&box(length), u"6"_s);
  QTest::keyClick(&box(length), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim1"), 16);
}

TEST_F(Dimensions, ASizeTypedForAModelIsNotChosenForTheNextOne) {
  const QString next = in_folder(u"next.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), next));
  const QString before = box(batch).cleanText();
  box(batch).setFocus();
  box(batch).selectAll();
  QTest::keyClicks(&box(batch), u"64"_s);
  open(next);
  EXPECT_FALSE(document().choices().dims.contains("inputs_input_ids_dim0"));
  EXPECT_EQ(box(batch).cleanText(), before);
}

TEST_F(Dimensions, SayUnitsInputsAndWhatIsAssumed) {
  EXPECT_EQ(box(batch).suffix(), u" sample"_s);
  EXPECT_EQ(box(length).suffix(), u" tokens"_s);
  EXPECT_TRUE(box(length).toolTip().contains(u"axis 1 of"_s))
      << box(length).toolTip().toStdString();
  EXPECT_TRUE(box(length).toolTip().contains(u"assumption"_s));
  type(length, u"8"_s);
  EXPECT_FALSE(box(length).toolTip().contains(u"assumption"_s));
}

TEST_F(Dimensions, OneStandsForAnotherByMouseAndIsTakenApartAgain) {
  const QStringList before = names();
  ASSERT_GE(before.size(), 2);
  type(batch, u"4"_s);
  type(length, u"16"_s);
  choose_of(length, u"same_as:"_s + batch, u"same_as_menu"_s);
  EXPECT_EQ(document().choices().graph.same_dims.at(length.toStdString()), batch.toStdString());
  EXPECT_FALSE(names().contains(length));
  EXPECT_EQ(box(batch).value(), 4);
  EXPECT_TRUE(box(batch).toolTip().contains(length));

  choose_of(batch, u"separate:"_s + length);
  EXPECT_TRUE(document().choices().graph.same_dims.empty());
  EXPECT_EQ(names(), before);
  EXPECT_EQ(box(length).value(), 4) << "nothing jumps";

  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(names().contains(length));
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(names(), before);
  EXPECT_EQ(box(length).value(), 16);
}

TEST_F(Dimensions, TheMenuWorksByKeyboard) {
  auto& more = find<QWidget>(u"dimension_more:"_s + length);
  more.setFocus();
  ASSERT_TRUE(more.hasFocus());
  QTest::keyClick(&more, Qt::Key_Space);
  auto& menu = find<QMenu>(u"dimension_menu:"_s + length);
  ASSERT_TRUE(comes_true([&] { return menu.isVisible(); }));
  QTest::keyClick(&menu, Qt::Key_S);
  auto* const others = menu.findChild<QMenu*>(u"same_as_menu"_s);
  ASSERT_TRUE(comes_true([&] { return others->isVisible(); }));
  QTest::keyClick(others, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().graph.same_dims.size(), 1U);
}

TEST_F(Dimensions, OneSizeIsDoubledAndHalved) {
  type(batch, u"6"_s);
  choose_of(batch, u"double"_s);
  EXPECT_EQ(box(batch).value(), 12);
  choose_of(batch, u"halve"_s);
  choose_of(batch, u"halve"_s);
  EXPECT_EQ(box(batch).value(), 3);
  choose_of(batch, u"assume"_s);
  EXPECT_TRUE(document().choices().dims.empty());
}

TEST_F(Dimensions, SavedSizesAreAppliedInOneStepAndDeleted) {
  type(batch, u"6"_s);
  type(length, u"16"_s);
  save_preset(u"small & short"_s);
  type(batch, u"2"_s);
  type(length, u"32"_s);
  const Choices other = document().choices();
  const int steps = document().undo_stack().index();
  choose_preset(u"preset:small & short"_s);
  EXPECT_EQ(box(batch).value(), 6);
  EXPECT_EQ(box(length).value(), 16);
  EXPECT_EQ(document().undo_stack().index(), steps + 1);
  undo_by_mouse();
  EXPECT_EQ(document().choices(), other);

  start_window();
  open(sample(u"gpt2_tiny"_s));
  choose_preset(u"preset:small & short"_s);
  EXPECT_EQ(box(batch).value(), 6) << "kept for the next run of the program";
  choose_preset(u"delete_preset:small & short"_s, u"delete_preset_menu"_s);
  click(find<QWidget>(u"presets_button"_s));
  EXPECT_EQ(find<QMenu>(u"preset_menu"_s).findChild<QAction*>(u"preset:small & short"_s), nullptr);
  find<QMenu>(u"preset_menu"_s).close();
}

TEST_F(Dimensions, AllSizesAreHalvedDoubledAndAssumed) {
  type(batch, u"8"_s);
  type(length, u"16"_s);
  choose_preset(u"preset_halved"_s);
  EXPECT_EQ(box(batch).value(), 4);
  EXPECT_EQ(box(length).value(), 8);
  choose_preset(u"preset_doubled"_s);
  EXPECT_EQ(box(batch).value(), 8);
  EXPECT_EQ(box(length).value(), 16);
  choose_preset(u"preset_assumed"_s);
  EXPECT_TRUE(document().choices().dims.empty());
}

TEST_F(Dimensions, ShowLabelAndFieldWhereverTheyOpen) {
  const QString name = u"batch (inputs_input_ids_dim0)"_s;
  for (const QSize& size : {QSize(1366, 768), QSize(1093, 614)}) {
    for (const QString& id : {u"overview"_s, u"run"_s, u"fit"_s}) {
      for (const int percent : {100, 125}) {
        SCOPED_TRACE(id.toStdString() + ' ' + std::to_string(size.width()) + ' ' +
                     std::to_string(percent));
        window().resize(size);
        apply_text_size(*qApp, percent);
        find<QAction>(u"workspace_"_s + id).trigger();
        find<QAction>(u"reset_layout"_s).trigger();
        Q_EMIT find<QMenu>(u"size_menu"_s).aboutToShow();
        find<QAction>(u"set_size:"_s + batch).trigger();
        QTest::qWait(20);
        const QSpinBox& field = box(batch);
        EXPECT_TRUE(field.hasFocus());
        EXPECT_EQ(field.visibleRegion().boundingRect(), field.rect());
        const auto labels = find<QWidget>(u"dimensions_panel"_s).findChildren<QLabel*>();
        const auto label = std::ranges::find(labels, name, &QLabel::text);
        ASSERT_NE(label, labels.end());
        EXPECT_EQ((*label)->visibleRegion().boundingRect(), (*label)->rect());
        EXPECT_GE((*label)->width(), (*label)->sizeHint().width());
        EXPECT_EQ(window().size(), size);
      }
    }
  }
  apply_text_size(*qApp, 100);
}

TEST_F(Dimensions, ASizeBelowOneIsRefusedWithAReason) {
  type(length, u"16"_s);
  for (const QString& typed : {u"0"_s, u"-5"_s}) {
    type(length, typed);
    EXPECT_EQ(document().choices().dims.at(length.toStdString()), 16);
    EXPECT_EQ(box(length).cleanText(), u"16"_s);
    EXPECT_TRUE(message().contains(u"cannot be %1"_s.arg(typed))) << message().toStdString();
    EXPECT_TRUE(message().contains(u"at least 1"_s));
  }
  type(length, u"8"_s);
  EXPECT_EQ(message(), QString()) << "a size that is taken needs no message";
}

TEST_F(Dimensions, ASizeAboveTheLimitIsRefusedWithAReason) {
  type(batch, u"16"_s);
  for (const QString& typed : {u"1000000001"_s, u"123456789012345678901"_s}) {
    type(batch, typed);
    EXPECT_EQ(document().choices().dims.at(batch.toStdString()), 16);
    EXPECT_EQ(box(batch).cleanText(), u"16"_s);
    EXPECT_TRUE(message().contains(u"cannot be %1"_s.arg(typed))) << message().toStdString();
    EXPECT_TRUE(message().contains(u"at most 1"_s)) << message().toStdString();
  }
}

TEST_F(Dimensions, ALargerSizeOfASessionIsShownWhole) {
  Choices choices = document().choices();
  choices.dims[batch.toStdString()] = 3'000'000'000;
  document().choose(choices, u"Many samples"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(box(batch).cleanText(), u"3000000000"_s);
  box(batch).setFocus();
  QTest::keyClick(&box(batch), Qt::Key_Tab);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at(batch.toStdString()), 3'000'000'000);
  type(batch, u"1000000000"_s);
  EXPECT_EQ(document().choices().dims.at(batch.toStdString()), 1'000'000'000) << "it can be typed";
}

TEST(SizesOfPresets, AreNeverSmallerWhenDoubled) {
  EXPECT_EQ(doubled(8), 16);
  EXPECT_EQ(doubled(largest_dimension - 1), largest_dimension);
  EXPECT_EQ(doubled(3'000'000'000), 3'000'000'000);
  EXPECT_EQ(halved(1), 1);
  EXPECT_EQ(doubled(DimensionSizes{{"N", 3'000'000'000}}).at("N"), 3'000'000'000);
}

TEST_F(Dimensions, TheUnitIsSeenWhole) {
  const auto is_whole = [this] {
    const auto* const line = box(batch).findChild<QLineEdit*>();
    QCoreApplication::processEvents();
    return line->fontMetrics().horizontalAdvance(line->text()) < line->width();
  };
  find<QDockWidget>(u"dimensions_dock"_s).setFloating(true);
  find<QDockWidget>(u"dimensions_dock"_s).resize(1, 300);
  for (const int size : {2, 4096, 1'000'000, 1'000'000'000}) {
    type(batch, QString::number(size));
    EXPECT_TRUE(is_whole()) << size;
  }
}

/// A size of 0 comes from a session or from the command line. It takes its dimension out of the
/// model, so the rows change.
TEST_F(Dimensions, AfterUndoTheFieldsShowTheSizesOfTheStep) {
  const QStringList before = names();
  const int samples = box(batch).value();
  box(batch).setFocus();
  Choices choices = document().choices();
  choices.dims[batch.toStdString()] = 0;
  document().choose(choices, u"No samples"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(box(batch).value(), 0);
  undo_by_mouse();
  EXPECT_EQ(names(), before);
  EXPECT_EQ(box(batch).value(), samples);
  EXPECT_EQ(box(batch).cleanText(), QString::number(samples));
  EXPECT_EQ(box(batch).suffix(), u" sample"_s);
}

TEST_F(Dimensions, WithoutAModelOrOpenSizesTheySaySo) {
  start_window();
  const auto& panel = find<DimensionsPanel>(u"dimensions_panel"_s);
  EXPECT_FALSE(find<QWidget>(u"presets_button"_s).isEnabled());
  bool invites = false;
  for (const QLabel* const label : panel.findChildren<QLabel*>()) {
    invites = invites || label->text().contains(u"Open a model"_s);
  }
  EXPECT_TRUE(invites);
}

}  // namespace dimensions_panel_test
}  // namespace stashscope::ui::test
