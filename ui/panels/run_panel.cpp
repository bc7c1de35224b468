#include "ui/panels/run_panel.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "core/run/runner.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int unit = 8;

QString result_row(const QString& name, std::int64_t predicted, const Measurement& measured) {
  return u"<tr><td>%1</td><td align=\"right\">%2</td><td align=\"right\">%3</td>"
         "<td align=\"right\">%4</td></tr>"_s.arg(name, bytes_text(predicted),
                                                  bytes_text(measured.peak_bytes),
                                                  change_text(predicted, measured.peak_bytes));
}

double seconds_of(const Measurement& measured) {
  double sum = 0;
  for (const double seconds : measured.node_seconds) sum += seconds;
  return sum;
}

}  // namespace

RunPanel::RunPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      device_(new QComboBox),
      run_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Cancel"))),
      progress_(new QProgressBar),
      result_(new QLabel) {
  setObjectName(u"run_panel"_s);
  device_->setObjectName(u"device"_s);
  device_->setAccessibleName(tr("Device"));
  // What is said of a missing device is long; the list shows it all, the box need not.
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(12);
  run_->setObjectName(u"run_button"_s);
  cancel_->setObjectName(u"cancel_run_button"_s);
  progress_->setObjectName(u"run_progress"_s);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(unit);
  result_->setObjectName(u"run_result"_s);
  result_->setWordWrap(true);
  result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* const top = new QHBoxLayout;
  top->setSpacing(unit);
  top->addWidget(device_, 1);
  top->addWidget(run_);
  top->addWidget(cancel_);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(unit, unit, unit, unit);
  layout->setSpacing(unit);
  layout->addLayout(top);
  layout->addWidget(progress_);
  auto* const scroll = new QScrollArea;
  scroll->setAccessibleName(tr("Result of the run"));
  result_->setAlignment(Qt::AlignTop);
  scroll->setWidget(result_);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumHeight(5 * unit);
  layout->addWidget(scroll, 1);
  list_devices();
  connect(device_, &QComboBox::activated, this, &RunPanel::choose_device);
  connect(run_, &QPushButton::clicked, &document_, &Document::run);
  connect(cancel_, &QPushButton::clicked, &document_, &Document::cancel_run);
  connect(&document_, &Document::run_progressed, this,
          [this](double fraction, const QString& stage) {
            progress_->setValue(static_cast<int>(1000 * fraction));
            result_->setText(stage);
          });
  connect(&document_, &Document::running_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::study_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::choices_changed, this, &RunPanel::show_device);
  connect(&document_, &Document::measured_changed, this, &RunPanel::show_result);
  show_state();
}

void RunPanel::list_devices() {
  auto* const items = new QStandardItemModel(device_);
  for (const DeviceInfo& info : stashscope::list_devices()) {
    auto* const item =
        new QStandardItem(u"%1: %2"_s.arg(shown(info.name), shown(info.description)));
    item->setData(shown(info.name), Qt::UserRole);
    item->setToolTip(shown(info.description));
    item->setEnabled(info.available);
    items->appendRow(item);
  }
  device_->setModel(items);
}

void RunPanel::choose_device(int index) {
  Choices choices = document_.choices();
  choices.device = device_->itemData(index).toString().toStdString();
  document_.choose(choices, tr("Device %1").arg(shown(choices.device)));
}

void RunPanel::show_state() {
  const bool running = document_.is_running();
  const bool can_run = document_.study() != nullptr && !running;
  run_->setEnabled(can_run);
  cancel_->setVisible(running);
  run_->setVisible(!running);
  progress_->setVisible(running);
  progress_->setRange(0, 1000);
  if (running) {
    progress_->setValue(0);
    result_->setText(tr("Starting the worker"));
  } else {
    show_result();
  }
  show_device();
}

void RunPanel::show_device() {
  const int known = device_->findData(shown(document_.choices().device));
  if (known >= 0) device_->setCurrentIndex(known);
}

void RunPanel::show_result() {
  const Measured* const measured = document_.measured();
  if (measured == nullptr) {
    result_->setText(document_.study() == nullptr
                         ? tr("Open a model to run it.")
                         : tr("Runs the step with random data in a process of its own and shows "
                              "what it measured beside the prediction."));
    return;
  }
  const Study& study = *document_.study();
  QString text =
      u"<table width=\"100%\" cellpadding=\"2\"><tr><th align=\"left\">%1</th>"
      "<th align=\"right\">%2</th><th align=\"right\">%3</th><th></th></tr>"_s.arg(
          tr("Peak"), tr("predicted"), tr("measured"));
  text +=
      result_row(tr("without plans"), study.baseline->timeline.peak_bytes, measured->runs.baseline);
  text += result_row(tr("now"), study.current->timeline.peak_bytes, measured->runs.current);
  text += u"</table><p>%1</p>"_s.arg(
      tr("Largest difference at any step: %1. Time: %2 s without plans, %3 s now.")
          .arg(bytes_text(measured->largest_error))
          .arg(seconds_of(measured->runs.baseline), 0, 'f', 2)
          .arg(seconds_of(measured->runs.current), 0, 'f', 2));
  for (const std::string& each : remarks_on(study, measured->runs)) {
    text += u"<p>%1</p>"_s.arg(shown(each).toHtmlEscaped());
  }
  result_->setText(text);
}

}  // namespace stashscope::ui
