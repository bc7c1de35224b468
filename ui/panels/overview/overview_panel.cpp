#include "ui/panels/overview/overview_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "core/graph/node_path.h"
#include "core/study/facts/named_sizes.h"
#include "core/study/facts/step_tensors.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/key_action.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/peak_link.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int module_width = 220;
constexpr int least_module_width = 120;
constexpr int least_number_width = 92;
constexpr int least_formula_width = 160;
constexpr int least_height = 80;

/// Whether a group of the tree holds a tensor.
bool holds(const MemoryTree& tree, std::uint32_t group, BufferId buffer) {
  for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].buffer != buffer) continue;
    std::uint32_t at = node;
    while (at != 0 && at != group) at = tree.nodes[at].parent;
    return at == group;
  }
  return false;
}

}  // namespace

OverviewPanel::OverviewPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      grouping_(new QComboBox),
      sum_blocks_(new QCheckBox(tr("Sum equal blocks"))),
      zoom_out_(new QToolButton),
      heading_(new ElidedLabel),
      to_peak_(make_peak_link(u"overview_to_peak"_s)),
      sizes_(new LinkLabel),
      icicle_(new IcicleView),
      table_(new TableView),
      modules_heading_(new ElidedLabel),
      layers_(new QCheckBox(tr("Whole layers"))) {
  setObjectName(u"overview_panel"_s);
  setMinimumHeight(least_height);
  icicle_->current_if([this] { return is_icicle_current(); });
  table_->current_if([this] { return is_table_current(); });
  make_table();
  auto* const parts = new QSplitter(Qt::Vertical);
  parts->setObjectName(u"overview_parts"_s);
  parts->setChildrenCollapsible(false);
  parts->addWidget(icicle_);
  parts->addWidget(make_modules());
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_heading());
  layout->addWidget(make_sizes());
  layout->addWidget(parts, 1);
  set_main_widget(*this, icicle_);
  connect(icicle_, &IcicleView::chosen, this, &OverviewPanel::choose_group);
  connect(icicle_, &IcicleView::zoomed, this, &OverviewPanel::show_heading);
  connect(grouping_, &QComboBox::activated, this, [this] {
    wanted_module_.clear();
    show_study();
  });
  connect(sum_blocks_, &QCheckBox::clicked, this, [this] {
    sums_without_row_.reset();
    wanted_module_.clear();
    show_study();
  });
  connect(layers_, &QCheckBox::clicked, this, &OverviewPanel::show_study);
  connect(&document_, &Document::opened, this, &OverviewPanel::forget_model);
  connect(zoom_out_, &QToolButton::clicked, icicle_, &IcicleView::step_out);
  connect(to_peak_, &QToolButton::clicked, &document_.selection(), &LinkedSelection::select_peak);
  connect(&document_, &Document::study_changed, this, &OverviewPanel::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, [this] {
    show_moment();
    follow_selection();
  });
}

QWidget* OverviewPanel::make_heading() {
  grouping_->setObjectName(u"overview_grouping"_s);
  grouping_->setAccessibleName(tr("Group the tensors by"));
  grouping_->setToolTip(tr("Group the tensors by"));
  grouping_->addItem(tr("by module"), static_cast<int>(MemoryGrouping::module));
  grouping_->addItem(tr("by use"), static_cast<int>(MemoryGrouping::band));
  grouping_->addItem(tr("by operator"), static_cast<int>(MemoryGrouping::op_type));
  grouping_->addItem(tr("by source line"), static_cast<int>(MemoryGrouping::source_line));
  sum_blocks_->setObjectName(u"overview_sum_blocks"_s);
  sum_blocks_->setToolTip(
      tr("Modules whose names differ only in numbers are one box: h.0 and h.1 are h.*"));
  zoom_out_->setObjectName(u"overview_zoom_out"_s);
  zoom_out_->setText(tr("Zoom out"));
  zoom_out_->setEnabled(false);
  heading_->setObjectName(u"overview_heading"_s);
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  row->addWidget(heading_, 1);
  row->addWidget(to_peak_);
  row->addWidget(zoom_out_);
  row->addWidget(grouping_);
  return bar;
}

QWidget* OverviewPanel::make_sizes() {
  sizes_->setObjectName(u"overview_sizes"_s);
  sizes_->setAccessibleName(tr("Sizes and optimizer"));
  sizes_->setToolTip(
      tr("The figures are for these sizes and this optimizer. A click on a link leads to its "
         "setting."));
  sizes_->setTextFormat(Qt::RichText);
  sizes_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  sizes_->setWordWrap(true);
  connect(sizes_, &QLabel::linkActivated, this, &OverviewPanel::follow_link);
  connect(&document_, &Document::study_changed, this, &OverviewPanel::show_sizes);
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(spacing_unit, 0, spacing_unit, spacing_unit / 2);
  row->addWidget(sizes_, 1);
  row->addWidget(sum_blocks_);
  return bar;
}

