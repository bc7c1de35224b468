// The buttons of the answer bar that a user clicks again and again keep their place.

#include <QLabel>
#include <QPushButton>

#include "core/base/text.h"
#include "core/study/facts/peak_floor.h"
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
    EXPECT_EQ(place(), first) << bar().toStdString();
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
  EXPECT_TRUE(bar().contains(u"(+%1 %)"_s.arg(percent))) << bar().toStdString();
  EXPECT_TRUE(find<QWidget>(u"answer_text"_s).toolTip().contains(u"of the time are for plans"_s));
  ASSERT_TRUE(offers_moves());
  EXPECT_EQ(place(), first);
}

class AnswerRoom : public AnswerPlaces {
 protected:
  void set_memory(std::int64_t bytes) {
    choose_memory(bytes);
    ASSERT_TRUE(knows_all());
    QTest::qWait(0);
  }
  void set_batch(std::int64_t batch) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = batch;
    document().choose(choices, u"batch"_s);
    ASSERT_TRUE(settles());
    ASSERT_TRUE(knows_all());
    QTest::qWait(0);
  }
  void expect_whole() {
    const auto& text = find<QLabel>(u"answer_text"_s);
    EXPECT_GE(text.width(), text.sizeHint().width()) << bar().toStdString();
    EXPECT_LE(text.geometry().right(), find<QWidget>(u"answer_bar"_s).width());
  }
  bool has(const QString& button) { return find<QWidget>(button).isVisible(); }
};

/// A long answer once needed the whole bar. The next one is short, and leaves room for buttons.
TEST_F(AnswerRoom, AShortAnswerAfterALongOneLeavesRoomForButtons) {
  window().resize(1366, 768);
  set_batch(8);
  const std::int64_t room = peak() - 1024;
  const std::int64_t floor = peak_floor(*document().study()).bytes;
  set_memory(room);
  ASSERT_TRUE(has(u"answer_fit"_s)) << bar().toStdString();
  ASSERT_TRUE(has(u"answer_samples"_s));
  set_memory(floor - 1024);
  expect_whole();
  set_memory(room);
  EXPECT_TRUE(has(u"answer_fit"_s)) << bar().toStdString();
  EXPECT_TRUE(has(u"answer_samples"_s));
  EXPECT_TRUE(bar().contains(u"nodes take"_s)) << bar().toStdString();
  expect_whole();
  set_batch(64);
  expect_whole();
  set_batch(8);
  EXPECT_TRUE(has(u"answer_fit"_s)) << "the device stayed: " << bar().toStdString();
  EXPECT_TRUE(has(u"answer_samples"_s));
  expect_whole();
}

/// Parts of the answer are left out whole, the longest first, and the tip has them.
TEST_F(AnswerRoom, PartsWithoutRoomAreLeftOut) {
  set_memory(peak_floor(*document().study()).bytes - 1024);
  const auto& text = find<QLabel>(u"answer_text"_s);
  int left_out = 0;
  for (int width = 1366; width >= 800; width -= 40) {
    window().resize(width, 768);
    QTest::qWait(0);
    expect_whole();
    if (bar().contains(u"no plan frees"_s)) continue;
    ++left_out;
    EXPECT_TRUE(bar().contains(u"not fit"_s)) << bar().toStdString();
    EXPECT_TRUE(text.toolTip().contains(u"No plan frees"_s));
  }
  EXPECT_GT(left_out, 0);
}

TEST_F(AnswerRoom, MeasuredTimesNameTheirDevice) {
  click(find<QPushButton>(u"run_button"_s));
  ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
  ASSERT_TRUE(knows_all());
  EXPECT_TRUE(bar().contains(u" on cpu"_s)) << bar().toStdString();
  EXPECT_TRUE(bar().contains(u"measured"_s)) << bar().toStdString();
  const QString tip = find<QLabel>(u"answer_text"_s).toolTip();
  EXPECT_TRUE(tip.contains(u"measured on cpu"_s)) << tip.toStdString();
  EXPECT_TRUE(tip.contains(u"mean of the two times"_s)) << tip.toStdString();
}

}  // namespace answer_places_test
}  // namespace stashscope::ui::test
