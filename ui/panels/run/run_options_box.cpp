#include "ui/panels/run/run_options_box.h"

#include <QLabel>
#include <QSignalBlocker>

#include "ui/document/run_settings.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString this_computer() { return RunOptionsBox::tr("this computer"); }

QString text_of(const std::optional<RemoteHost>& host) {
  return host ? shown(to_string(*host)) : this_computer();
}

}  // namespace

RunOptionsBox::RunOptionsBox(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      host_(new QComboBox),
      worker_label_(new QLabel(tr("Worker"))),
      worker_(new QLineEdit),
      warm_up_(make_count(u"warm_up"_s, 0)),
      repeats_(make_count(u"repeats"_s, 1)) {
  setObjectName(u"run_options"_s);
  document_.run_job().set_request(remembered_request());
  make_host();
  worker_->setObjectName(u"run_worker"_s);
  worker_->setAccessibleName(worker_label_->text());
  worker_->setToolTip(tr("Name or path of stashscope-run on the other machine"));
  warm_up_->setAccessibleName(tr("Warm-up runs"));
  warm_up_->setToolTip(tr("Number of runs before the measured runs"));
  repeats_->setAccessibleName(tr("Measured runs"));
  repeats_->setToolTip(
      tr("Number of measured runs. All runs use the same data. The measured memory is that of the "
         "last run; the measured times are medians over the runs."));
  auto* const layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(spacing_unit);
  layout->setVerticalSpacing(spacing_unit / 2);
  layout->setColumnStretch(1, 1);
  layout->setColumnStretch(3, 1);
  layout->addWidget(new QLabel(tr("On")), 0, 0);
  layout->addWidget(host_, 0, 1, 1, 3);
  layout->addWidget(worker_label_, 1, 0);
  layout->addWidget(worker_, 1, 1, 1, 3);
  layout->addWidget(new QLabel(tr("Warm-up")), 2, 0);
  layout->addWidget(warm_up_, 2, 1);
  layout->addWidget(new QLabel(tr("Runs")), 2, 2);
  layout->addWidget(repeats_, 2, 3);
  show_request();
  connect(warm_up_, &QSpinBox::valueChanged, this, [this](int count) {
    RunRequest request = document_.run_job().request();
    request.counts.warm_up = count;
    take(request);
  });
  connect(repeats_, &QSpinBox::valueChanged, this, [this](int count) {
    RunRequest request = document_.run_job().request();
    request.counts.repeats = count;
    take(request);
  });
  connect(host_, &QComboBox::activated, this, &RunOptionsBox::take_host);
  connect(host_->lineEdit(), &QLineEdit::editingFinished, this, &RunOptionsBox::take_host);
  connect(worker_, &QLineEdit::editingFinished, this, &RunOptionsBox::take_host);
}

QSpinBox* RunOptionsBox::make_count(const QString& name, int least) {
  auto* const box = new QSpinBox;
  box->setObjectName(name);
  box->setRange(least, most_runs);
  box->setAlignment(Qt::AlignRight);
  return box;
}

void RunOptionsBox::make_host() {
  host_->setObjectName(u"run_host"_s);
  host_->setAccessibleName(tr("Machine"));
  host_->setToolTip(
      tr("The machine that runs the step: this computer, user@host or user@host:port. ssh must "
         "reach the other machine without a password, and stashscope-run must be installed there. "
         "The model is sent to that machine and removed afterwards."));
  host_->setEditable(true);
  host_->setInsertPolicy(QComboBox::NoInsert);
  // A completer would replace a typed name that is the beginning of another machine's name.
  host_->setCompleter(nullptr);
  host_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  host_->setMinimumContentsLength(12);
  host_->lineEdit()->setPlaceholderText(tr("user@host"));
  list_hosts();
}

void RunOptionsBox::list_hosts() {
  const QSignalBlocker quiet(host_);
  host_->clear();
  host_->addItem(this_computer());
  host_->addItems(recent_hosts());
}

void RunOptionsBox::take_host() {
  const QString text = host_->currentText().trimmed();
  RunRequest request = document_.run_job().request();
  if (text.isEmpty() || text == this_computer()) {
    request.host.reset();
    return take(request);
  }
  const QString worker = worker_->text().trimmed();
  const auto failure = failure_of([&] {
    request.host = parse_remote_host(text.toStdString());
    if (!worker.isEmpty()) request.host->worker = worker.toStdString();
  });
  if (failure) {
    show_request();
    document_.notices().report(*failure);
    return;
  }
  add_recent_host(shown(to_string(*request.host)));
  take(request);
}

void RunOptionsBox::take(const RunRequest& request) {
  const bool is_new = !(request == document_.run_job().request());
  document_.run_job().set_request(request);
  show_request();
  if (is_new) remember_request(request);
}

void RunOptionsBox::show_request() {
  const RunRequest& request = document_.run_job().request();
  if (request.host && host_->findText(text_of(request.host)) < 0) list_hosts();
  const QSignalBlocker quiet_host(host_);
  const QSignalBlocker quiet_warm_up(warm_up_);
  const QSignalBlocker quiet_repeats(repeats_);
  host_->setCurrentIndex(host_->findText(text_of(request.host)));
  host_->setCurrentText(text_of(request.host));
  worker_->setText(shown(request.host ? request.host->worker : RemoteHost().worker));
  worker_->setVisible(request.host.has_value());
  worker_label_->setVisible(request.host.has_value());
  warm_up_->setValue(request.counts.warm_up);
  repeats_->setValue(request.counts.repeats);
}

}  // namespace stashscope::ui
