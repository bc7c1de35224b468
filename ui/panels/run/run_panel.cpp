#include "ui/panels/run/run_panel.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include "core/run/devices/devices.h"
#include "ui/document/choice_words.h"
#include "ui/panels/run/measurement_dialogs.h"
#include "ui/text/enabling.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/vertical_scroll_area.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// A rich-text table with the results of the step without plans and with the current choices.
class ResultTable {
  Q_DECLARE_TR_FUNCTIONS(ResultTable)

 public:
  ResultTable(const Study& study, const StudyMeasurements& runs) : study_(study), runs_(runs) {}

  QString html() {
    add_row(u"th"_s, {}, tr("without plans"), tr("now"));
    add_memory();
    add_times();
    return u"<table width=\"100%\" cellpadding=\"2\">"_s + rows_ + u"</table>"_s;
  }

 private:
  void add_row(const QString& cell, const QString& name, const QString& baseline,
               const QString& current) {
    rows_ +=
        u"<tr><%1 align=\"left\">%2</%1><%1 align=\"right\">%3</%1>"
        "<%1 align=\"right\">%4</%1></tr>"_s.arg(cell, name, baseline, current);
  }
  template <class Text>
  void add(const QString& name, const Text& text) {
    add_row(u"td"_s, name, runs_.baseline ? text(*study_.baseline, *runs_.baseline) : u"–"_s,
            text(*study_.current, runs_.current));
  }
  template <class Amount>
  bool has_any(const Amount& of) const {
    return of(runs_.current) > 0 || (runs_.baseline && of(*runs_.baseline) > 0);
  }
  template <class Bytes>
  void add_bytes(const QString& name, const Bytes& of) {
    if (!has_any(of)) return;
    add(name, [&](const Variant&, const Measurement& run) { return bytes_text(of(run)); });
  }

  void add_memory() {
    add_row(u"td"_s, tr("Peak predicted"), bytes_text(study_.baseline->timeline.peak_bytes),
            bytes_text(study_.current->timeline.peak_bytes));
    add(tr("Peak measured"),
        [](const Variant&, const Measurement& run) { return bytes_text(run.peak_bytes); });
    add(tr("against prediction"), [](const Variant& variant, const Measurement& run) {
      return change_text(variant.timeline.peak_bytes, run.peak_bytes);
    });
    add_bytes(tr("Workspaces"), peak_workspace);
    if (has_any(peak_workspace)) add_bytes(tr("Peak with workspaces"), peak_with_workspace);
    add_bytes(tr("Reserved"), [](const Measurement& run) { return run.peak_reserved_bytes; });
  }

  void add_times() {
    add(tr("Time of nodes"),
        [](const Variant&, const Measurement& run) { return time_text(seconds_of_nodes(run)); });
    if (!has_any([](const Measurement& run) { return run.step_seconds; })) return;
    add(tr("Time of step"),
        [](const Variant&, const Measurement& run) { return time_text(run.step_seconds); });
  }

  const Study& study_;
  const StudyMeasurements& runs_;
  QString rows_;
};

}  // namespace

RunPanel::RunPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      device_(new QComboBox),
      run_(make_button(u"run_button"_s, tr("Run"), {})),
      cancel_(make_button(u"cancel_run_button"_s, tr("Cancel"), tr("Ends the run"))),
      progress_(new QProgressBar),
      options_(new RunOptionsBox(document)),
      export_(
          make_button(u"export_button"_s, tr("Export…"), tr("Writes the measurement to a file"))),
      result_(new QLabel) {
  setObjectName(u"run_panel"_s);
  progress_->setObjectName(u"run_progress"_s);
  progress_->setAccessibleName(tr("Progress of the run"));
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(spacing_unit);
  auto* const scroll = new VerticalScrollArea(make_content());
  scroll->setAccessibleName(tr("Settings and result of the run"));
  scroll->setMinimumHeight(5 * spacing_unit);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(spacing_unit, spacing_unit, spacing_unit, spacing_unit);
  layout->setSpacing(spacing_unit);
  layout->addLayout(make_top());
  layout->addWidget(progress_);
  layout->addWidget(scroll, 1);
  list_devices();
  connect(device_, &QComboBox::activated, this,
          [this](int index) { choose_device(device_->itemData(index).toString()); });
  connect(&document_.run_job().devices(), &DeviceList::changed, this, &RunPanel::list_devices);
  connect(run_, &QPushButton::clicked, &document_, &Document::run);
  connect(cancel_, &QPushButton::clicked, &document_.run_job(), &RunJob::cancel);
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
  // The box elides the reason why a device is unavailable; only the open list shows it in full.
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(12);
  device_->setInsertPolicy(QComboBox::NoInsert);
  auto* const top = new QHBoxLayout;
  top->setSpacing(spacing_unit);
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
  layout->setSpacing(spacing_unit);
  auto* const settings = new FlowLayout;
  options_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  settings->addWidget(options_);
  settings->addWidget(make_files());
  layout->addLayout(settings);
  layout->addWidget(result_);
  layout->addStretch(1);
  return content;
}

QWidget* RunPanel::make_files() {
  QPushButton* const import_button = make_button(
      u"import_button"_s, tr("Import…"), tr("Reads a measurement of this step from a file"));
  connect(import_button, &QPushButton::clicked, this,
          [this] { ask_to_import_measurement(document_, *window()); });
  connect(export_, &QPushButton::clicked, this,
          [this] { ask_to_export_measurement(document_, *window()); });
  auto* const files = new QWidget;
  auto* const column = new QVBoxLayout(files);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(spacing_unit / 2);
  column->addWidget(import_button);
  column->addWidget(export_);
  return files;
}