void OverviewPanel::show_sizes() {
  const Study& study = *document_.study();
  linked_ = distinct_sizes(study);
  const auto link = [](const QString& to, const QString& text) {
    return u"<a href=\"%1\">%2</a>"_s.arg(to, text.toHtmlEscaped());
  };
  QStringList parts;
  const std::size_t named = std::min(linked_.size(), most_named_sizes);
  for (std::size_t i = 0; i < named; ++i) {
    parts << link(QString::number(i), u"%1 %L2"_s.arg(word_text(linked_[i])).arg(linked_[i].value));
  }
  if (linked_.size() > named) {
    parts << link(QString::number(named), tr("%1 more").arg(linked_.size() - named));
  }
  // A captured step has the optimizer of its script.
  if (!study.prepared->step.parameters.empty() && !is_captured(&study)) {
    parts << link(u"optimizer"_s, optimizer_text(study));
  }
  // The text begins with a word, because Shift+Tab would not leave a label that begins with a link.
  sizes_->setText(parts.isEmpty() ? QString() : tr("For %1").arg(parts.join(u", "_s)));
}

void OverviewPanel::follow_link(const QString& link) {
  if (link == u"optimizer"_s) {
    Q_EMIT optimizer_wanted(sizes_->mapToGlobal(sizes_->rect().bottomLeft()));
  } else {
    Q_EMIT size_wanted(shown(linked_[link.toULongLong()].dimension));
  }
}

/// The table of modules, below a line with its heading. The table always describes the peak, not
/// the slot at the cursor.
QWidget* OverviewPanel::make_modules() {
  modules_heading_->setObjectName(u"modules_heading"_s);
  layers_->setObjectName(u"whole_layers"_s);
  layers_->setToolTip(
      tr("One row for each numbered layer, such as h.11, with everything inside it"));
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(spacing_unit, spacing_unit / 4, spacing_unit, spacing_unit / 4);
  row->addWidget(modules_heading_, 1);
  row->addWidget(layers_);
  auto* const part = new QWidget;
  auto* const layout = new QVBoxLayout(part);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar);
  layout->addWidget(table_, 1);
  return part;
}

ModuleLevel OverviewPanel::level() const {
  return layers_->isChecked() ? ModuleLevel::layers : ModuleLevel::innermost;
}

void OverviewPanel::make_table() {
  table_->setObjectName(u"module_table"_s);
  table_->setAccessibleName(tr("Modules by bytes at the peak"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->cut_at_end({ModuleModel::symbolic});
  table_->set_invitation(
      tr("The model names no modules. Export it with module names to see them."));
  QHeaderView& header = *table_->horizontalHeader();
  header.resizeSection(ModuleModel::module, module_width);
  const int widest = table_->fontMetrics().horizontalAdvance(u"0000.000 GiB"_s);
  const int number_width = std::max(least_number_width, widest + 2 * CellDelegate::padding);
  for (const int column : {ModuleModel::at_peak, ModuleModel::stashed, ModuleModel::time}) {
    header.resizeSection(column, number_width);
  }
  table_->set_flexible_column(ModuleModel::module, least_module_width, least_formula_width);
  table_->hide_last_if_narrow();
  // When "Whole layers" changes the rows, the titles must not move away from under the pointer.
  table_->keep_flexible_width();
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { take_module(index.row()); });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    choose_module(model_.at(index.row()).module, model_.is_sum(index.row()));
  });
  add_key_action(*table_, tr("Open the sum of equal blocks"), {Qt::Key_Right},
                 [this] { open_row(true); });
  add_key_action(*table_, tr("Close the sum of equal blocks"), {Qt::Key_Left},
                 [this] { open_row(false); });
}

void OverviewPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Queued, because a panel that is placed behind another panel is shown only for a moment.
  QMetaObject::invokeMethod(this, &OverviewPanel::show_study, Qt::QueuedConnection);
}

MemoryGrouping OverviewPanel::grouping() const {
  return static_cast<MemoryGrouping>(grouping_->currentData().toInt());
}

EqualBlocks OverviewPanel::blocks() const {
  const bool sums = sum_blocks_->isChecked() && grouping() == MemoryGrouping::module;
  return sums ? EqualBlocks::summed : EqualBlocks::apart;
}

