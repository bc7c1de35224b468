#include "ui/widgets/paced_panels.h"

#include <gtest/gtest.h>

#include <QMainWindow>
#include <algorithm>

#include "tests/ui/support/samples.h"

namespace stashscope::ui::test {
namespace paced_panels_test {

class PacedDocks : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      docks_.push_back(new QDockWidget);
      docks_.back()->setWidget(new QWidget);
      window_.addDockWidget(Qt::LeftDockWidgetArea, docks_.back());
    }
    window_.show();
  }
  std::size_t held() const {
    return static_cast<std::size_t>(std::ranges::count(
        docks_, false, [](QDockWidget* dock) { return dock->updatesEnabled(); }));
  }

  QMainWindow window_;
  std::vector<QDockWidget*> docks_;
  PacedPanels paced_;
};

TEST_F(PacedDocks, AreDrawnOneAfterTheOther) {
  paced_.draw(docks_);
  EXPECT_EQ(held(), 3U);
  EXPECT_TRUE(comes_true([this] {
    EXPECT_EQ(held(), paced_.waiting());
    return paced_.waiting() == 0;
  }));
  EXPECT_EQ(held(), 0U);
}

TEST_F(PacedDocks, OfTwoQuickChangesAreDrawnOnce) {
  paced_.draw(docks_);
  docks_[1]->hide();
  paced_.draw(docks_);
  EXPECT_EQ(paced_.waiting(), 2U);
  EXPECT_TRUE(docks_[1]->updatesEnabled()) << "a hidden panel is not held";
  delete docks_[0];
  docks_.erase(docks_.begin());
  EXPECT_TRUE(comes_true([this] { return paced_.waiting() == 0; }));
  EXPECT_EQ(held(), 0U);
}

}  // namespace paced_panels_test
}  // namespace stashscope::ui::test
