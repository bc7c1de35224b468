#include "ui/panels/planner/device_answer.h"

#include <QCoreApplication>

#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

struct DeviceAnswer {
  Q_DECLARE_TR_FUNCTIONS(DeviceAnswer)
};

}  // namespace

QString device_answer_text(const BudgetAnswer& answer) {
  if (!answer.device) return {};
  const std::int64_t limit = *answer.request.device_bytes;
  const std::int64_t most = answer.device->high_bytes;
  const QString verdict = most <= limit ? DeviceAnswer::tr("the upper figure is within its %1")
                                        : DeviceAnswer::tr("the upper figure is more than its %1");
  return planner_paragraph(
      DeviceAnswer::tr("With the CUDA context and the workspaces of libraries, the step then takes "
                       "%1 to <b>%2</b> of the device: %3.")
          .arg(bytes_text_beside(answer.device->low_bytes, limit), bytes_text_beside(most, limit),
               verdict.arg(bytes_text_beside(limit, most))));
}

QString most_of_device_text(const std::optional<DeviceMemory>& device) {
  if (!device) return {};
  return DeviceAnswer::tr(", with the CUDA context and libraries up to %1")
      .arg(bytes_text(device->high_bytes));
}

}  // namespace stashscope::ui
