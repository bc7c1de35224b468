#pragma once

#include <QLabel>
#include <QToolButton>

#include "ui/document/document.h"
#include "ui/models/alive_model.h"
#include "ui/panels/memory/tensor_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Shows the memory that is alive at the memory cursor: the bytes of each band, and a table of the
/// tensors.
class AlivePanel : public QWidget {
  Q_OBJECT

 public:
  explicit AlivePanel(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// Requests that this node is selected and shown, even if it is hidden. The cursor stays.
  void node_wanted(stashscope::NodeId node);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_heading();
  void make_table();
  void show_moment();
  void show_bands();
  /// Hides the text of the bands if it would leave room for fewer than 3 rows of the table.
  void fit_bands();

  Document& document_;
  AliveModel model_;
  ElidedLabel* heading_;
  QToolButton* to_peak_;
  QLabel* bands_;
  TableView* table_;
  TensorDelegate* names_;
  const Study* shown_study_ = nullptr;
  std::size_t shown_slot_ = 0;
};

}  // namespace stashscope::ui
