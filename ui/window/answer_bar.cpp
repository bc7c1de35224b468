#include "ui/window/answer_bar.h"

#include <QAction>
#include <QEvent>
#include <QLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/graph/graph.h"
#include "core/study/edits/edits.h"
#include "core/study/facts/assumed_rate.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "core/study/reserved/reserved_memory.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int quiet_milliseconds = 150;
constexpr int least_answer_width = 200;
constexpr qsizetype longest_device_name = 40;

QString percent_text(double share) {
  return (share < 0 ? u"−"_s : u"+"_s) + QString::fromStdString(format_fixed(std::abs(share), 1)) +
         u" %"_s;
}

/// `A100-SXM4-80GB less 5 %`, where 5 % are kept free.
QString with_reserve(const QString& device, const TimeChoices& times) {
  return times.reserve_percent == 0
             ? device
             : AnswerBar::tr("%1 less %2 %").arg(device).arg(times.reserve_percent);
}

/// What the step must fit: the chosen device or, if the user chose another amount of memory, this
/// amount. With an amount, the device whose times are predicted is named, too, unless times were
/// measured. Names are escaped, because a profile from a file may have any name.
QString device_name(const Study& study) {
  const TimeChoices& times = study.choices.times;
  const QString name = shown(times.profile.name).left(longest_device_name).toHtmlEscaped();
  if (!times.device_memory) return with_reserve(name, times);
  QString memory = with_reserve(bytes_text(*times.device_memory), times);
  return study.times->measured == 0 ? AnswerBar::tr("%1 of memory, as fast as %2").arg(memory, name)
                                    : AnswerBar::tr("%1 of memory").arg(memory);
}

/// A link that opens the menu of devices, as rich text.
QString device_text(const Study& study) {
  return u"<a href=\"device\">%1</a>"_s.arg(device_name(study));
}

/// @param reserved null: no allocator is chosen
QString room_text(const Study& study, const StepRoom& room, const ReservedStep* reserved,
                  const QPalette& palette) {
  const QString device = device_text(study);
  if (room.memory <= 0) return AnswerBar::tr("memory of %1 unknown").arg(device);
  if (!room.tensors_fit) {
    return AnswerBar::tr("%1 %2, %3 too much")
        .arg(warning_text(AnswerBar::tr("does not fit"), palette), device, bytes_text(-room.left));
  }
  if (room.left < 0) {
    return AnswerBar::tr("tensors fit %1, but %2 by %3")
        .arg(device, warning_text(AnswerBar::tr("reserved memory exceeds it"), palette),
             bytes_text(-room.left));
  }
  const std::int64_t whole = room.memory + kept_free_bytes(study.choices.times);
  if (reserved != nullptr && reserved->device.low_bytes > whole) {
    return AnswerBar::tr("reserved memory fits %1, but %2: %3 in all")
        .arg(device, warning_text(AnswerBar::tr("not with the CUDA context"), palette),
             bytes_text(reserved->device.low_bytes));
  }
  if (!room.is_narrow) {
    return AnswerBar::tr("fits %1, %2 left").arg(device, bytes_text(room.left));
  }
  return AnswerBar::tr("<b>fits narrowly</b> %1, %2 left").arg(device, bytes_text(room.left));
}

/// `no plan frees other activations 1.5 GiB, parameters 475 MiB`
QString floor_text(const StepRoom& room) {
  return AnswerBar::tr("no plan frees %1").arg(shown(words_of(room.floor)).toHtmlEscaped());
}

/// `698 ms on cpu (+3.9 %)`. Measured times name their device, which may be another one than the
/// device that the step must fit.
QString short_time_text_of(const Study& study) {
  QString seconds = time_text(step_seconds(study, *study.current));
  if (study.times->measured > 0) {
    seconds =
        AnswerBar::tr("%1 on %2").arg(seconds, shown(study.times->measured_on).toHtmlEscaped());
  }
  return extra_seconds(study) == 0
             ? seconds
             : AnswerBar::tr("%1 (%2)").arg(seconds, percent_text(extra_seconds_percent(study)));
}

