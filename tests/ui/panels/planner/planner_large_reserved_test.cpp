// Budgets and largest sizes for reserved memory with room for memory outside tensors.

#include <QLineEdit>

#include "tests/ui/panels/planner/planner_reserved.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace planner_large_reserved_test {

/// A step of several GiB, so that a CUDA context is a small part of its device.
class LargeReserved : public PlannerReserved {
 protected:
  void SetUp() override {
    PlannerReserved::SetUp();
    choose([](Choices& choices) { choices.dims["inputs_input_ids_dim0"] = 16384; });
    plain_ = document().choices();
  }
  std::int64_t most_taken() { return document().reserved()->device.high_bytes; }
  /// The step without plans and passes on a device with this percentage of what it reserves.
  std::int64_t start(const char* settings, int percent) {
    choose([&](Choices& choices) {
      choices = plain_;
      choices.allocator = settings;
    });
    const std::int64_t memory = reserved() / 100 * percent;
    set_device_memory(memory);
    return memory;
  }

  Choices plain_;
};

TEST_F(LargeReserved, MakeItFitFitsByTheJudgementOfTheAnswerBar) {
  for (const char* settings : {"", "expandable_segments:True", "roundup_power2_divisions:4"}) {
    for (const int percent : {99, 80, 40}) {
      const std::int64_t memory = start(settings, percent);
      const std::string where = std::string(settings) + " " + std::to_string(percent);
      ASSERT_GT(reserved(), memory);
      const bool exceeds = peak() <= memory;
      EXPECT_TRUE(bar().contains(exceeds ? u"exceeds"_s : u"not fit"_s)) << bar().toStdString();
      ASSERT_TRUE(make_fit().isVisible()) << where;
      EXPECT_TRUE(make_fit().toolTip().contains(u"reserved memory"_s));
      click(make_fit());
      ASSERT_TRUE(ends());
      EXPECT_EQ(fits().currentText(), u"reserved memory"_s);
      ASSERT_NE(planning().answer(), nullptr);
      ASSERT_TRUE(planning().answer()->feasible) << where << answer().toStdString();
      EXPECT_EQ(reserved(), planning().answer()->reserved_bytes) << where;
      EXPECT_EQ(document().reserved()->device, planning().answer()->device) << where;
      EXPECT_LE(most_taken(), memory) << where;
      EXPECT_TRUE(answer().contains(u"upper figure is within its %1"_s.arg(bytes_text(memory))))
          << answer().toStdString();
      EXPECT_TRUE(answer().contains(bytes_text(most_taken()))) << answer().toStdString();
      EXPECT_TRUE(bar().contains(u"reserved memory fits "_s))
          << where << ": " << bar().toStdString();
      EXPECT_FALSE(bar().contains(u"context"_s)) << where << ": " << bar().toStdString();
      EXPECT_FALSE(make_fit().isVisible()) << where;
    }
  }
}

TEST_F(LargeReserved, MakeItFitIsOfferedWhereOnlyTheContextHasNoRoom) {
  start("", 100);
  const std::int64_t lowest = document().reserved()->device.low_bytes;
  set_device_memory(lowest - 1);
  ASSERT_LT(reserved(), lowest - 1);
  EXPECT_TRUE(bar().contains(u"not with the CUDA context"_s)) << bar().toStdString();
  ASSERT_TRUE(make_fit().isVisible());
  click(make_fit());
  ASSERT_TRUE(ends());
  EXPECT_LT(most_taken(), lowest);
  EXPECT_FALSE(bar().contains(u"context"_s)) << bar().toStdString();
  start("", 100);
  set_device_memory(lowest);
  ASSERT_GT(most_taken(), lowest);
  EXPECT_TRUE(bar().contains(u"perhaps not with the CUDA context"_s)) << bar().toStdString();
  ASSERT_TRUE(make_fit().isVisible());
  click(make_fit());
  ASSERT_TRUE(ends());
  EXPECT_LE(most_taken(), lowest);
  EXPECT_FALSE(bar().contains(u"context"_s)) << bar().toStdString();
  set_device_memory(most_taken());
  QLabel& text = find<QLabel>(u"answer_text"_s);
  EXPECT_FALSE(text.toolTip().contains(u"more than the device has"_s));
}