void RunPanel::connect_document() {
  connect(&document_.run_job(), &RunJob::progressed, this,
          [this](double fraction, const QString& stage) {
            progress_->setValue(static_cast<int>(1000 * fraction));
            result_->setText(stage);
          });
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &RunPanel::show_turn);
  connect(&document_.run_job(), &RunJob::running_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::study_changed, this, &RunPanel::show_state);
  connect(&document_, &Document::choices_changed, this, &RunPanel::show_device);
  connect(&document_, &Document::measured_changed, this, &RunPanel::show_result);
}

void RunPanel::list_devices() {
  const DeviceList& devices = document_.run_job().devices();
  auto* const items = new QStandardItemModel(device_);
  for (const DeviceInfo& info : devices.all()) {
    const QString name = shown(info.name);
    const QString description = shown(info.description);
    // For another machine, the user can edit the text of the box. The text is then only the
    // device's name, without the description.
    auto* const item =
        new QStandardItem(devices.is_remote() ? name : u"%1: %2"_s.arg(name, description));
    item->setData(name, Qt::UserRole);
    item->setToolTip(description);
    item->setEnabled(info.available);
    items->appendRow(item);
  }
  device_->setModel(items);
  allow_typing(devices.is_remote());
  show_device();
}

void RunPanel::allow_typing(bool is_allowed) {
  if (device_->isEditable() == is_allowed) return;
  device_->setEditable(is_allowed);
  if (!is_allowed) return;
  // A completer would replace a typed name that is the beginning of another device's name.
  device_->setCompleter(nullptr);
  connect(device_->lineEdit(), &QLineEdit::editingFinished, this, &RunPanel::take_typed_device);
}

void RunPanel::choose_device(const QString& name) {
  Choices choices = document_.choices();
  choices.device = choice_of(name.toStdString(), no_device);
  document_.choose(choices, tr("Device %1").arg(name));
  show_device();
}

void RunPanel::take_typed_device() {
  if (!device_->lineEdit()->isModified()) return;
  const QString name = device_->currentText().trimmed();
  const auto failure = failure_of([&] { check_device_name(name.toStdString()); });
  if (!failure) return choose_device(name);
  show_device();
  document_.notices().report(*failure);
}

void RunPanel::show_state() {
  const bool running = document_.run_job().is_running();
  show_turn();
  const bool can_run = !is_captured(document_.study().get());
  options_->setEnabled(!running && can_run);
  device_->setEnabled(can_run);
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

/// Shows either the button that starts a run or the button that ends the run. The keyboard focus
/// moves from the hidden button to the shown button.
void RunPanel::show_button(bool running) {
  QPushButton* const shown = running ? cancel_ : run_;
  QPushButton* const hidden = running ? run_ : cancel_;
  const bool has_keys = hidden->hasFocus();
  shown->show();
  if (has_keys) shown->setFocus();
  hidden->hide();
}

void RunPanel::show_turn() {
  // During a run the button is hidden but stays enabled: a disabled button loses the focus.
  enable_unless(*run_, document_.run_job().is_running() ? QString() : document_.why_no_run(),
                tr("Runs the step without and with its plans (F5)"));
  if (!document_.run_job().is_running()) show_result();
}

/// Shows the chosen device. If the list has no such device, no row is selected. For another
/// machine, the box then shows the name of the device. For this computer, it says that the device
/// is not available, or that devices are still being listed.
void RunPanel::show_device() {
  const DeviceList& devices = document_.run_job().devices();
  const std::string chosen = choice_text(document_.choices().device, no_device);
  const QString name = shown(chosen);
  const DeviceInfo* const meant = devices.meant_by(chosen);
  const int row = meant == nullptr ? -1 : device_->findData(shown(meant->name));
  device_->setPlaceholderText(devices.all().empty() ? tr("Looking for devices…")
                                                    : tr("%1: not available").arg(name));
  device_->setCurrentIndex(row);
  if (devices.is_remote()) {
    device_->setEditText(row < 0 ? name : device_->itemText(row));
    device_->setToolTip(tr("A device of the other machine: cpu, cuda:0, cuda:1, …"));
  } else {
    device_->setToolTip(row < 0 ? device_->placeholderText() : device_->itemText(row));
  }
}

void RunPanel::show_result() {
  const Measured* const measured = document_.measured();
  export_->setEnabled(measured != nullptr);
  if (measured != nullptr) return result_->setText(result_text(*measured));
  if (document_.exclusive_work().current() == HeavyWork::search) {
    return result_->setText(tr("A run waits for the search to end."));
  }
  if (is_captured(document_.study().get())) {
    return result_->setText(
        tr("PyTorch ran this step when it was captured, and the memory shown is what PyTorch "
           "allocated. The step cannot be run here, because its operators are PyTorch's."));
  }
  result_->setText(
      document_.study() == nullptr
          ? tr("Open a model to run it.")
          : tr("Press Run to run the step with random data in a separate process and to "
               "see the measurement beside the prediction."));
}

QString RunPanel::result_text(const Measured& measured) const {
  const Study& study = *document_.study();
  const Measurement& current = measured.runs.current;
  QString text = ResultTable(study, measured.runs).html();
  text += u"<p>%1</p>"_s.arg(
      tr("Largest difference in any slot: %1.").arg(bytes_text(measured.largest_error)));
  QString how = tr("Measured on %1").arg(shown(current.device).toHtmlEscaped());
  if (current.repeats > 1) how += tr("; the times are medians of %1 runs").arg(current.repeats);
  text += u"<p>%1.</p>"_s.arg(how);
  for (const std::string& each : remarks_on(study, measured.runs)) {
    text += u"<p>%1</p>"_s.arg(shown(each).toHtmlEscaped());
  }
  return text;
}

}  // namespace stashscope::ui
