#include "ui/panels/dimensions/sweep_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "core/graph/micro_batches.h"
#include "core/study/choices/micro_batch_sizes.h"
#include "core/study/edits/edits.h"
#include "ui/document/choice_words.h"
#include "ui/document/dimension_presets.h"
#include "ui/text/enabling.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int number_width = 72;
constexpr int name_length = 12;
constexpr int start_after = 120;  // milliseconds; several quick changes start one sweep
constexpr int first_count = 17;
constexpr int most_points = 257;
constexpr std::int64_t least_end = 16;
/// The range is not extended beyond this multiple of the current size. A current size below
/// `least_end` counts as `least_end`.
constexpr std::int64_t farthest_end = 64;

/// The step accepts only multiples of this number as sizes, because micro-batches divide the batch.
std::int64_t distance_of_sizes(const Study& study, const Dimension& of) {
  return is_split(study.graph(), of) ? runs_in_step(study.graph()) : 1;
}

}  // namespace

SweepPanel::SweepPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      dimension_(new QComboBox),
      progress_(new QProgressBar),
      start_(new QPushButton(tr("Again"))),
      cancel_(new QPushButton(tr("Cancel"))),
      chart_(new SweepChart) {
  setObjectName(u"sweep_panel"_s);
  chart_->current_if([this] { return is_current(); });
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_head());
  layout->addWidget(chart_, 1);
  set_main_widget(*this, chart_);
  delay_.setSingleShot(true);
  delay_.setInterval(start_after);
  connect(&delay_, &QTimer::timeout, this, &SweepPanel::ask);
  connect(dimension_, &QComboBox::activated, this, &SweepPanel::propose_range);
  for (QSpinBox* const box : {from_, to_, count_}) {
    connect(box, &QSpinBox::valueChanged, this, [this, box] {
      if (box != count_) is_range_proposed_ = false;
      delay_.start();
    });
  }
  connect(start_, &QPushButton::clicked, this, &SweepPanel::start);
  connect(cancel_, &QPushButton::clicked, this, &SweepPanel::cancel);
  connect(chart_, &SweepChart::value_chosen, this, &SweepPanel::set_size);
  connect(&job_, &SweepJob::found, this, &SweepPanel::take_point);
  connect(&job_, &SweepJob::ended, this, [this] {
    show_state();
    extend_range();
  });
  connect(&job_, &SweepJob::failed, &document_.notices(), &Notices::report);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &SweepPanel::take_turn);
  connect(&document_, &Document::study_changed, this, &SweepPanel::take_study);
  connect(&document_, &Document::fits_changed, this, &SweepPanel::ask);
  connect(&document_, &Document::opened, this, [this] { dimension_->clear(); });
  show_state();
}

QSpinBox* SweepPanel::make_number(const QString& name, const QString& accessible_name, int least,
                                  int most) {
  auto* const box = new QSpinBox;
  box->setObjectName(name);
  box->setAccessibleName(accessible_name);
  box->setRange(least, most);
  box->setAlignment(Qt::AlignRight);
  box->setKeyboardTracking(false);
  box->setFixedWidth(number_width);
  pass_undo_keys(*box);
  return box;
}