void OverviewPanel::show_study() {
  const auto& study = document_.study();
  sum_blocks_->setEnabled(grouping() == MemoryGrouping::module);
  if (study == nullptr || !isVisible()) return;
  const MemoryTree& tree = icicle_->tree();
  const bool is_same_tree = grouping() == tree.grouping && blocks() == tree.blocks;
  if (study == shown_study_ && is_same_tree && level() == shown_level_) {
    work_.cancel();
    show_moment();
    return zoom_to_wanted();
  }
  work_.ask([study, by = grouping(), sums = blocks(),
             rows = level()](const Progress&) { return groups_of(study, by, sums, rows); },
            [this](std::optional<Groups> groups) {
              if (groups) show_groups(std::move(*groups));
            });
}

OverviewPanel::Groups OverviewPanel::groups_of(std::shared_ptr<const Study> study,
                                               MemoryGrouping grouping, EqualBlocks blocks,
                                               ModuleLevel level) {
  TensorHomes homes = tensor_homes(*study, *study->current);
  MemoryTree tree = memory_tree(*study, *study->current, grouping, homes, blocks);
  std::vector<ModuleMemory> modules = module_memory(*study, homes, level);
  modules.push_back(memory_outside(*study, homes, modules));
  return {std::move(study), std::move(tree), std::move(homes.modules),
          module_groups(std::move(modules)), level};
}

void OverviewPanel::show_groups(Groups groups) {
  // The document may have a newer study by now, whose groups are still being computed.
  if (groups.study != document_.study()) return;
  const bool is_new = groups.study != shown_study_ || groups.level != shown_level_;
  shown_level_ = groups.level;
  shown_study_ = std::move(groups.study);
  node_modules_ = std::move(groups.node_modules);
  shown_slot_ = document_.selection().slot();
  const Timeline& timeline = shown_study_->current->timeline;
  std::vector<std::int64_t> bytes = tree_bytes(groups.tree, timeline, shown_slot_);
  icicle_->set_tree(std::move(groups.tree), std::move(bytes));
  if (is_new) {
    model_.set_modules(std::move(groups.modules), timeline.peak_bytes,
                       size_words(*document_.study()));
  }
  modules_heading_->setText(tr("Modules at the peak, slot %1: %2")
                                .arg(timeline.peak_slot + 1)
                                .arg(bytes_text(timeline.peak_bytes)));
  mark_selected();
  show_heading();
  zoom_to_wanted();
}

bool OverviewPanel::is_table_current() const {
  return shown_study_ == document_.study() && !work_.is_busy();
}

bool OverviewPanel::is_icicle_current() const {
  return is_table_current() && shown_slot_ == document_.selection().slot();
}

/// Outlines the selected tensor or the tensors of the selected node, whichever view selected it.
void OverviewPanel::mark_selected() {
  const Selection& selected = document_.selection().current();
  std::vector<BufferId> marked;
  if (selected.node.valid()) marked = buffers_made_by(*shown_study_, selected.node);
  if (selected.tensor.valid()) {
    marked.push_back(shown_study_->current->timeline.buffer_of[selected.tensor]);
  }
  std::erase_if(marked, [](BufferId each) { return !each.valid(); });
  icicle_->mark(std::move(marked));
}

/// Ends the highlight of a row unless a click on this row made the selection. Shows the whole chart
/// if the selection lies outside the group that fills the width. A move of the memory cursor does
/// not end the zoom, so that a group can be followed through the step.
void OverviewPanel::follow_selection() {
  const Selection& selected = document_.selection().current();
  if (shown_study_ == nullptr || shown_study_ != document_.study() || !isVisible()) return;
  if (is_taking_row_) of_row_ = selected;
  const bool is_of_row = selected.node == of_row_.node && selected.tensor == of_row_.tensor &&
                         selected.title == of_row_.title;
  if (!is_of_row) table_->clearSelection();
  const bool is_elsewhere = !selected.nodes.empty() && !selected.by_cursor;
  if (is_elsewhere && icicle_->top() != 0 && !holds_selected(icicle_->top())) icicle_->show_all();
}

/// Whether a selected node or the selected tensor is in the group.
bool OverviewPanel::holds_selected(std::uint32_t group) const {
  const Selection& selected = document_.selection().current();
  const Variant& variant = *shown_study_->current;
  if (selected.tensor.valid()) {
    return holds(icicle_->tree(), group, variant.timeline.buffer_of[selected.tensor]);
  }
  const std::vector<NodeId> inside = nodes_in_tree(icicle_->tree(), variant, node_modules_, group);
  return std::ranges::any_of(selected.nodes, [&](NodeId each) {
    return std::ranges::binary_search(inside, variant.dataflow.origin(each));
  });
}

