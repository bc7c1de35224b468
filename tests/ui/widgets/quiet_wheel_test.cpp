// The wheel scrolls panels; it changes a field only after the user clicked the field.

#include "ui/widgets/quiet_wheel.h"

#include <QApplication>
#include <QComboBox>
#include <QSpinBox>
#include <QWheelEvent>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace quiet_wheel_test {

using namespace Qt::StringLiterals;

class Wheel : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  static void turn_over(QWidget& widget) {
    const QPointF place = widget.rect().center();
    QWheelEvent turned(place, widget.mapToGlobal(place), {}, {0, -240}, Qt::NoButton,
                       Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &turned);
  }
};

TEST_F(Wheel, DoesNotChangeWhatIsOnlyBelowIt) {
  window().graph().view().setFocus();
  int fields = 0;
  for (QSpinBox* const box : window().findChildren<QSpinBox*>()) {
    if (!box->isVisible() || !box->isEnabled()) continue;
    const int before = box->value();
    turn_over(*box);
    EXPECT_EQ(box->value(), before) << box->objectName().toStdString();
    EXPECT_EQ(box->focusPolicy(), Qt::StrongFocus) << box->objectName().toStdString();
    ++fields;
  }
  for (QComboBox* const box : window().findChildren<QComboBox*>()) {
    if (!box->isVisible() || !box->isEnabled()) continue;
    const int before = box->currentIndex();
    turn_over(*box);
    EXPECT_EQ(box->currentIndex(), before) << box->objectName().toStdString();
    ++fields;
  }
  EXPECT_GT(fields, 4);
}

TEST_F(Wheel, ChangesAFieldThatHasTheFocus) {
  for (QSpinBox* const box : window().findChildren<QSpinBox*>()) {
    if (!box->isVisible() || !box->isEnabled() || box->value() == box->minimum()) continue;
    window().activateWindow();
    box->setFocus();
    ASSERT_TRUE(box->hasFocus());
    const int before = box->value();
    turn_over(*box);
    EXPECT_LT(box->value(), before);
    return;
  }
  FAIL() << "no number field";
}

}  // namespace quiet_wheel_test
}  // namespace stashscope::ui::test
