#pragma once

#include <optional>

#include "core/base/units.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The tensors alive at one slot of the current variant, largest first.
class AliveModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { tensor, bytes, role, life, type };

  explicit AliveModel(QObject* parent = nullptr);

  /// A null study empties the table.
  void set_moment(std::shared_ptr<const Study> study, std::size_t slot);
  /// Colours for a dark or a light ground.
  void set_dark(bool dark);
  /// The full names of all tensors, in no particular order.
  QStringList names() const;
  /// The node that makes the tensor of a row; invalid for inputs and parameters.
  NodeId maker(int row) const;
  /// The node that made the tensor, else its first reader; invalid if no node has to do with it.
  NodeId maker_or_reader(int row) const;

 protected:
  int rows() const override { return static_cast<int>(alive_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  // Rows in the first order.
  const Buffer& buffer(int row) const;
  const AliveTensor& described(int row) const;
  QVariant sort_value(int row, int column) const;
  QVariant exact_value(int row, int column) const;
  Band band(int row) const;
  QString name(int row) const;
  QString life_text(const Buffer& buffer) const;

  std::shared_ptr<const Study> study_;
  std::vector<BufferId> alive_;
  ColumnUnit unit_;
  bool is_dark_ = false;
  std::size_t slot_ = 0;
  mutable IdVector<BufferId, Band> bands_;  ///< at `slot_`; empty until a band is first asked for
  /// Descriptions of the tensors. Each description is made when its row is first shown, because
  /// there may be thousands of rows.
  mutable std::vector<std::optional<AliveTensor>> described_;
};

}  // namespace stashscope::ui
