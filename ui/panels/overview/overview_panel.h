#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QToolButton>

#include "ui/document/choice_words.h"
#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"
#include "ui/memory/icicle_view.h"
#include "ui/models/module_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Shows the groups of tensors that hold memory at the memory cursor as an icicle chart, and a
/// table of the modules by their bytes at the peak. Choosing a group selects, in every view, the
/// nodes that make the tensors of the group. Tensors are grouped in the background, while the panel
/// is visible.
class OverviewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewPanel(Document& document, QWidget* parent = nullptr);

  /// Whether no grouping of tensors is in progress.
  bool is_settled() const { return !work_.is_busy(); }

 Q_SIGNALS:
  /// The user wants to set the size of this dimension.
  void size_wanted(const QString& dimension);
  /// The user wants to choose another optimizer. @param at global screen position at which the menu
  /// opens
  void optimizer_wanted(const QPoint& at);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// The groups of the tensors of a study.
  struct Groups {
    std::shared_ptr<const Study> study;
    MemoryTree tree;
    NodeModules node_modules;
    std::vector<ModuleGroup> modules;
    ModuleLevel level = ModuleLevel::innermost;
  };
  static Groups groups_of(std::shared_ptr<const Study> study, MemoryGrouping grouping,
                          EqualBlocks blocks, ModuleLevel level);

  QWidget* make_heading();
  QWidget* make_sizes();
  void make_table();
  QWidget* make_modules();
  ModuleLevel level() const;
  MemoryGrouping grouping() const;
  EqualBlocks blocks() const;
  void open_row(bool open);
  void show_study();
  void show_groups(Groups groups);
  void show_moment();
  void mark_selected();
  void follow_selection();
  bool holds_selected(std::uint32_t group) const;
  /// Whether the table of modules shows the document's study.
  bool is_table_current() const;
  /// Whether the icicle shows the document's study at the memory cursor.
  bool is_icicle_current() const;
  void show_heading();
  void show_sizes();
  void follow_link(const QString& link);
  ValueId given_tensor_at(std::uint32_t node) const;
  void choose_group(std::uint32_t node, bool added);
  void take_module(int row);
  void choose_module(const std::string& module, bool is_sum);
  void zoom_to_wanted();
  void forget_model();

  Document& document_;
  QComboBox* grouping_;
  QCheckBox* sum_blocks_;
  QToolButton* zoom_out_;
  ElidedLabel* heading_;
  QToolButton* to_peak_;
  LinkLabel* sizes_;               ///< the sizes and the optimizer, as links
  std::vector<NamedSize> linked_;  ///< the sizes that the links lead to
  IcicleView* icicle_;
  ModuleModel model_;
  TableView* table_;
  ElidedLabel* modules_heading_;
  QCheckBox* layers_;
  ModuleLevel shown_level_ = ModuleLevel::innermost;  ///< level of the modules in the table
  std::shared_ptr<const Study> shown_study_;
  NodeModules node_modules_;  ///< of the shown study
  std::size_t shown_slot_ = 0;
  std::string wanted_module_;   ///< module to zoom to once its box exists; empty: none
  bool is_taking_row_ = false;  ///< true while a click on a row changes the selection
  Selection of_row_;            ///< what the click on the highlighted row selected
  /// Whether equal blocks were summed before a click on a row changed that; empty if no click did.
  std::optional<bool> sums_without_row_;
  LatestAnswer<Groups> work_{*this, JobThread::Urgency::normal};
};

}  // namespace stashscope::ui
