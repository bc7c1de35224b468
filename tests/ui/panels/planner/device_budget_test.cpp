// A budget that is the memory of the device, and fields for amounts that are longer than usual.

#include <QComboBox>
#include <QStyle>
#include <QStyleOptionFrame>

#include "core/study/search/budget_input.h"
#include "tests/ui/panels/planner/planner_test.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace device_budget_test {

using namespace Qt::StringLiterals;

class DeviceBudget : public Planner {
 protected:
  QLineEdit& toolbar() { return find<QLineEdit>(u"toolbar_budget"_s); }
  /// Presses "Make it fit" for a device with nine tenths of the peak.
  void make_it_fit() {
    choose_memory(peak() * 9 / 10);
    click(find<QWidget>(u"answer_fit"_s));
    ASSERT_TRUE(ends());
  }
};

bool shows_all(const QLineEdit& field) {
  QStyleOptionFrame option;
  option.initFrom(&field);
  option.lineWidth = field.style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, &field);
  const QRect inside = field.style()->subElementRect(QStyle::SE_LineEditContents, &option, &field);
  return field.fontMetrics().horizontalAdvance(field.text()) < inside.width();
}

TEST_F(DeviceBudget, FollowsTheDeviceThatMakeItFitTookItFrom) {
  const QString first = QString::fromStdString(format_budget(peak() * 9 / 10));
  const QString at_opening = field().text();
  make_it_fit();
  EXPECT_EQ(field().text(), first);
  EXPECT_TRUE(hint().startsWith(u"the memory of the device, "_s)) << hint().toStdString();
  choose_memory(std::int64_t{24} << 30);
  EXPECT_EQ(field().text(), u"24 GiB"_s);
  EXPECT_EQ(toolbar().text(), u"24 GiB"_s);
  EXPECT_FALSE(answer().contains(u"Press Plan"_s)) << answer().toStdString();
  press(Qt::Key_Z, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(field().text(), at_opening) << "all is undone, also what set the budget";
}

TEST_F(DeviceBudget, UndoOfMakeItFitTakesTheFieldsBackToo) {
  Choices large = document().choices();
  large.dims["inputs_input_ids_dim0"] = 16384;  // a CUDA context is a small part of its device
  document().choose(large, u"batch"_s);
  ASSERT_TRUE(settles());
  click(find<QWidget>(u"memory_reserved"_s));
  ASSERT_TRUE(settles());
  const QComboBox& fits = find<QComboBox>(u"planner_fits"_s);
  choose_memory(document().reserved()->memory.reserved_bytes * 9 / 10);
  const QString before = field().text();
  const Choices plain = document().choices();
  click(find<QWidget>(u"answer_fit"_s));
  ASSERT_TRUE(ends());
  ASSERT_NE(document().choices(), plain) << answer().toStdString();
  const QString device = field().text();
  ASSERT_NE(device, before);
  EXPECT_EQ(fits.currentText(), u"reserved memory"_s);
  undo();
  EXPECT_EQ(field().text(), before);
  EXPECT_EQ(toolbar().text(), before);
  EXPECT_EQ(fits.currentText(), u"tensors"_s);
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(field().text(), device) << "redo";
  EXPECT_EQ(fits.currentText(), u"reserved memory"_s);
  type_budget(u"3 MiB"_s);
  undo();
  EXPECT_EQ(field().text(), u"3 MiB"_s) << "what was typed stays";
}

TEST_F(DeviceBudget, StaysWhereTheUserTypedIt) {
  make_it_fit();
  type_budget(u"3 MiB"_s);
  EXPECT_FALSE(hint().contains(u"memory of the device"_s)) << hint().toStdString();
  choose_memory(std::int64_t{24} << 30);
  EXPECT_EQ(field().text(), u"3 MiB"_s);
}

TEST_F(DeviceBudget, FollowsTheDeviceInASessionThatIsOpenedAgain) {
  make_it_fit();
  const QString session = in_folder(u"way.stashscope"_s);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return document().files().session_path() == session; }));
  open(session);
  choose_memory(std::int64_t{24} << 30);
  EXPECT_EQ(field().text(), u"24 GiB"_s);
  open(sample(u"lenet"_s));
  EXPECT_EQ(field().text(), u"70 %"_s);
}

TEST_F(DeviceBudget, ALongAmountIsShownWhole) {
  type_budget(u"15784004812 B"_s);
  QTest::keyClick(&field(), Qt::Key_Tab);
  QCoreApplication::processEvents();
  for (const QLineEdit* const each : {&field(), &toolbar()}) {
    EXPECT_TRUE(shows_all(*each)) << each->objectName().toStdString();
  }
  type_budget(u"1578400481215784004812.1578400481215784004812 B"_s);
  QTest::keyClick(&field(), Qt::Key_Tab);
  for (const QLineEdit* const each : {&field(), &toolbar()}) {
    EXPECT_EQ(each->cursorPosition(), 0) << "the first digits are seen";
  }
}

}  // namespace device_budget_test
}  // namespace stashscope::ui::test
