#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <functional>

#include "core/study/reserved/reserved_memory.h"
#include "tests/ui/panels/planner/planner_test.h"

namespace stashscope::ui::test {

using namespace Qt::StringLiterals;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The panel Planner, and what a test of reserved memory presses and reads.
class PlannerReserved : public Planner {
 protected:
  QComboBox& fits() { return find<QComboBox>(u"planner_fits"_s); }
  QPushButton& make_fit() { return find<QPushButton>(u"answer_fit"_s); }
  QString sizes() { return find<QLabel>(u"fit_answer"_s).text(); }
  std::int64_t reserved() { return document().reserved()->memory.reserved_bytes; }

  void switch_allocator() {
    click(find<QToolButton>(u"memory_reserved"_s));
    ASSERT_TRUE(settles());
  }
  void choose(const std::function<void(Choices&)>& change) {
    Choices choices = document().choices();
    change(choices);
    document().choose(choices, u"test"_s);
    ASSERT_TRUE(settles());
  }
  void set_device_memory(std::int64_t bytes) {
    choose([&](Choices& choices) { choices.times.device_memory = bytes; });
  }
  void plan_for(const QString& budget) {
    type_budget(budget);
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_TRUE(ends());
  }
  /// The answer of the engine to a budget for the reserved memory of an allocator.
  static BudgetAnswer engine_answer(const Study& study, std::int64_t bytes,
                                    const AllocatorSettings& settings = {}) {
    BudgetRequest request{bytes, PlanGranularity::cluster, {1, 0, 1}};
    request.allocator = settings;
    ParetoFront archive;
    return plan_for_budget(study, request, archive, Progress());
  }
};

}  // namespace stashscope::ui::test
