#include "ui/models/study_model.h"

namespace stashscope::ui {

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
  unit_ = byte_unit(study_ == nullptr ? 0 : largest_bytes(*study_));
}

}  // namespace stashscope::ui
