#pragma once

#include <QAbstractItemModel>
#include <map>
#include <memory>
#include <optional>

#include "core/base/units.h"
#include "core/study/edits/edits.h"
#include "core/study/facts/named_sizes.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "ui/models/table_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

/// The plans of a study as a tree: groups of plans that exclude each other, plans, and their
/// occurrences in the model; at the end, the stashed tensors without a plan. If the user changes a
/// tick or a count, the tree requests an edit by a signal; the new state arrives with the next
/// study. If that study has the same plans, only cells change, so that the view keeps its
/// expansion, selection and scrolling.
class PlanTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column {
    plan,
    frequency,
    count,
    saving,
    saved,
    at_peak,
    time,
    per_time,
    config,
    why_not,
    layer,
    made,
    last_read,
    symbolic,
    peak_change
  };
  enum class Kind { group, plan, occurrence, section, tensor };
  /// Item role of the value that rows are sorted by.
  static constexpr int sort_role = TableModel::sort_role;

  explicit PlanTreeModel(QObject* parent = nullptr);

  /// Shows the plans of a study; null empties the tree.
  void set_study(std::shared_ptr<const Study> study);
  const std::shared_ptr<const Study>& study() const { return study_; }
  /// If `wanted`, always lists the plans of types that ONNX Runtime does not know; otherwise lists
  /// them only if such a plan is on.
  void list_extensions(bool wanted);

  /// How the peak changes if the tick of a row is changed now; nothing if no study can be computed
  /// for the changed choices.
  using PeakChange = std::optional<std::int64_t>;
  /// Adds peak changes that were computed for the shown study.
  void add_peak_changes(const std::map<const PlanRow*, PeakChange>& changes);
  bool knows_peak_change(const PlanRow& row) const { return peak_changes_.contains(&row); }
  /// For a group, all plans of the group. For the row of a plan or of an occurrence, this plan. No
  /// plans for other items.
  std::vector<const PlanRow*> plans_of(const QModelIndex& index) const;

  Kind kind(const QModelIndex& index) const { return at(index).kind; }
  /// The plan of a plan's row or of an occurrence's row.
  const PlanRow& plan_row(const QModelIndex& index) const;
  /// All plans that the tree lists.
  std::vector<const PlanRow*> listed() const;
  /// The nodes whose output the plans of an item free, and the nodes that run again, ascending. For
  /// a tensor, its producer and the node at which the search for a plan stopped.
  std::vector<NodeId> nodes(const QModelIndex& index) const;
  /// The nodes whose outputs a plan or an occurrence frees; none for other items.
  std::vector<NodeId> entries(const QModelIndex& index) const;
  /// The row that shows an occurrence or a tensor without a plan; invalid if the tree does not list
  /// it.
  QModelIndex index_of(const TablePlace& place) const;
  /// A text that identifies an item across studies.
  QString key(const QModelIndex& index) const;
  /// The switch of a plan or of an occurrence; empty for other items.
  std::optional<PlanSwitch> switch_of(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  void switch_wanted(const QModelIndex& index, bool on);
  void count_wanted(const QModelIndex& index, int count);

 private:
  struct Item {
    Kind kind;
    std::size_t group = 0;
    /// The position of the item's plan among the plans of the study. The plan of an occurrence is
    /// the plan above it; the plan of a group is its first plan.
    std::size_t row = 0;
    std::size_t number = 0;  ///< position of an occurrence or a tensor among its siblings
  };
  /// The rows of the tree; everything else is looked up in the study.
  struct Shape {
    /// Positions of plans in the study, by group, in an order that does not depend on sizes.
    std::vector<std::vector<std::size_t>> groups;
    std::vector<UnplannedTensor> tensors;  ///< ascending by id
    bool has_extensions = false;

    /// Config string and number of occurrences of each plan. `plans` and `values` are compared to
    /// find out whether two shapes have the same rows.
    std::vector<std::pair<std::string, std::size_t>> plans;
    std::vector<ValueId> values;
  };
  struct Units {
    ColumnUnit bytes;  ///< one unit for all columns of bytes, because users compare them
    ColumnUnit time;
    ColumnUnit per_time;  ///< unit of the bytes saved per millisecond
  };

  Item at(const QModelIndex& index) const;
  Item top(std::size_t row) const;
  Item child(const Item& parent, std::size_t row) const;
  std::size_t children(const Item& item) const;
  Shape shape_of(const Study& study) const;
  bool lists_extensions(const Study& study) const;
  bool keeps_shape(const Study& study) const;
  /// Whether the tree already has the rows of this shape.
  bool has_rows(const Study& study, const Shape& shape) const;
  void cells_changed();
  const PlanRow& row_of(const Item& item) const { return stashscope::plan_row(*study_, item.row); }
  const Occurrence& occurrence(const Item& item) const;
  const UnplannedTensor& tensor(const Item& item) const;
  ValueId value_of(const Item& item) const;

  // The following functions, in plan_tree_cells.cpp, make the contents of the cells.
  QVariant cell(const Item& item, int column, int role) const;
  QVariant check_state(const Item& item) const;
  QVariant number(const Item& item, int column) const;
  QVariant number_of_group(const Item& item, int column) const;
  QVariant number_of_plan(const PlanRow& row, int column) const;
  QVariant number_of_occurrence(const Item& item, int column) const;
  QVariant number_of_section(int column) const;
  QVariant peak_change_of(const Item& item) const;
  QString peak_change_text(const Item& item) const;
  QString peak_change_tip(const Item& item) const;
  std::vector<const PlanRow*> plans_of(const Item& item) const;
  QVariant life_number(const Item& item, int column) const;
  QVariant sort_value(const Item& item, int column) const;
  Units units() const;
  QString text(const Item& item, int column) const;
  QString name(const Item& item) const;
  QString plan_name(std::size_t row) const { return shown(names_[row]); }
  QString group_name(const Item& item) const;
  QString layer_text(const Item& item) const;
  QString why_not_text(const Item& item) const;
  QString number_text(const QVariant& number, int column) const;
  QString tool_tip(const Item& item, int column) const;
  /// Whether the times of the study are measured or predicted, and for which device.
  QString origin_of_times() const;
  QString row_tip(const Item& item) const;

  std::vector<TableColumn> columns_;
  std::shared_ptr<const Study> study_;
  SizeWords words_;  ///< words for sizes in formulas
  std::unique_ptr<OccurrenceFacts> facts_;
  std::vector<std::string> names_;  ///< names of the study's plans, see `plan_names`
  Shape shape_;
  Units units_;
  bool extensions_wanted_ = false;
  std::map<const PlanRow*, PeakChange> peak_changes_;  ///< for the shown study
};

}  // namespace stashscope::ui
