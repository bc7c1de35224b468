#include "ui/panels/run_panel.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "core/run/runner.h"
#include "ui/models/enabling.h"
#include "ui/models/texts.h"
#include "ui/panels/measurement_dialogs.h"

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
      run_(make_button(u"run_button"_s, tr("Run"), {})),
      cancel_(make_button(u"cancel_run_button"_s, tr("Cancel"), tr("Ends the run"))),
      progress_(new QProgressBar),
      options_(new RunOptions(document)),
      export_(make_button(u"export_button"_s, tr("Export…"),
                          tr("Writes what was measured into a file of its own"))),
      result_(new QLabel) {
  setObjectName(u"run_panel"_s);
  progress_->setObjectName(u"run_progress"_s);
  progress_->setAccessibleName(tr("How far the run is"));
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(unit);
  auto* const scroll = new QScrollArea;
  scroll->setAccessibleName(tr("Settings and result of the run"));
  scroll->setWidget(make_content());
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumHeight(5 * unit);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(unit, unit, unit, unit);
  layout->setSpacing(unit);
  layout->addLayout(make_top());
  layout->addWidget(progress_);
  layout->addWidget(scroll, 1);
  list_devices();
  connect(device_, &QComboBox::activated, this, &RunPanel::choose_device);
  connect(run_, &QPushButton::clicked, &document_, &Document::run);
  connect(cancel_, &QPushButton::clicked, &document_, &Document::cancel_run);
  connect(options_, &RunOptions::changed, this, &RunPanel::list_devices);
  connect_document();
  show_state();
}

QPushButton* RunPanel::make_button(const QString& name, const QString& text, const QString& tip) {
  auto* const button = new QPushButton(text);
  button->setObjectName(name);
  button->setToolTip(tip);
  return button;
}

QLayout* RunPanel::make_top() {
  device_->setObjectName(u"device"_s);
  device_->setAccessibleName(tr("Device"));
  // What is said of a missing device is long; the list shows it all, the box need not.
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(12);
  auto* const top = new QHBoxLayout;
  top->setSpacing(unit);
  top->addWidget(device_, 1);
  top->addWidget(run_);
  top->addWidget(cancel_);
  return top;
}

QWidget* RunPanel::make_content() {
  result_->setObjectName(u"run_result"_s);
  result_->setWordWrap(true);
  result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  result_->setAlignment(Qt::AlignTop);
  auto* const content = new QWidget;
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(unit);
  layout->addWidget(options_);
  layout->addWidget(result_);
  layout->addLayout(make_files());
  layout->addStretch(1);
  return content;
}

QLayout* RunPanel::make_files() {
  QPushButton* const import_button = make_button(
      u"import_button"_s, tr("Import…"), tr("Shows what was measured on this step elsewhere"));
  connect(import_button, &QPushButton::clicked, this,
          [this] { ask_to_import_measurement(document_, *window()); });
  connect(export_, &QPushButton::clicked, this,
          [this] { ask_to_export_measurement(document_, *window()); });
  auto* const files = new QHBoxLayout;
  files->setSpacing(unit);
  files->addStretch(1);
  files->addWidget(import_button);
  files->addWidget(export_);
  return files;
}

void RunPanel::connect_document() {
  connect(&document_, &Document::run_progressed, this,
          [this](double fraction, const QString& stage) {
            progress_->setValue(static_cast<int>(1000 * fraction));
            result_->setText(stage);
          });
  connect(&document_.turns(), &Turns::changed, this, &RunPanel::show_turn);
  connect(&document_, &Document::running_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::study_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::choices_changed, this, &RunPanel::show_device);
  connect(&document_, &Document::measured_changed, this, &RunPanel::show_result);
}

/// What another machine has only its worker knows.
void RunPanel::list_devices() {
  auto* const items = new QStandardItemModel(device_);
  for (const DeviceInfo& info : stashscope::list_devices()) {
    const bool is_there = options_->is_remote();
    const QString description =
        is_there ? tr("of the other machine, if it has one") : shown(info.description);
    auto* const item = new QStandardItem(u"%1: %2"_s.arg(shown(info.name), description));
    item->setData(shown(info.name), Qt::UserRole);
    item->setToolTip(description);
    item->setEnabled(is_there || info.available);
    items->appendRow(item);
  }
  device_->setModel(items);
  show_device();
}

void RunPanel::choose_device(int index) {
  Choices choices = document_.choices();
  choices.device = device_->itemData(index).toString().toStdString();
  document_.choose(choices, tr("Device %1").arg(shown(choices.device)));
}

void RunPanel::show_state() {
  const bool running = document_.is_running();
  show_turn();
  options_->setEnabled(!running);
  show_button(running);
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

/// The keys stay where they are: at what starts a run or at what ends it.
void RunPanel::show_button(bool running) {
  QPushButton* const shown = running ? cancel_ : run_;
  QPushButton* const hidden = running ? run_ : cancel_;
  const bool has_keys = hidden->hasFocus();
  shown->show();
  if (has_keys) shown->setFocus();
  hidden->hide();
}

void RunPanel::show_turn() {
  // While it is hidden it need not be disabled, which would cost it the keys.
  enable_unless(*run_, document_.is_running() ? QString() : document_.why_wait(),
                tr("Runs the step without and with its plans (F5)"));
  if (!document_.is_running()) show_result();
}

void RunPanel::show_device() {
  const int known = device_->findData(shown(document_.choices().device));
  if (known >= 0) device_->setCurrentIndex(known);
}

void RunPanel::show_result() {
  const Measured* const measured = document_.measured();
  export_->setEnabled(measured != nullptr);
  if (measured != nullptr) return result_->setText(result_text(*measured));
  if (document_.turns().current() == HeavyWork::search) {
    return result_->setText(tr("The run waits for the search to end."));
  }
  result_->setText(document_.study() == nullptr
                       ? tr("Open a model to run it.")
                       : tr("Runs the step with random data in a process of its own and shows "
                            "what it measured beside the prediction."));
}

QString RunPanel::result_text(const Measured& measured) const {
  const Study& study = *document_.study();
  const auto& [baseline, current] = measured.runs;
  QString text =
      u"<table width=\"100%\" cellpadding=\"2\"><tr><th align=\"left\">%1</th>"
      "<th align=\"right\">%2</th><th align=\"right\">%3</th><th></th></tr>"_s.arg(
          tr("Peak"), tr("predicted"), tr("measured"));
  text += result_row(tr("without plans"), study.baseline->timeline.peak_bytes, baseline);
  text += result_row(tr("now"), study.current->timeline.peak_bytes, current);
  text += u"</table><p>%1</p>"_s.arg(
      tr("Largest difference at any step: %1. Time: %2 s without plans, %3 s now.")
          .arg(bytes_text(measured.largest_error))
          .arg(seconds_of(baseline), 0, 'f', 2)
          .arg(seconds_of(current), 0, 'f', 2));
  QString how = tr("Measured on %1").arg(shown(current.device).toHtmlEscaped());
  if (current.repeats > 1) how += tr(", times are medians of %1 runs").arg(current.repeats);
  text += u"<p>%1.</p>"_s.arg(how);
  for (const std::string& each : remarks_on(study, measured.runs)) {
    text += u"<p>%1</p>"_s.arg(shown(each).toHtmlEscaped());
  }
  return text;
}

}  // namespace stashscope::ui
