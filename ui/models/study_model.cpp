#include "ui/models/study_model.h"

#include "ui/text/texts.h"

namespace stashscope::ui {

QString peak_text(std::int64_t bytes, std::int64_t peak, const ColumnUnit& unit) {
  return bytes == peak ? bytes_text(bytes) : bytes_text(bytes, unit);
}

void StudyModel::set_study(std::shared_ptr<const Study> study) {
  if (study != nullptr && study_ != nullptr && same_rows(*study, *study_)) {
    take(std::move(study));
    cells_changed();
    return;
  }
  beginResetModel();
  take(std::move(study));
  endResetModel();
}

void StudyModel::take(std::shared_ptr<const Study> study) {
  study_ = std::move(study);
  unit_ = own_byte_unit(study_ == nullptr ? 0 : study_->current->timeline.peak_bytes);
}

}  // namespace stashscope::ui