/// `nodes take 2.4 ms (+3.9 %)`, nearly as short as the text of a step without plans.
QString plain_time_text_of(const Study& study) {
  const QString text = AnswerBar::tr("nodes take %1").arg(short_time_text_of(study));
  return study.times->measured == 0 ? text : AnswerBar::tr("%1, measured").arg(text);
}

/// The sum of the times of the nodes, as in the row "Time of nodes" of the result of a run. The row
/// "Time of step" has another number.
QString time_text_of(const Study& study) {
  const QString seconds = time_text(step_seconds(study, *study.current));
  QString nodes = study.times->measured == 0
                      ? AnswerBar::tr("nodes take %1").arg(seconds)
                      : AnswerBar::tr("nodes take %1, as measured on %2")
                            .arg(seconds, shown(study.times->measured_on).toHtmlEscaped());
  const double extra = extra_seconds(study);
  if (extra == 0) return nodes;
  return AnswerBar::tr("%1, %2 of it for plans (%3)")
      .arg(nodes, time_text(extra), percent_text(extra_seconds_percent(study)));
}

/// A text that says what the peak and the time include, and what they leave out.
/// @param reserved null: no allocator is chosen
QString tip_of(const Study& study, const StepRoom& room, const ReservedStep* reserved) {
  QStringList lines;
  if (reserved == nullptr) {
    lines << AnswerBar::tr(
        "The peak counts tensors. On a GPU, the CUDA context, the rounding of the allocator and "
        "the workspaces of libraries need more memory.");
  } else {
    lines << AnswerBar::tr("PyTorch's allocator reserves %1.").arg(reserved_text(reserved->memory))
          << AnswerBar::tr(
                 "With a CUDA context and workspaces of libraries, the step takes %1. Plans are "
                 "made for what is reserved; \"Keep free\" in the menu of devices leaves room for "
                 "the rest.")
                 .arg(device_memory_text(reserved->device));
  }
  if (room.no_plan_fits) {
    lines << AnswerBar::tr("No plan frees %1.").arg(shown(words_of(room.floor)));
  }
  if (room.later.state_bytes > 0) {
    lines << AnswerBar::tr(
                 "The captured step is the first one: its optimizer makes %1 of states. Later "
                 "steps hold them from their start. Room on the device is counted for later steps.")
                 .arg(bytes_text(room.later.state_bytes));
  }
  if (study.choices.times.reserve_percent > 0) {
    lines << AnswerBar::tr(
                 "%1 of the device are kept free for memory that the peak does not count.")
                 .arg(bytes_text(kept_free_bytes(study.choices.times)));
  }
  if (room.is_narrow) {
    lines << AnswerBar::tr(
                 "Less than %1 % of the device is left for memory that the peak does not "
                 "count.")
                 .arg(narrow_percent);
  }
  if (extra_seconds(study) > 0) {
    lines << AnswerBar::tr("%1 of the time are for plans (%2).")
                 .arg(time_text(extra_seconds(study)), percent_text(extra_seconds_percent(study)));
  }
  lines << AnswerBar::tr(
      "The time is the sum over all nodes and transfers. It includes neither the time between "
      "nodes nor the update by the chosen optimizer; a run measures the whole step.");
  if (study.times->measured > 0) {
    lines << AnswerBar::tr(
                 "The times of nodes were measured on %1. A node that ran both without plans and "
                 "with the current ones has the mean of the two times, so the sum may lie between "
                 "the two columns of the run.")
                 .arg(shown(study.times->measured_on));
  }
  const std::string rate = assumed_float32_rate(study);
  if (!rate.empty()) lines << shown(rate);
  return lines.join(u'\n');
}

QString time_change_text(double seconds) {
  if (seconds == 0) return AnswerBar::tr("no extra time");
  return seconds < 0 ? AnswerBar::tr("%1 less time").arg(time_text(-seconds))
                     : AnswerBar::tr("%1 more time").arg(time_text(seconds));
}

