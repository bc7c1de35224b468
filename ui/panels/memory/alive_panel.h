#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <array>

#include "ui/document/document.h"
#include "ui/models/alive_model.h"
#include "ui/panels/memory/tensor_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Shows the memory that is alive at the memory cursor, or the tensors of the whole step: the bytes
/// of each band, and a table of the tensors. A click on a band limits the table to the tensors of
/// this band.
class AlivePanel : public QWidget {
  Q_OBJECT

 public:
  explicit AlivePanel(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// Requests to select this node and to show it, even if it is hidden. The cursor stays.
  void node_wanted(stashscope::NodeId node);
  /// Requests to select this tensor, which no node makes, and to show its readers.
  void tensor_wanted(stashscope::ValueId tensor);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_heading();
  void make_table();
  bool shows_step() const { return extent_->currentIndex() > 0; }
  /// Lists the tensors at the cursor, the stashed tensors of the step, or all tensors of the step.
  void choose_extent(int index);
  void keep_band_of_extent(int index);
  void choose_band(const QString& link);
  void show_moment();
  void show_step();
  void show_heading();
  /// Shows the heading. If it does not fit, leaves out `tensors`, then `where`, too.
  void tell(const QString& where, const QString& bytes, const QString& tensors);
  void show_bands();
  /// Hides the text of the bands if it would leave room for fewer than 6 rows of the table.
  void fit_bands();
  void fit_columns();

  Document& document_;
  AliveModel model_;
  ElidedLabel* heading_;
  QComboBox* extent_;
  QToolButton* to_peak_;
  QLabel* bands_;
  TableView* table_;
  TensorDelegate* names_;
  const Study* shown_study_ = nullptr;
  std::size_t shown_slot_ = 0;
  /// The widths at the last `fit_columns`: of the table's viewport, then of the columns for bytes,
  /// roles and slots.
  std::array<int, 4> fitted_{};
};

}  // namespace stashscope::ui
