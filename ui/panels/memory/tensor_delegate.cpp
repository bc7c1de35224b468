#include "ui/panels/memory/tensor_delegate.h"

namespace stashscope::ui {

QString TensorDelegate::shortened(const QModelIndex& index, const Fits& fits) const {
  if (!names_) names_.emplace(all_());
  return names_->shortened(index.data().toString(), fits);
}

}  // namespace stashscope::ui
