#pragma once

#include "core/study/edits/order_edits.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The user's edits of the order and of the fusion groups, on top of the chosen strategies.
class EditModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { edit, state };

  explicit EditModel(QObject* parent = nullptr);

  void set_edits(std::vector<OrderEdit> edits);
  QString edit_text(int row) const;

 protected:
  int rows() const override { return static_cast<int>(edits_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  std::vector<OrderEdit> edits_;
};

}  // namespace stashscope::ui