QWidget* SweepPanel::make_head() {
  const int most = static_cast<int>(largest_dimension);
  dimension_->setObjectName(u"sweep_dimension"_s);
  dimension_->setAccessibleName(tr("Dimension of the chart"));
  dimension_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  dimension_->setMinimumContentsLength(name_length);
  dimension_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  from_ = make_number(u"sweep_from"_s, tr("First size"), 1, most);
  to_ = make_number(u"sweep_to"_s, tr("Last size"), 2, most);
  count_ = make_number(u"sweep_points"_s, tr("Number of sizes"), 2, most_points);
  count_->setValue(first_count);
  start_->setObjectName(u"sweep_start"_s);
  cancel_->setObjectName(u"sweep_cancel"_s);
  progress_->setObjectName(u"sweep_progress"_s);
  progress_->setAccessibleName(tr("Progress of the curve"));
  progress_->setTextVisible(false);
  progress_->setFixedSize(12 * spacing_unit, spacing_unit);
  auto* const head = new QWidget;
  auto* const layout = new QHBoxLayout(head);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit);
  layout->addWidget(dimension_, 2);
  layout->addWidget(new QLabel(tr("from")));
  layout->addWidget(from_);
  layout->addWidget(new QLabel(tr("to")));
  layout->addWidget(to_);
  layout->addWidget(new QLabel(tr("with up to")));
  layout->addWidget(count_);
  layout->addWidget(new QLabel(tr("sizes")));
  layout->addStretch(1);
  layout->addWidget(progress_);
  layout->addWidget(start_);
  layout->addWidget(cancel_);
  return head;
}

const Dimension* SweepPanel::dimension() const {
  const auto& study = document_.study();
  const auto index = static_cast<std::size_t>(dimension_->currentIndex());
  if (study == nullptr || index >= study->sizes->dims.dimensions.size()) return nullptr;
  return &study->sizes->dims.dimensions[index];
}

void SweepPanel::take_study() {
  list_dimensions();
  const Dimension* const now = dimension();
  if (now != nullptr) chart_->set_value(now->value);
  const DeviceProfile profile = profile_in_force(document_.study()->choices.times);
  chart_->set_memory(profile.memory_bytes, shown(profile.name));
  // A range that the user has set stays.
  if (now != nullptr && is_range_proposed_ && now->value > to_->value()) return propose_range();
  ask();
}

void SweepPanel::list_dimensions() {
  QStringList names;
  const Study& study = *document_.study();
  for (const Dimension& each : study.sizes->dims.dimensions) names << full_text(study, each);
  QStringList listed;
  for (int i = 0; i < dimension_->count(); ++i) listed << dimension_->itemText(i);
  if (names == listed) return;
  const QString before = dimension_->currentText();
  dimension_->clear();
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dimension_->addItem(full_text(study, each), shown(each.name));
  }
  const auto kept = names.indexOf(before);
  dimension_->setCurrentIndex(static_cast<int>(std::max<qsizetype>(0, kept)));
  if (kept < 0) propose_range();
}

void SweepPanel::propose_range() {
  const Dimension* const now = dimension();
  if (now == nullptr) return;
  const QSignalBlocker quiet_from(from_);
  const QSignalBlocker quiet_to(to_);
  from_->setValue(1);
  to_->setValue(static_cast<int>(std::clamp(2 * now->value, least_end, largest_dimension)));
  is_range_proposed_ = true;
  ask();
}

void SweepPanel::extend_range() {
  const Dimension* const now = dimension();
  const bool is_complete = shown_ && chart_->points().size() == shown_->values.size();
  if (now == nullptr || !is_range_proposed_ || !is_complete) return;
  const auto beyond = size_beyond(chart_->points(), memory_to_fit(*document_.study()));
  const std::int64_t farthest =
      std::min(largest_dimension, farthest_end * std::max(now->value, least_end));
  if (!beyond || *beyond <= to_->value() || *beyond > farthest) return;
  const QSignalBlocker quiet(to_);
  to_->setValue(static_cast<int>(*beyond));
  ask();
}

void SweepPanel::show_dimension(const QString& name) {
  const int index = dimension_->findData(name);
  if (index < 0) return;
  dimension_->setCurrentIndex(index);
  propose_range();
}

void SweepPanel::set_seen(bool seen) {
  seen_ = seen;
  ask();
}

std::vector<std::int64_t> SweepPanel::values_of(const Dimension& of) const {
  const std::int64_t distance = distance_of_sizes(*document_.study(), of);
  std::vector<std::int64_t> values = sweep_values((from_->value() + distance - 1) / distance,
                                                  to_->value() / distance, count_->value());
  for (std::int64_t& value : values) value *= distance;
  return values;
}

