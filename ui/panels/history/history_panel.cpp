#include "ui/panels/history/history_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/widgets/widget_actions.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int choice_width = 160;
constexpr int least_choice_width = 96;
constexpr int peak_width = 96;
constexpr int least_change_width = 76;

}  // namespace

HistoryPanel::HistoryPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), model_(document), table_(new TableView) {
  setObjectName(u"history_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  table_->setObjectName(u"history_table"_s);
  table_->setAccessibleName(tr("History of choices"));
  table_->setModel(&model_);
  table_->set_invitation(tr("Open a model; your choices for it are listed here."));
  table_->horizontalHeader()->resizeSection(HistoryModel::choice, choice_width);
  table_->horizontalHeader()->resizeSection(HistoryModel::peak, peak_width);
  table_->set_flexible_column(HistoryModel::choice, least_choice_width, least_change_width);
  table_->keep_last_whole();
  add_comparison();
  connect(table_, &QTableView::clicked, this, &HistoryPanel::go_to);
  connect(table_, &QTableView::activated, this, &HistoryPanel::go_to);
  connect(&model_, &QAbstractItemModel::modelReset, this, &HistoryPanel::show_current);
  connect(&model_, &QAbstractItemModel::dataChanged, this, &HistoryPanel::show_current);
}

void HistoryPanel::add_comparison() {
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  QAction* const compare = add_widget_action(
      *table_, u"compare_with_state"_s, tr("Compare with this state"), QKeySequence(u"D"_s),
      tr("Shows the current choices beside those of this row"), [this] {
        const int row = table_->currentIndex().row();
        Q_EMIT comparison_wanted(model_.choices_at(row), model_.name_at(row));
      });
  const auto enable = [this, compare] {
    const QModelIndex row = table_->currentIndex();
    compare->setEnabled(row.isValid() && row.row() != model_.current_row());
  };
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, enable);
  connect(&model_, &QAbstractItemModel::modelReset, this, enable);
  connect(&model_, &QAbstractItemModel::dataChanged, this, enable);
  enable();
}

void HistoryPanel::go_to(const QModelIndex& index) { document_.undo_stack().setIndex(index.row()); }

void HistoryPanel::show_current() {
  const QModelIndex current = model_.index(model_.current_row(), 0);
  if (current.isValid()) table_->setCurrentIndex(current);
}

}  // namespace stashscope::ui
