#include "ui/panels/plans_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/study/edits.h"
#include "core/study/exported_config.h"
#include "ui/models/texts.h"
#include "ui/panels/count_delegate.h"
#include "ui/theme/icons.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int unit = 8;
constexpr int least_plan_width = 116;
constexpr int frequency_width = 60;
constexpr int count_width = 44;
constexpr int saving_width = 72;
constexpr int least_symbolic_width = 56;

/// For the undo list.
QString switch_text(const PlanRow& plan, bool on) {
  if (!on) return PlansPanel::tr("Keep %1").arg(shown(plan.config));
  switch (plan.type) {
    case PlanType::offload:
      return PlansPanel::tr("Offload %1").arg(shown(plan.config));
    case PlanType::compress:
      return PlansPanel::tr("Compress %1").arg(shown(plan.config));
    default:
      return PlansPanel::tr("Recompute %1").arg(shown(plan.config));
  }
}

}  // namespace

PlansPanel::PlansPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      level_(new QComboBox),
      filter_(new QLineEdit),
      table_(new TableView),
      summary_(new QLabel) {
  setObjectName(u"plans_panel"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_top_row());
  layout->addWidget(table_, 1);
  layout->addWidget(make_bottom_row());
  set_up_table();
  connect(&document_, &Document::study_changed, this, &PlansPanel::show_study);
  connect(&document_, &Document::choices_changed, this,
          [this] { level_->setCurrentIndex(document_.choices().level); });
  show_study();
}

QWidget* PlansPanel::make_top_row() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(unit, unit / 2, unit, unit);
  layout->setSpacing(unit);
  level_->setObjectName(u"level"_s);
  level_->setAccessibleName(tr("Level"));
  level_->addItem(tr("Level 0: as ticked"));
  level_->addItem(tr("Level 1: recompute layers"));
  level_->addItem(tr("Level 2: with compromises"));
  level_->setToolTip(
      tr("0: the plans ticked below. 1: everything inside transformer layers is "
         "recomputed. 2: also plans that free only a part."));
  level_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  filter_->setObjectName(u"plan_filter"_s);
  filter_->setAccessibleName(tr("Filter plans"));
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  layout->addWidget(level_);
  layout->addWidget(filter_, 1);
  auto* const more = new QToolButton;
  more->setObjectName(u"list_extensions"_s);
  more->setText(tr("More ways"));
  more->setToolTip(
      tr("Lists activations that could be kept on the host or in a narrower type, too. ONNX "
         "Runtime does not know these ways."));
  more->setCheckable(true);
  more->setAutoRaise(true);
  layout->addWidget(more);
  connect(more, &QToolButton::toggled, &model_, &PlanModel::list_extensions);
  connect(more, &QToolButton::toggled, this, &PlansPanel::show_summary);
  connect(level_, &QComboBox::activated, this, &PlansPanel::choose_level);
  connect(filter_, &QLineEdit::textChanged, &sorted_, &QSortFilterProxyModel::setFilterFixedString);
  return row;
}

QWidget* PlansPanel::make_bottom_row() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(unit, unit / 2, unit, unit / 2);
  summary_->setObjectName(u"plan_summary"_s);
  auto* const copy = new QToolButton;
  copy->setObjectName(u"copy_config_button"_s);
  copy->setIcon(icon(Icon::copy));
  copy->setText(tr("Copy config"));
  copy->setToolTip(
      tr("Copies the plans in force as a config string, those that ONNX Runtime knows"));
  copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  copy->setAutoRaise(true);
  layout->addWidget(summary_, 1);
  layout->addWidget(copy);
  connect(copy, &QToolButton::clicked, this, &PlansPanel::copy_config);
  return row;
}

void PlansPanel::set_up_table() {
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(TableModel::sort_role);
  sorted_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setObjectName(u"plan_table"_s);
  table_->setAccessibleName(tr("Plans"));
  table_->setModel(&sorted_);
  table_->cut_at_end({PlanModel::symbolic});
  table_->setSortingEnabled(true);
  table_->sortByColumn(PlanModel::saving, Qt::DescendingOrder);
  table_->setItemDelegateForColumn(PlanModel::count, new CountDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::AllEditTriggers);
  table_->horizontalHeader()->resizeSection(PlanModel::frequency, frequency_width);
  table_->horizontalHeader()->resizeSection(PlanModel::count, count_width);
  table_->horizontalHeader()->resizeSection(PlanModel::saving, saving_width);
  table_->horizontalHeader()->resizeSection(PlanModel::at_peak, saving_width);
  table_->set_flexible_column(PlanModel::plan, least_plan_width, least_symbolic_width);
  connect(&model_, &PlanModel::switch_wanted, this, [this](int row, bool on) {
    const PlanRow plan = model_.plan_row(row);
    document_.choose(with_plan(*document_.study(), document_.choices(), plan, on),
                     switch_text(plan, on));
  });
  connect(&model_, &PlanModel::count_wanted, this, [this](int row, int count) {
    const PlanRow plan = model_.plan_row(row);
    document_.choose(with_plan_count(*document_.study(), document_.choices(), plan, count),
                     tr("Use %1 of %2").arg(count).arg(shown(plan.config)),
                     u"count:"_s + shown(plan.config));
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &PlansPanel::select_row);
}

void PlansPanel::show_study() {
  model_.set_study(document_.study());
  level_->setEnabled(document_.study() != nullptr);
  level_->setCurrentIndex(document_.choices().level);
  table_->set_invitation(document_.study() == nullptr
                             ? tr("Open a model to see what it could recompute.")
                             : no_plans_text(*document_.study()));
  show_summary();
}

void PlansPanel::show_summary() {
  const int rows = model_.rowCount();
  int on = 0;
  for (int row = 0; row < rows; ++row) on += model_.plan_row(row).on ? 1 : 0;
  summary_->setText(rows == 0 ? QString() : tr("%1 of %2 plans on").arg(on).arg(rows));
}

void PlansPanel::choose_level(int level) {
  Choices choices = document_.choices();
  choices.level = level;
  document_.choose(choices, tr("Level %1").arg(level));
}

void PlansPanel::select_row(const QModelIndex& current) {
  if (!current.isValid() || document_.study() == nullptr) return;
  const PlanRow& row = model_.plan_row(sorted_.mapToSource(current).row());
  document_.select_nodes(nodes_of_plan(*document_.study(), row), shown(row.config));
}

void PlansPanel::copy_config() const {
  if (document_.study() == nullptr) return;
  const ExportedConfig exported = exported_config(*document_.study());
  QApplication::clipboard()->setText(QString::fromStdString(to_string(exported.config)));
  if (exported.left_out.empty()) return;
  QStringList told = {tr("Copied")};
  for (const std::string& each : exported.left_out) told << shown(each);
  Q_EMIT document_.noticed(told.join(u"; "_s));
}

}  // namespace stashscope::ui