QString tip_of(const NextMove& move, const QString& words, const QString& details) {
  QStringList lines = {
      words, AnswerBar::tr("%1 less at the peak, %2")
                 .arg(exact_bytes_text(-move.peak_change), time_change_text(move.seconds_change))};
  if (move.reserved_bytes) {
    lines << AnswerBar::tr("PyTorch's allocator then reserves %1.")
                 .arg(exact_bytes_text(*move.reserved_bytes));
  }
  lines << AnswerBar::tr("Nothing else that was tried lowers the peak as much in less time.")
        << details;
  return lines.join(u'\n');
}

/// The effect of a move on the peak and on the time of the step: `−4.5 GiB, +2.1 % time`.
QString price_text(const Study& study, const NextMove& move) {
  const double before = step_seconds(study, *study.current);
  const double share = before == 0 ? 0 : 100 * move.seconds_change / before;
  const QString price = move.seconds_change == 0
                            ? AnswerBar::tr("no extra time")
                            : AnswerBar::tr("%1 time").arg(percent_text(share));
  return u"−"_s + bytes_text(-move.peak_change) + u", "_s + price;
}

}  // namespace

AnswerBar::AnswerBar(Document& document, QWidget* parent)
    : QToolBar(tr("Answers"), parent), document_(document), answer_(new LinkLabel) {
  setObjectName(u"answer_bar"_s);
  setMovable(false);
  answer_->setObjectName(u"answer_text"_s);
  answer_->setTextFormat(Qt::RichText);
  answer_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  answer_->setAccessibleName(tr("Answers"));
  // A long answer must not widen the window.
  answer_->setMinimumWidth(least_answer_width);
  answer_->setContentsMargins(8, 0, 16, 0);
  addWidget(answer_);
  gap_ = new QWidget;
  addWidget(gap_);
  toggleViewAction()->setVisible(false);
  fit_ = add_button(u"answer_fit"_s);
  fit_->setText(tr("Make it fit"));
  fit_->setProperty(offer_name, fit_->text());
  connect(fit_, &QPushButton::clicked, this, &AnswerBar::fit_wanted);
  connect(answer_, &QLabel::linkActivated, this, &AnswerBar::follow_link);
  for (std::size_t move = 0; move < most_moves; ++move) {
    buttons_.push_back(add_button(u"answer_move_%1"_s.arg(move)));
    connect(buttons_.back(), &QPushButton::clicked, this, [this, move] { apply(move); });
  }
  // At the right end, because it is found later than the moves and must not push them aside.
  auto* const room = new QWidget;
  room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(room);
  samples_ = add_button(u"answer_samples"_s);
  connect(samples_, &QPushButton::clicked, this, &AnswerBar::use_samples);
  quiet_.setSingleShot(true);
  quiet_.setInterval(quiet_milliseconds);
  connect(&quiet_, &QTimer::timeout, this, &AnswerBar::look_for_moves);
  connect(&document_, &Document::opened, this, [this] {
    wanted_.clear();
    forget_room();
  });
  connect(&document_, &Document::choices_changed, this, [this] {
    wanted_.clear();
    // An undo may come back to the choices of the shown study, for which no other study follows.
    document_.is_up_to_date() ? show_study() : drop_moves();
  });
  connect(&document_, &Document::study_changed, this, &AnswerBar::take_study);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &AnswerBar::show_study);
  take_study();
}

QPushButton* AnswerBar::add_button(const QString& name) {
  auto* const button = new QPushButton;
  button->setObjectName(name);
  button->hide();
  // A tool bar shows and hides a widget through the action that addWidget returns.
  addWidget(button)->setVisible(false);
  return button;
}

/// Removes the moves and the number of samples: they are wrong once the choices change.
void AnswerBar::drop_moves() {
  quiet_.stop();
  search_.cancel();
  fit_search_.cancel();
  largest_.reset();
  moves_.clear();
  moves_of_.reset();
  is_refreshing_ = document_.study() != nullptr;
  show_offers();
}

