// The buttons of the answer bar that a user clicks again and again keep their place.

#include <QLabel>
#include <QPushButton>

#include "core/base/text.h"
#include "tests/ui/support/window_test.h"
#include "ui/window/answer_bar.h"

namespace stashscope::ui::test {
namespace answer_places_test {

using namespace Qt::StringLiterals;

class AnswerPlaces : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  QString answer() { return find<QLabel>(u"answer_text"_s).text(); }
  QPushButton& move() { return find<QPushButton>(u"answer_move_0"_s); }
  int place() { return move().mapTo(&window(), QPoint()).x(); }
  [[nodiscard]] bool offers_moves() {
    return comes_true([this] { return move().isVisible(); });
  }
  [[nodiscard]] bool knows_all() {
    return comes_true([this] { return find<AnswerBar>(u"answer_bar"_s).is_settled(); });
  }
};

TEST_F(AnswerPlaces, MovesKeepTheirPlaceWhenOneIsApplied) {
  Choices choices = document().choices();
  choices.times.profile.memory_bytes = peak() * 3 / 2;
  document().choose(choices, u"device"_s);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(offers_moves());
  const int first = place();
  ASSERT_TRUE(knows_all());
  EXPECT_EQ(place(), first) << "the largest batch is found later";
  EXPECT_FALSE(find<QWidget>(u"answer_samples"_s).isVisible());
  int seen = 0;
  for (int applied = 0; applied < 2; ++applied) {
    click(move());
    ASSERT_TRUE(settles());
    ASSERT_TRUE(offers_moves());
    ASSERT_TRUE(knows_all());
    QTest::qWait(0);  // The bar places its buttons in an event of its own.
    EXPECT_EQ(place(), first) << answer().toStdString();
    auto& samples = find<QWidget>(u"answer_samples"_s);
    const int end = samples.mapTo(&window(), QPoint(samples.width(), 0)).x();
    if (samples.isVisible()) {
      EXPECT_GT(end, window().width() - 40);
    }
    seen += samples.isVisible() ? 1 : 0;
  }
  EXPECT_GT(seen, 0) << "with a move a larger batch fits";
}

TEST_F(AnswerPlaces, PlansAddTheirTimeInAFewWords) {
  ASSERT_TRUE(offers_moves());
  const int first = place();
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  const QString percent =
      QString::fromStdString(format_fixed(extra_seconds_percent(*document().study()), 1));
  EXPECT_TRUE(answer().contains(u"(+%1 %)"_s.arg(percent))) << answer().toStdString();
  EXPECT_TRUE(find<QWidget>(u"answer_text"_s).toolTip().contains(u"of the time are for plans"_s));
  ASSERT_TRUE(offers_moves());
  EXPECT_EQ(place(), first);
}

}  // namespace answer_places_test
}  // namespace stashscope::ui::test
