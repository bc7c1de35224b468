#pragma once

#include <optional>

#include "core/base/units.h"
#include "core/study/facts/step_tensors.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/models/table_model.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The tensors of the current variant that are alive at one slot, or those of the whole step,
/// largest first.
class AliveModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { tensor, bytes, role, life, type, made_by, last_read_by, module };

  explicit AliveModel(QObject* parent = nullptr);

  /// Shows the tensors that are alive at a slot. A null study empties the table.
  void set_moment(std::shared_ptr<const Study> study, std::size_t slot);
  /// Shows the tensors of the whole step, whenever they are alive.
  void set_step(std::shared_ptr<const Study> study);
  /// Shows only the tensors of one band; without a band, all tensors.
  void keep_band(std::optional<Band> band);
  std::optional<Band> kept_band() const { return kept_; }
  /// The bytes of each band, counting all tensors, shown or not.
  const BandBytes& bytes_by_band() const { return sums_; }
  std::int64_t shown_bytes() const;
  /// Sets the theme that gives the bands their colours.
  void set_theme(const Theme& theme);
  /// The full names of the shown tensors, in no particular order.
  QStringList names() const;
  /// The node that makes the tensor of a row; invalid for inputs and parameters.
  NodeId maker(int row) const;
  /// The tensor of a row; for an optimizer state, its parameter.
  ValueId root(int row) const { return buffer(first_row(row)).root; }

 protected:
  int rows() const override { return static_cast<int>(alive_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  // In the following functions, `row` is the number of a row in the first order (`TableModel`).
  const Buffer& buffer(int row) const;
  const AliveTensor& described(int row) const;
  QVariant sort_value(int row, int column) const;
  QVariant exact_value(int row, int column) const;
  Band band(int row) const;
  Band band_of(BufferId id) const { return bands_[id]; }
  void show(std::shared_ptr<const Study> study);
  void list();
  NodeId last_reader(int row) const;
  QString role_tip(int row) const;
  QString node_name(NodeId node) const;
  QString name(int row) const;
  QString life_text(const Buffer& buffer) const;

  std::shared_ptr<const Study> study_;
  std::vector<BufferId> all_;    ///< tensors of the slot or of the step
  std::vector<BufferId> alive_;  ///< the tensors of `all_` that are shown, in the first order
  std::optional<Band> kept_;
  BandBytes sums_ = {};
  ColumnUnit unit_;
  Theme theme_ = light_theme();
  IdVector<BufferId, Band> bands_;  ///< band of each tensor at the slot, or for its whole life
  mutable IdVector<BufferId, NodeId> last_readers_;          ///< computed at the first use
  mutable IdVector<BufferId, std::vector<BandSpan>> spans_;  ///< computed at the first use
  /// Descriptions of the tensors. Each description is made when its row is first shown, because
  /// there may be thousands of rows.
  mutable std::vector<std::optional<AliveTensor>> described_;
};

}  // namespace stashscope::ui