void AnswerBar::take_study() {
  const auto& reserved = document_.reserved();
  const auto bytes = reserved == nullptr ? std::optional<std::int64_t>()
                                         : std::optional(reserved->memory.reserved_bytes);
  if (document_.study() != nullptr) take_basis(*document_.study(), bytes);
  show_study();
}

void AnswerBar::show_study() {
  drop_moves();
  const auto& study = document_.study();
  setVisible(study != nullptr);
  if (study == nullptr) return;
  show_answer(*study);
  show_offers();
  quiet_.start();
}

void AnswerBar::show_answer(const Study& study) {
  const std::int64_t peak_bytes = study.current->timeline.peak_bytes;
  QString peak = tr("Peak <b>%1</b>").arg(bytes_text(peak_bytes)) +
                 later_steps_text(peak_bytes, room_.later.peak_bytes,
                                  u"<b>%1</b>"_s.arg(bytes_text(room_.later.peak_bytes)));
  if (const auto& reserved = document_.reserved()) {
    peak = tr("%1, reserved <b>%2</b>").arg(peak, bytes_text(reserved->memory.reserved_bytes));
  }
  const QString optimizer = is_captured(&study)
                                ? optimizer_text(study)
                                : u"<a href=\"optimizer\">%1</a>"_s.arg(optimizer_text(study));
  const bool is_training = !study.prepared->step.parameters.empty();
  const QString mark = u" &nbsp;·&nbsp; "_s;
  const QString verdict = room_text(study, room_, document_.reserved().get(), palette());
  const QString memory = (is_training ? tr("%1, %2").arg(peak, optimizer) : peak) + mark + verdict;
  const QString whole = room_.no_plan_fits ? tr("%1: %2").arg(memory, floor_text(room_)) : memory;
  forms_ = {whole + mark + time_text_of(study), whole + mark + plain_time_text_of(study),
            whole + mark + short_time_text_of(study)};
  shorter_forms_ = {memory + mark + plain_time_text_of(study),
                    memory + mark + short_time_text_of(study), memory, peak + mark + verdict,
                    verdict};
  fit_->setToolTip(
      (document_.reserved() == nullptr
           ? tr("Search for the cheapest plans that fit the device.")
           : tr("Search for the cheapest plans whose reserved memory fits the device.")) +
      u' ' + tr("Passes that lower the peak without extra time may be switched on, too."));
  answer_->setToolTip(tip_of(study, room_, document_.reserved().get()));
  answer_->setAccessibleDescription(answer_->toolTip());
}

void AnswerBar::follow_link(const QString& link) {
  const QPoint at =
      answer_->mapToGlobal(QPoint(answer_->left_of(link), answer_->rect().bottom() + 1));
  if (link == u"optimizer"_s) {
    Q_EMIT optimizer_wanted(at);
  } else {
    Q_EMIT device_wanted(at);
  }
}

/// Starts the search for moves, unless a run or another search is in progress: the search would
/// distort the times that a run measures.
void AnswerBar::look_for_moves() {
  const auto& study = document_.study();
  if (study == nullptr || !document_.why_wait().isEmpty()) return end_refresh();
  moves_of_ = study;
  search_.ask(
      [study](const Progress& progress) { return next_moves(*study, most_moves, progress); },
      [this](std::optional<std::vector<NextMove>> moves) {
        show_moves(std::move(moves).value_or(std::vector<NextMove>()));
        if (!wanted_.isEmpty() && button_of(wanted_) != nullptr) {
          return carry_out(std::exchange(wanted_, QString()));
        }
        look_for_samples();
      });
}

void AnswerBar::show_moves(const std::vector<NextMove>& moves) {
  if (moves_of_ == nullptr) return;
  moves_ = moves;
  names_ = plan_names(*moves_of_);
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const NextMove& move = moves_[i];
    const QString words = words_of(move);
    buttons_[i]->setText(tr("%1: %2").arg(words, price_text(*moves_of_, move)));
    buttons_[i]->setProperty(offer_name, words);
    const std::string details = move.pass != nullptr ? std::string(move.pass->description)
                                                     : plan_row(*moves_of_, move.row).config;
    buttons_[i]->setToolTip(tip_of(move, words, shown(details)));
  }
  show_offers();
}

