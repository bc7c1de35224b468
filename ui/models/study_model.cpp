#include "ui/models/study_model.h"

namespace stashscope::ui {

void StudyModel::set_study(std::shared_ptr<const Study> study) {
  if (study != nullptr && study_ != nullptr && same_rows(*study, *study_)) {
    study_ = std::move(study);
    cells_changed();
    return;
  }
  beginResetModel();
  study_ = std::move(study);
  endResetModel();
}

}  // namespace stashscope::ui
