#include "ui/panels/orders/fusion_page.h"

#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "core/study/edits/order_edits.h"
#include "ui/document/choice_words.h"
#include "ui/document/named_edits.h"
#include "ui/models/step_model.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/widget_actions.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int most_open_groups = 12;
constexpr int strategies_height = 134;

}  // namespace

FusionPage::FusionPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new TableView), tree_(new GroupTree) {
  setObjectName(u"fusion_page"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const halves = new QSplitter(Qt::Vertical);
  halves->setChildrenCollapsible(false);
  halves->addWidget(make_strategies());
  halves->addWidget(make_groups());
  halves->setSizes({strategies_height, 2 * strategies_height});
  halves->setStretchFactor(1, 1);
  layout->addWidget(halves);
  connect(&document_, &Document::study_changed, this, &FusionPage::show_study);
  connect(&document_.selection(), &LinkedSelection::changed, this, &FusionPage::show_selection);
  connect(&counter_, &FusionCounter::counted, &model_, &FusionModel::set_rows);
  enable_actions();
}

QWidget* FusionPage::make_strategies() {
  table_->setObjectName(u"fusion_table"_s);
  table_->setAccessibleName(tr("Fusion strategies"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->set_invitation(tr("Open a model to compare ways to fuse its nodes."));
  table_->current_if([this] { return counted_ == document_.study() && !counter_.is_busy(); });
  constexpr int widths[] = {148, 72, 64, 88};
  for (int column = 0; column < FusionModel::change; ++column) {
    table_->horizontalHeader()->resizeSection(column, widths[column]);
  }
  connect(table_, &QTableView::clicked, this, &FusionPage::switch_to);
  connect(table_, &QTableView::activated, this, &FusionPage::switch_to);
  return table_;
}

QWidget* FusionPage::make_groups() {
  auto* const half = new QWidget;
  auto* const layout = new QVBoxLayout(half);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  tree_->setObjectName(u"group_tree"_s);
  tree_->setAccessibleName(tr("Groups of fused nodes"));
  tree_->setModel(&groups_);
  tree_->give_room_to(GroupModel::name);
  tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
  layout->addWidget(tree_, 1);
  take_out_ =
      add_widget_action(*tree_, u"group_take_out"_s, tr("Take out"), QKeySequence::Delete,
                        tr("Takes the selected nodes out of their groups"), [this] { take_out(); });
  split_ = add_widget_action(*tree_, u"group_split"_s, tr("Split here"), QKeySequence(u"Alt+S"_s),
                             tr("Splits the group before the selected node"), [this] { split(); });
  keep_apart_ = add_widget_action(
      *tree_, u"group_keep_apart"_s, tr("Keep apart"), QKeySequence(u"Alt+A"_s),
      tr("Never puts the two selected nodes into the same group"), [this] { keep_apart(); });
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  for (QAction* const action : {take_out_, split_, keep_apart_}) {
    row->addWidget(make_action_button(*action));
  }
  row->addStretch(1);
  layout->addLayout(row);
  connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &FusionPage::select_nodes);
  return half;
}

void FusionPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  count();
}

void FusionPage::show_study() {
  const auto& study = document_.study();
  counter_.cancel();
  counted_ = nullptr;
  model_.set_study(study);
  is_following_ = true;
  groups_.set_study(study);
  is_following_ = false;
  if (groups_.rowCount() <= most_open_groups) tree_->expandAll();
  const bool is_planned = !study->order;
  const bool is_of_pytorch = is_captured(study.get());
  table_->set_invitation(
      is_of_pytorch
          ? tr("A captured step runs PyTorch's operators one by one: nothing is fused.")
          : tr("Nothing is fused in a planned order, which does not keep the nodes of a group "
               "together."));
  tree_->set_invitation(is_planned || is_of_pytorch ? QString()
                        : study->choices.fusion.strategy
                            ? tr("There is nothing to fuse in this step.")
                            : tr("Choose a fusion strategy to see its groups."));
  enable_actions();
  if (isVisible()) count();
}

void FusionPage::count() {
  const auto& study = document_.study();
  if (study == nullptr || counted_ == study) return;
  counted_ = study;
  counter_.count(study);
}

void FusionPage::switch_to(const QModelIndex& index) {
  Choices choices = document_.choices();
  const std::string& name = model_.fusion_row(index.row()).name;
  choices.fusion.strategy = choice_of(name, no_fusion);
  document_.choose(choices, tr("Fusion %1").arg(shown(name)));
}

std::vector<NodeId> FusionPage::selected_members() const {
  std::vector<NodeId> members;
  for (const QModelIndex& row : tree_->selectionModel()->selectedRows()) {
    const NodeId node = groups_.node_at(row);
    if (node.valid()) members.push_back(node);
  }
  return members;
}

void FusionPage::enable_actions() {
  const std::vector<NodeId> members = selected_members();
  const bool is_one = members.size() == 1;
  const QModelIndex at = is_one ? groups_.index_of(members.front()) : QModelIndex();
  take_out_->setEnabled(!members.empty());
  split_->setEnabled(at.isValid() && at.row() > 0);
  keep_apart_->setEnabled(members.size() == 2);
}

void FusionPage::show_selection() {
  const NodeId node = document_.selection().node();
  if (!node.valid() || document_.study() == nullptr) return;
  const std::vector<NodeId> members = selected_members();
  if (std::ranges::find(members, node) != members.end()) return;
  const QModelIndex index = groups_.index_of(node);
  is_following_ = true;
  if (index.isValid()) {
    tree_->setCurrentIndex(index);
  } else {
    tree_->clearSelection();
  }
  is_following_ = false;
  enable_actions();
}

void FusionPage::select_nodes() {
  enable_actions();
  const QModelIndex current = tree_->currentIndex();
  if (is_following_ || !current.isValid()) return;
  const std::vector<NodeId> members = selected_members();
  if (members.size() == 1) return document_.selection().select_node(members.front());
  if (!members.empty()) return;
  std::vector<NodeId> all = groups_.members_at(current);
  std::ranges::sort(all);
  document_.selection().select_nodes(std::move(all), current.data().toString());
}

void FusionPage::take_out() {
  const std::vector<NodeId> members = selected_members();
  if (members.empty()) return;
  const Study& study = *document_.study();
  choose_named(document_, with_nodes_alone(study, document_.choices(), members), members,
               members.size() == 1 ? tr("Run %1 alone").arg(node_text(study, members.front()))
                                   : tr("Run %1 nodes alone").arg(members.size()));
}

void FusionPage::split() {
  const std::vector<NodeId> members = selected_members();
  if (members.size() != 1) return;
  const Study& study = *document_.study();
  const FusedGroups& groups = study.current->groups;
  choose_named(document_, with_group_split(study, document_.choices(), members.front()),
               groups.members[groups.of(members.front())],
               tr("Split before %1").arg(node_text(study, members.front())));
}

void FusionPage::keep_apart() {
  const std::vector<NodeId> members = selected_members();
  if (members.size() != 2) return;
  const Study& study = *document_.study();
  choose_named(
      document_, with_nodes_apart(study, document_.choices(), members[0], members[1]), members,
      tr("Keep %1 and %2 apart").arg(node_text(study, members[0]), node_text(study, members[1])));
}

}  // namespace stashscope::ui