void OverviewPanel::show_moment() {
  const std::size_t slot = document_.selection().slot();
  if (shown_study_ == nullptr || shown_study_ != document_.study() || !isVisible()) return;
  mark_selected();
  if (slot == shown_slot_) return;
  shown_slot_ = slot;
  icicle_->set_bytes(tree_bytes(icicle_->tree(), shown_study_->current->timeline, slot));
  show_heading();
}

void OverviewPanel::show_heading() {
  if (shown_study_ == nullptr) return;
  const bool is_zoomed = icicle_->top() != 0;
  zoom_out_->setEnabled(is_zoomed);
  const bool at_peak = shown_slot_ == shown_study_->current->timeline.peak_slot;
  to_peak_->setVisible(!at_peak);
  const QString moment = at_peak ? tr("At the peak") : tr("In slot %1").arg(shown_slot_ + 1);
  const QString group =
      is_zoomed ? shown(path_in_tree(icicle_->tree(), icicle_->top())) : tr("all tensors");
  const QString text =
      tr("%1: %2 in %3").arg(moment, bytes_text(icicle_->bytes_of(icicle_->top())), group);
  heading_->setText(text);
  heading_->setToolTip(text);
}

/// The tensor of a box, if the box is a single tensor and no node makes it; else invalid.
ValueId OverviewPanel::given_tensor_at(std::uint32_t node) const {
  const BufferId buffer = icicle_->tree().nodes[node].buffer;
  if (!buffer.valid()) return {};
  const ValueId root = shown_study_->current->timeline.buffers[buffer].root;
  return shown_study_->current->dataflow.topology.producer[root].valid() ? ValueId() : root;
}

void OverviewPanel::choose_group(std::uint32_t node, bool added) {
  if (shown_study_ == nullptr || shown_study_ != document_.study()) return;
  if (node == 0) return document_.selection().clear();
  const ValueId given = added ? ValueId() : given_tensor_at(node);
  if (given.valid()) return document_.selection().select_tensor(given);
  std::vector<NodeId> nodes =
      nodes_in_tree(icicle_->tree(), *shown_study_->current, node_modules_, node);
  if (added) {
    const std::vector<NodeId>& before = document_.selection().nodes();
    nodes.insert(nodes.end(), before.begin(), before.end());
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  if (nodes.empty()) return document_.selection().clear();
  if (nodes.size() == 1) {
    return document_.selection().select_node(nodes.front(), LinkedSelection::Cursor::stays);
  }
  document_.selection().select_nodes(std::move(nodes), shown(path_in_tree(icicle_->tree(), node)));
}

/// Opens or closes the current row if the row is a sum of modules. If there is nothing to open,
/// moves to the next column; if there is nothing to close, to the previous column.
void OverviewPanel::open_row(bool open) {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return;
  if (model_.is_sum(current.row()) && model_.is_open(current.row()) != open) {
    return model_.set_open(current.row(), open);
  }
  const QModelIndex next = current.siblingAtColumn(current.column() + (open ? 1 : -1));
  if (next.isValid()) table_->setCurrentIndex(next);
}

/// Shows the module of the clicked row in the chart. If the row is a sum of modules, the click also
/// opens the row, or closes it if it is open.
void OverviewPanel::take_module(int row) {
  // While rows are sorted, opening a sum can move its row.
  const std::string module = model_.at(row).module;
  const bool is_sum = model_.is_sum(row);
  if (is_sum) model_.set_open(row, !model_.is_open(row));
  choose_module(module, is_sum);
}

void OverviewPanel::choose_module(const std::string& module, bool is_sum) {
  grouping_->setCurrentIndex(0);
  // The chart has a box for a sum only while equal blocks are summed, and a box for a single module
  // of a sum only while equal blocks are shown separately.
  if (is_sum || block_pattern(module) != module) {
    if (!sums_without_row_) sums_without_row_ = sum_blocks_->isChecked();
    sum_blocks_->setChecked(is_sum);
  }
  wanted_module_ = module;
  show_study();
}

/// Undoes what clicks on rows and boxes of the previous model changed.
void OverviewPanel::forget_model() {
  wanted_module_.clear();
  table_->forget_flexible_width();
  icicle_->show_all();
  if (sums_without_row_) sum_blocks_->setChecked(*sums_without_row_);
  sums_without_row_.reset();
}

void OverviewPanel::zoom_to_wanted() {
  const std::string module = std::exchange(wanted_module_, {});
  if (module.empty()) return;
  const MemoryTree& tree = icicle_->tree();
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].child_count == 0 || path_in_tree(tree, node) != module) continue;
    icicle_->zoom_to(node);
    const QScopedValueRollback taking(is_taking_row_, true);
    return choose_group(node, false);
  }
}

}  // namespace stashscope::ui
