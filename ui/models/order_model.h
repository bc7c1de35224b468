#pragma once

#include "core/study/step/moved_order.h"
#include "ui/models/study_model.h"

namespace stashscope::ui {

/// The execution orders and their peaks.
class OrderModel : public StudyModel {
  Q_OBJECT

 public:
  enum Column { name, peak, change };

  explicit OrderModel(QObject* parent = nullptr);

  OrderRow order_row(int row) const { return at(first_row(row)); }

 protected:
  bool same_rows(const Study& a, const Study& b) const override;
  int rows_of(const Study& study) const override {
    return static_cast<int>(order_rows(study).size());
  }
  QVariant cell(int row, int column, int role) const override;

 private:
  OrderRow at(int row) const { return order_rows(study())[static_cast<std::size_t>(row)]; }
  static QString name_text(const OrderRow& row);
  static QString tool_tip(const OrderRow& row, int column);
  QString text(const OrderRow& row, int column) const;
  bool is_chosen(const OrderRow& row) const { return row.name == order_in_force(study()); }
};

}  // namespace stashscope::ui