void AnswerBar::apply(std::size_t move) {
  if (move >= moves_.size() || moves_of_ != document_.study() || !document_.is_up_to_date()) {
    return;
  }
  document_.choose(moves_[move].after, words_of(moves_[move]));
}

QString AnswerBar::words_of(const NextMove& move) const {
  return move.pass != nullptr ? shown(std::string(move.pass->title))
                              : tr("Recompute %1").arg(shown(names_[move.row]));
}

void AnswerBar::look_for_samples() {
  auto question = samples_question(*moves_of_);
  if (!question) return end_refresh();
  question->allocator = allocator_settings(moves_of_->choices);
  fit_search_.ask([study = moves_of_, question = *question](
                      const Progress& progress) { return largest_fit(*study, question, progress); },
                  [this](const std::optional<LargestFit>& fit) {
                    if (fit) show_samples(*fit);
                    end_refresh();
                  });
}

void AnswerBar::show_samples(const LargestFit& fit) {
  const std::optional<FitPoint>& largest = fit.current.largest;
  const Dimension& first = fit.dimensions.front();
  if (!largest || fit.current.is_unlimited || largest->value == first.value) return;
  largest_ = fit;
  const QString name = full_text(*moves_of_, first);
  const QString peak = largest->reserved_bytes ? tr("%1 (reserved: %2)")
                                                     .arg(bytes_text(largest->peak_bytes),
                                                          bytes_text(*largest->reserved_bytes))
                                               : bytes_text(largest->peak_bytes);
  samples_->setText(counts_samples(*moves_of_, first)
                        ? tr("Batch %1 fits").arg(largest->value)
                        : tr("%1 = %2 fits").arg(name).arg(largest->value));
  samples_->setProperty(offer_name, samples_->text());
  samples_->setToolTip(
      tr("Set %1 from %2 to %3, the largest size that fits with the plans that are on\nThe peak "
         "becomes %4, the nodes take %5\nThe planner may find plans for larger sizes.")
          .arg(name)
          .arg(first.value)
          .arg(largest->value)
          .arg(peak, time_text(largest->seconds)));
  show_offers();
}

void AnswerBar::use_samples() {
  if (!largest_ || moves_of_ != document_.study() || !document_.is_up_to_date()) return;
  const std::int64_t value = largest_->current.largest->value;
  Choices choices = document_.choices();
  for (const Dimension& each : largest_->dimensions) {
    choices = with_dimension(*moves_of_, choices, each, value);
  }
  document_.choose(
      choices,
      tr("Set %1 to %2").arg(full_text(*moves_of_, largest_->dimensions.front())).arg(value));
}

std::vector<QPushButton*> AnswerBar::offered() const {
  const auto& study = document_.study();
  if (study == nullptr) return {};
  std::vector<QPushButton*> buttons;
  const bool can_plan = !study->graph().data().captured || !study->opportunities->plans.empty();
  const bool can_fit = room_.memory > 0 && room_.left < 0 && !room_.nothing_fits;
  if (can_plan && can_fit) buttons.push_back(fit_);
  if (largest_) buttons.push_back(samples_);
  buttons.insert(buttons.end(), buttons_.begin(),
                 buttons_.begin() + static_cast<std::ptrdiff_t>(moves_.size()));
  return buttons;
}

void AnswerBar::changeEvent(QEvent* event) {
  QToolBar::changeEvent(event);
  const bool is_looks =
      event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange;
  if (!is_looks || document_.study() == nullptr) return;
  answer_room_ = 0;
  show_answer(*document_.study());
  fit_moves();
}

void AnswerBar::resizeEvent(QResizeEvent* event) {
  QToolBar::resizeEvent(event);
  fit_moves();
}

}  // namespace stashscope::ui
