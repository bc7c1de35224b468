#include "ui/panels/memory/difference_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/document/choice_words.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int step_width = 52;
constexpr int bytes_width = 92;
constexpr int cause_width = 172;
constexpr int time_width = 116;
constexpr int least_node_width = 160;

/// The time of the nodes as a sentence. For a run on the CPU, the sentence has no predicted time,
/// because predictions are for GPUs.
QString times_text(const Study& study, const Measurement& measured, double measured_seconds,
                   double predicted_seconds) {
  const QString time = time_text(measured_seconds);
  if (measured.device == "cpu") return DifferencePanel::tr("Time of the nodes: %1.").arg(time);
  return DifferencePanel::tr("Time of the nodes: %1 measured, %2 predicted for %3.")
      .arg(time, time_text(predicted_seconds), shown(study.choices.times.profile.name));
}

/// A sentence, after a space, about the predicted time for which nodes wait for copies. Empty if no
/// copies overlapped with nodes.
QString waiting_text(std::optional<double> seconds) {
  if (!seconds) return {};
  return u' ' +
         DifferencePanel::tr("Nodes wait %1 for copies. This is predicted; runs do not measure it.")
             .arg(time_text(*seconds));
}

}  // namespace

DifferencePanel::DifferencePanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), summary_(new QLabel), table_(new TableView) {
  setObjectName(u"difference_panel"_s);
  summary_->setObjectName(u"difference_summary"_s);
  summary_->setContentsMargins(spacing_unit, 2, spacing_unit, spacing_unit / 2);
  summary_->setWordWrap(true);
  summary_->hide();
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(summary_);
  layout->addWidget(table_, 1);
  set_up_table();
  table_->set_invitation(invitation());
  const auto renew = [this] {
    stale_ = true;
    table_->set_invitation(invitation());
    if (isVisible()) show_differences();
  };
  connect(&document_, &Document::study_changed, this, renew);
  connect(&document_, &Document::measured_changed, this, renew);
}

/// How this step is measured: here, or by PyTorch.
QString DifferencePanel::invitation() const {
  return is_captured(document_.study().get())
             ? tr("This step runs in PyTorch, not in this program. Call stashscope.measure(step, "
                  "\"measured.json\") in the script, then choose Run > Import a measurement.")
             : tr("Run the step (F5) to see where memory and time differ from the prediction.");
}

void DifferencePanel::set_up_table() {
  table_->setObjectName(u"difference_table"_s);
  table_->setAccessibleName(tr("Predicted and measured, slot by slot"));
  table_->setModel(&model_);
  table_->current_if([this] { return !stale_; });
  table_->let_sort();
  using Column = DifferenceModel::Column;
  table_->sortByColumn(Column::difference, Qt::DescendingOrder);
  QHeaderView* const header = table_->horizontalHeader();
  header->resizeSection(Column::step, step_width);
  header->resizeSection(Column::node, least_node_width);
  header->resizeSection(Column::cause, cause_width);
  for (const int column :
       {Column::predicted, Column::measured, Column::difference, Column::workspace}) {
    header->resizeSection(column, bytes_width);
  }
  for (const int column : {Column::predicted_time, Column::measured_time}) {
    header->resizeSection(column, time_width);
  }
  table_->set_flexible_column(Column::node, least_node_width, time_width);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            document_.selection().select_slot(model_.row(current.row()).step);
          });
}

void DifferencePanel::showEvent(QShowEvent*) { show_differences(); }

void DifferencePanel::show_differences() {
  if (!std::exchange(stale_, false)) return;
  const Measured* const measured = document_.measured();
  const std::shared_ptr<const Study> study = document_.study();
  if (measured == nullptr) {
    model_.set_differences(nullptr, {});
  } else {
    const Measurement& run = measured->runs.current;
    MeasuredDifferences found = measured_differences(*study, *study->current, run);
    model_.set_differences(study, std::move(found.slots));
    table_->setColumnHidden(DifferenceModel::workspace, run.workspace_bytes.empty());
    summary_->setText(summary(*study, run) + waiting_text(found.waiting_seconds));
  }
  summary_->setVisible(measured != nullptr);
}

QString DifferencePanel::summary(const Study& study, const Measurement& measured) const {
  std::int64_t largest = 0;
  double predicted_seconds = 0;
  double measured_seconds = 0;
  for (int row = 0; row < model_.rowCount(); ++row) {
    const StepDifference& each = model_.row(row);
    largest = std::max(largest, std::abs(each.bytes()));
    predicted_seconds += each.predicted_seconds;
    measured_seconds += each.measured_seconds;
  }
  const QString device = shown(measured.device);
  const QString bytes =
      largest == 0 ? tr("Measured on %1: every slot took exactly the predicted bytes.").arg(device)
                   : tr("Measured on %1: no slot differs from the prediction by more than %2.")
                         .arg(device, bytes_text(largest));
  const QString workspaces =
      measured.workspace_bytes.empty()
          ? QString()
          : tr("Workspaces: at most %1; tensors and workspaces together at most %2.")
                    .arg(bytes_text(peak_workspace(measured)),
                         bytes_text(peak_with_workspace(measured))) +
                u' ';
  return bytes + u' ' + workspaces +
         times_text(study, measured, measured_seconds, predicted_seconds);
}

}  // namespace stashscope::ui
