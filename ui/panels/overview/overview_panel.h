#pragma once

#include <QComboBox>
#include <QToolButton>

#include "ui/document/document.h"
#include "ui/memory/icicle_view.h"
#include "ui/models/module_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// What holds the memory at the cursor, as an icicle, and the modules that hold most at the peak.
/// Choosing a group selects the nodes that make its tensors in every view. Computes nothing while
/// it is hidden.
class OverviewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewPanel(Document& document, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_heading();
  void make_table();
  MemoryGrouping grouping() const;
  void show_study();
  void show_moment();
  void show_heading();
  void choose_group(std::uint32_t node, bool added);
  void choose_module(int row);

  Document& document_;
  QComboBox* grouping_;
  QToolButton* zoom_out_;
  ElidedLabel* heading_;
  IcicleView* icicle_;
  ModuleModel model_;
  TableView* table_;
  std::shared_ptr<const Study> shown_study_;
  std::optional<MemoryGrouping> shown_grouping_;
  std::size_t shown_slot_ = 0;
};

}  // namespace stashscope::ui