QString SweepPanel::why_no_values() const {
  return from_->value() > to_->value()
             ? tr("The first size is above the last size.")
             : tr("No size in this range is a multiple of the number of micro-batches.");
}

SweepPanel::Question SweepPanel::question(const Dimension& of) const {
  return {document_.study(), of.name, values_of(of), document_.allocator_that_fits()};
}

bool SweepPanel::is_current() const {
  if (job_.is_running() || delay_.isActive()) return false;
  const Dimension* const of = dimension();
  return of == nullptr ? !shown_ : is_answered(question(*of));
}

bool SweepPanel::is_answered(const Question& question) const {
  return shown_ && shown_->dimension == question.dimension && shown_->values == question.values &&
         shown_->allocator == question.allocator &&
         have_same_sweep(*shown_->study, *question.study, question.dimension);
}

/// If the panel is visible and the points on the screen are out of date, starts a sweep. During a
/// run, shows the reason to wait instead.
void SweepPanel::ask() {
  if (!seen_) return;
  const Dimension* const of = dimension();
  if (of == nullptr) {
    shown_.reset();
    job_.cancel();
    chart_->start({}, document_.study() == nullptr
                          ? tr("Open a model to see how its peak grows.")
                          : tr("All sizes of this model are fixed: there is nothing to vary."));
    return show_state();
  }
  if (is_answered(question(*of))) return extend_range();
  if (!waits()) return start();
  shown_.reset();
  chart_->start({}, document_.exclusive_work().why_wait());
  show_state();
}

/// Cancels the sweep when a run begins, and starts it again after the run: a sweep would distort
/// the measured times.
void SweepPanel::take_turn() {
  if (!waits()) return ask();
  if (job_.is_running()) {
    shown_.reset();
    job_.cancel();
  }
  show_state();
}

void SweepPanel::start() {
  const Dimension* const of = dimension();
  if (of == nullptr) return;
  shown_ = question(*of);
  const DeviceProfile profile = profile_in_force(shown_->study->choices.times);
  const std::int64_t from = from_->value();
  chart_->start(
      {full_text(*shown_->study, *of), from, std::max<std::int64_t>(from + 1, to_->value()),
       profile.memory_bytes, shown(profile.name), of->value, shown_->allocator.has_value()},
      shown_->values.empty() ? why_no_values() : tr("Computing the points…"));
  progress_->setRange(0, static_cast<int>(shown_->values.size()));
  progress_->setValue(0);
  job_.start(shown_->study, *of, coarse_first(shown_->values), shown_->allocator);
  show_state();
}

void SweepPanel::cancel() { job_.cancel(); }

void SweepPanel::show_state() {
  const bool running = job_.is_running();
  const bool is_complete = shown_ && chart_->points().size() == shown_->values.size();
  const bool has_dimension = dimension() != nullptr;
  progress_->setVisible(running);
  cancel_->setVisible(running);
  start_->setVisible(!running && has_dimension && !is_complete);
  enable_unless(*start_, waits() ? document_.exclusive_work().why_wait() : QString(),
                tr("Computes the curve again"));
  for (QWidget* const each : std::initializer_list<QWidget*>{dimension_, from_, to_, count_}) {
    each->setEnabled(has_dimension);
  }
}

void SweepPanel::take_point(const SweepPoint& point) {
  chart_->add(point);
  progress_->setValue(static_cast<int>(chart_->points().size()));
}

void SweepPanel::set_size(std::int64_t size) {
  const Dimension* const of = dimension();
  if (of == nullptr) return;
  document_.choose(with_dimension(*document_.study(), document_.choices(), *of, size),
                   tr("Set %1 to %2").arg(full_text(*document_.study(), *of)).arg(size));
}

}  // namespace stashscope::ui
