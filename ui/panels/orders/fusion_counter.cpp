#include "ui/panels/orders/fusion_counter.h"

#include "core/study/step/fusion_table.h"
#include "ui/jobs/failure.h"

namespace stashscope::ui {

FusionCounter::~FusionCounter() { cancel(); }

void FusionCounter::cancel() {
  progress_.cancel();
  ++generation_;
  is_busy_ = false;
}

void FusionCounter::count(std::shared_ptr<const Study> study) {
  cancel();
  progress_ = Progress();
  is_busy_ = true;
  thread_.post([this, study = std::move(study), progress = progress_, generation = generation_] {
    std::vector<FusionRow> rows;
    const auto failure =
        failure_of([&] { rows = fusion_table(*study, SearchedOrders::search, progress); });
    if (failure) rows.clear();
    QMetaObject::invokeMethod(
        this,
        [this, rows = std::move(rows), generation] {
          if (generation != generation_) return;
          is_busy_ = false;
          Q_EMIT counted(rows);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace stashscope::ui