TEST_F(LargeReserved, ADeviceWithoutRoomForTheContextIsNotMet) {
  const Choices before = document().choices();
  start("", 100);
  set_device_memory(std::int64_t{500} << 20);
  click(make_fit());
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().answer(), nullptr);
  EXPECT_FALSE(planning().answer()->feasible);
  EXPECT_TRUE(answer().contains(u"upper figure is more than its 500 MiB"_s))
      << answer().toStdString();
  EXPECT_EQ(document().choices().plans, before.plans);
}

TEST_F(LargeReserved, TheLargestSizeLeavesRoomForTheContext) {
  const std::int64_t memory = start("", 80);
  choose_entry(u"planner_fits"_s, 1);
  set_time_limit(1);
  type_into(*find<QComboBox>(u"fit_dimension"_s).lineEdit(), u"inputs_input_ids_dim0"_s);
  QTest::keyClick(&find<QComboBox>(u"fit_dimension"_s), Qt::Key_Return);
  ASSERT_TRUE(ends());
  ASSERT_NE(planning().fit(), nullptr) << sizes().toStdString();
  const VariantFit& current = planning().fit()->current;
  ASSERT_TRUE(current.largest && current.largest->device && current.next && current.next->device);
  EXPECT_LE(current.largest->device->high_bytes, memory);
  EXPECT_GT(current.next->device->high_bytes, memory);
  EXPECT_LE(current.next->reserved_bytes, memory) << "only the context has no room";
  const QString most = u"with the CUDA context and libraries up to %1"_s;
  EXPECT_TRUE(sizes().contains(most.arg(bytes_text(current.largest->device->high_bytes))))
      << sizes().toStdString();
  EXPECT_TRUE(status().contains(u"with the CUDA context: "_s)) << status().toStdString();
  ASSERT_NE(planning().replanned(), nullptr);
  const PlannedFit planned = *planning().replanned()->largest;
  ASSERT_TRUE(planned.device);
  EXPECT_LE(planned.device->high_bytes, memory);
  click(find<QPushButton>(u"use_replanned_button"_s));
  ASSERT_TRUE(settles());
  EXPECT_EQ(most_taken(), planned.device->high_bytes);
  EXPECT_FALSE(bar().contains(u"context"_s)) << bar().toStdString();
}

TEST_F(LargeReserved, TheBatchThatTheBarOffersLeavesRoomForTheContext) {
  const std::int64_t memory = start("", 80);
  auto& samples = find<QPushButton>(u"answer_samples"_s);
  ASSERT_TRUE(comes_true([&] { return samples.isVisible(); }));
  click(samples);
  ASSERT_TRUE(settles());
  EXPECT_LE(most_taken(), memory);
  EXPECT_FALSE(bar().contains(u"context"_s)) << bar().toStdString();
}

/// A budget that was typed limits what is reserved, and leaves the rest to the user.
TEST_F(LargeReserved, ATypedBudgetLeavesNoRoomForTheContext) {
  start("", 100);
  choose_entry(u"planner_fits"_s, 1);
  plan_for(QString::number(reserved() / 10 * 9) + u" B"_s);
  ASSERT_NE(planning().answer(), nullptr);
  EXPECT_TRUE(planning().answer()->feasible);
  EXPECT_FALSE(planning().answer()->device);
  EXPECT_FALSE(answer().contains(u"CUDA context"_s)) << answer().toStdString();
}

TEST_F(LargeReserved, MakeItFitFitsByPlansAlone) {
  start("", 99);
  click(make_fit());
  ASSERT_TRUE(ends());
  ASSERT_FALSE(document().choices().graph.passes.empty()) << "no free pass is left";
  for (int times = 0; times < 2; ++times) {
    const std::int64_t memory = reserved() / 10 * 8;
    set_device_memory(memory);
    click(make_fit());
    ASSERT_TRUE(ends());
    ASSERT_NE(planning().answer(), nullptr);
    EXPECT_TRUE(planning().answer()->feasible);
    EXPECT_TRUE(planning().passes_of_answer().empty());
    EXPECT_EQ(reserved(), planning().answer()->reserved_bytes);
    EXPECT_LE(most_taken(), memory);
    EXPECT_TRUE(bar().contains(u"fits"_s) && !bar().contains(u"exceeds"_s)) << bar().toStdString();
  }
}

}  // namespace planner_large_reserved_test
}  // namespace stashscope::ui::test
