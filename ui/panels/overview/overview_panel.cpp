#include "ui/panels/overview/overview_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/text/texts.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int module_width = 220;
constexpr int least_module_width = 120;
constexpr int number_width = 92;
constexpr int least_height = 80;

}  // namespace

OverviewPanel::OverviewPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      grouping_(new QComboBox),
      zoom_out_(new QToolButton),
      heading_(new ElidedLabel),
      icicle_(new IcicleView),
      table_(new TableView) {
  setObjectName(u"overview_panel"_s);
  setMinimumHeight(least_height);
  make_table();
  auto* const parts = new QSplitter(Qt::Vertical);
  parts->setObjectName(u"overview_parts"_s);
  parts->setChildrenCollapsible(false);
  parts->addWidget(icicle_);
  parts->addWidget(table_);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_heading());
  layout->addWidget(parts, 1);
  connect(icicle_, &IcicleView::chosen, this, &OverviewPanel::choose_group);
  connect(icicle_, &IcicleView::zoomed, this, &OverviewPanel::show_heading);
  connect(grouping_, &QComboBox::activated, this, [this] {
    wanted_module_.clear();
    show_study();
  });
  connect(&document_, &Document::opened, this, [this] { wanted_module_.clear(); });
  connect(zoom_out_, &QToolButton::clicked, icicle_, &IcicleView::step_out);
  connect(&document_, &Document::study_changed, this, &OverviewPanel::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &OverviewPanel::show_moment);
}

QWidget* OverviewPanel::make_heading() {
  grouping_->setObjectName(u"overview_grouping"_s);
  grouping_->setAccessibleName(tr("Group the tensors by"));
  grouping_->setToolTip(tr("Group the tensors by"));
  grouping_->addItem(tr("by module"), static_cast<int>(MemoryGrouping::module));
  grouping_->addItem(tr("by use"), static_cast<int>(MemoryGrouping::band));
  grouping_->addItem(tr("by operator"), static_cast<int>(MemoryGrouping::op_type));
  grouping_->addItem(tr("by source line"), static_cast<int>(MemoryGrouping::source_line));
  zoom_out_->setObjectName(u"overview_zoom_out"_s);
  zoom_out_->setText(tr("Zoom out"));
  zoom_out_->setEnabled(false);
  heading_->setObjectName(u"overview_heading"_s);
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  row->addWidget(heading_, 1);
  row->addWidget(zoom_out_);
  row->addWidget(grouping_);
  return bar;
}

void OverviewPanel::make_table() {
  table_->setObjectName(u"module_table"_s);
  table_->setAccessibleName(tr("Modules by bytes at the peak"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->set_invitation(
      tr("The model names no modules. Export it with module names to see them."));
  QHeaderView& header = *table_->horizontalHeader();
  header.resizeSection(ModuleModel::module, module_width);
  for (const int column : {ModuleModel::at_peak, ModuleModel::stashed, ModuleModel::time}) {
    header.resizeSection(column, number_width);
  }
  table_->set_flexible_column(ModuleModel::module, least_module_width, number_width);
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { choose_module(index.row()); });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { choose_module(index.row()); });
}

void OverviewPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Queued, because a panel that is placed behind another panel is shown only for a moment.
  QMetaObject::invokeMethod(this, &OverviewPanel::show_study, Qt::QueuedConnection);
}

MemoryGrouping OverviewPanel::grouping() const {
  return static_cast<MemoryGrouping>(grouping_->currentData().toInt());
}

void OverviewPanel::show_study() {
  const auto& study = document_.study();
  if (study == nullptr || !isVisible()) return;
  if (study == shown_study_ && grouping() == icicle_->tree().grouping) {
    work_.cancel();
    return show_moment();
  }
  work_.ask([study, by = grouping()](const Progress&) { return groups_of(study, by); },
            [this](std::optional<Groups> groups) {
              if (groups) show_groups(std::move(*groups));
            });
}

OverviewPanel::Groups OverviewPanel::groups_of(std::shared_ptr<const Study> study,
                                               MemoryGrouping grouping) {
  const TensorHomes homes = tensor_homes(*study, *study->current);
  MemoryTree tree = memory_tree(*study, *study->current, grouping, homes);
  std::vector<ModuleMemory> modules = module_memory(*study, homes);
  return {std::move(study), std::move(tree), std::move(modules)};
}

void OverviewPanel::show_groups(Groups groups) {
  // The document may have a newer study by now. The groups of the newer study follow.
  if (groups.study != document_.study()) return;
  const bool is_new = groups.study != shown_study_;
  shown_study_ = std::move(groups.study);
  shown_slot_ = document_.selection().slot();
  const Timeline& timeline = shown_study_->current->timeline;
  std::vector<std::int64_t> bytes = tree_bytes(groups.tree, timeline, shown_slot_);
  icicle_->set_tree(std::move(groups.tree), std::move(bytes));
  if (is_new) model_.set_modules(std::move(groups.modules), timeline.peak_bytes);
  show_heading();
  const std::string module = std::exchange(wanted_module_, {});
  if (!module.empty()) zoom_to_module(module);
}

void OverviewPanel::show_moment() {
  const std::size_t slot = document_.selection().slot();
  if (shown_study_ == nullptr || shown_study_ != document_.study() || !isVisible()) return;
  if (slot == shown_slot_) return;
  shown_slot_ = slot;
  icicle_->set_bytes(tree_bytes(icicle_->tree(), shown_study_->current->timeline, slot));
  show_heading();
}

void OverviewPanel::show_heading() {
  if (shown_study_ == nullptr) return;
  const bool is_zoomed = icicle_->top() != 0;
  zoom_out_->setEnabled(is_zoomed);
  const QString moment = shown_slot_ == shown_study_->current->timeline.peak_slot
                             ? tr("At the peak")
                             : tr("In slot %1").arg(shown_slot_ + 1);
  const QString group =
      is_zoomed ? shown(path_in_tree(icicle_->tree(), icicle_->top())) : tr("all tensors");
  const QString text =
      tr("%1: %2 in %3").arg(moment, bytes_text(icicle_->bytes_of(icicle_->top())), group);
  heading_->setText(text);
  heading_->setToolTip(text);
}

void OverviewPanel::choose_group(std::uint32_t node, bool added) {
  if (shown_study_ == nullptr || shown_study_ != document_.study()) return;
  if (node == 0) return document_.selection().clear();
  std::vector<NodeId> nodes = makers_in_tree(icicle_->tree(), *shown_study_->current, node);
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

void OverviewPanel::choose_module(int row) {
  const std::string& module = model_.at(row).module;
  if (icicle_->tree().grouping == MemoryGrouping::module && !work_.is_busy()) {
    return zoom_to_module(module);
  }
  wanted_module_ = module;
  grouping_->setCurrentIndex(0);
  show_study();
}

void OverviewPanel::zoom_to_module(const std::string& module) {
  const MemoryTree& tree = icicle_->tree();
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].child_count == 0 || path_in_tree(tree, node) != module) continue;
    icicle_->zoom_to(node);
    return choose_group(node, false);
  }
}

}  // namespace stashscope::ui
