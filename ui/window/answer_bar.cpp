#include "ui/window/answer_bar.h"

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QLayout>
#include <algorithm>
#include <utility>

#include "core/graph/graph.h"
#include "core/study/edits/edits.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "core/study/reserved/reserved_memory.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"
#include "ui/widgets/drop_menu.h"
#include "ui/window/answer_texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int quiet_milliseconds = 150;
constexpr int least_answer_width = 200;

/// A text with one link. While the text has the focus, Return follows the link, without a further
/// Tab.
class OneLinkLabel : public LinkLabel {
 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const bool follows = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!follows) return LinkLabel::keyPressEvent(event);
    Q_EMIT linkActivated({});
  }
};

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
    : QToolBar(tr("Answers"), parent),
      document_(document),
      answer_(new LinkLabel),
      changes_(new OneLinkLabel) {
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
  // The number of samples stands at the right end, because it is found later than the moves and
  // must not push them aside.
  auto* const room = new QWidget;
  room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(room);
  changes_->setObjectName(u"answer_changes"_s);
  changes_->setTextFormat(Qt::RichText);
  changes_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  changes_->setAccessibleName(tr("Passes and what-ifs that are on"));
  changes_->setContentsMargins(8, 0, 8, 0);
  addWidget(changes_)->setVisible(false);
  connect(changes_, &QLabel::linkActivated, this, [this] {
    Q_EMIT passes_wanted(changes_->mapToGlobal(QPoint(0, changes_->rect().bottom() + 1)));
  });
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
    // If the user returns to the choices of the shown study, for example by undo, no other study
    // follows.
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
  if (document_.study() != nullptr) take_basis(*document_.study(), document_.reserved_bytes());
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
  const auto verdict_with = [&](const QString& device) {
    return room_text(study, room_, document_.reserved().get(), palette(), device);
  };
  const QString verdict = verdict_with(device_link(study));
  const QString memory = (is_training ? tr("%1, %2").arg(peak, optimizer) : peak) + mark + verdict;
  const QString whole = room_.no_plan_fits ? tr("%1: %2").arg(memory, floor_text(room_)) : memory;
  forms_ = {whole + mark + time_text_of(study), whole + mark + plain_time_text_of(study),
            whole + mark + short_time_text_of(study)};
  shorter_forms_ = {memory + mark + plain_time_text_of(study),
                    memory + mark + short_time_text_of(study),
                    memory,
                    peak + mark + verdict,
                    verdict,
                    verdict_with(short_device_link())};
  fit_->setToolTip(
      (document_.reserved() == nullptr ? tr("Search for the cheapest plans that fit the device.")
                                       : tr("Search for the cheapest plans whose reserved memory "
                                            "fits the device, with room for "
                                            "the CUDA context and the workspaces of libraries.")) +
      u' ' + tr("Passes that lower the peak without extra time may be switched on, too."));
  answer_->setToolTip(answer_tip(study, room_, document_.reserved().get()));
  answer_->setAccessibleDescription(answer_->toolTip());
  show_changes(study);
}

void AnswerBar::show_changes(const Study& study) {
  const QStringList changes = graph_changes(study);
  change_forms_ = changes_texts(changes);
  changes_->setToolTip(
      tr("These choices change the step, and plans are made for the changed step:\n%1\nThe menu "
         "Passes switches them on and off.")
          .arg(changes.join(u'\n')));
  changes_->setAccessibleDescription(changes_->toolTip());
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
    const std::string details =
        title_of(move).empty() ? plan_row(*moves_of_, move.row).config : description_of(move);
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
  const std::string title = title_of(move);
  return title.empty() ? tr("Recompute %1").arg(shown(names_[move.row])) : shown(title);
}

void AnswerBar::look_for_samples() {
  auto question = samples_question(*moves_of_);
  if (!question) return end_refresh();
  question->allocator = allocator_settings(moves_of_->choices);
  if (question->allocator) question->device_bytes = whole_memory(moves_of_->choices.times);
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
  const QString peak =
      largest->reserved_bytes
          ? tr("%1 (reserved: %2, with the CUDA context and libraries up to %3)")
                .arg(bytes_text(largest->peak_bytes), bytes_text(*largest->reserved_bytes),
                     bytes_text(largest->device->high_bytes))
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
  const bool lacks_room =
      room_.left < 0 || may_lack_room_outside(*study, room_, document_.reserved().get());
  const bool can_fit = room_.memory > 0 && lacks_room && !room_.nothing_fits;
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

// The offers of the answer bar as commands of the command palette.

void AnswerBar::end_refresh() {
  is_refreshing_ = false;
  show_offers();
  if (!wanted_.isEmpty()) carry_out(std::exchange(wanted_, QString()));
}

QPushButton* AnswerBar::button_of(const QString& offer) const {
  for (QPushButton* const button : offered()) {
    if (button->property(offer_name).toString() == offer) return button;
  }
  return nullptr;
}

void AnswerBar::carry_out(const QString& offer) {
  if (QPushButton* const button = button_of(offer)) {
    // `click` has no effect on a disabled button, and a button without room is disabled.
    Q_EMIT button->clicked();
  } else if (is_refreshing_) {
    wanted_ = offer;
  } else {
    const QString why = document_.why_wait();
    document_.notices().notify(why.isEmpty()
                                   ? tr("%1: not done, because it is no longer offered.").arg(offer)
                                   : tr("%1: not done. %2").arg(offer, why));
  }
}

/// The palette lists actions of `answer_`, because the bar has no room for the buttons of all
/// offers. An action is never reused for another offer, so that an open palette never runs another
/// move than the one that it lists. Until the new offers are known, the actions of the old offers
/// stay, without their prices, because the user may still want one of them.
void AnswerBar::show_offers() {
  QList<QAction*> old = answer_->actions();
  const auto take_old = [&](const QString& offer) -> QAction* {
    const auto same = std::ranges::find_if(
        old, [&](QAction* each) { return each->property(offer_name).toString() == offer; });
    return same == old.end() ? nullptr : old.takeAt(same - old.begin());
  };
  for (QPushButton* const button : offered()) {
    const QString offer = button->property(offer_name).toString();
    QAction* action = take_old(offer);
    if (action == nullptr) action = new_action(offer);
    action->setText(menu_text(button->text()));
    action->setToolTip(button->toolTip());
  }
  for (QAction* const action : old) {
    if (is_refreshing_) {
      action->setText(menu_text(action->property(offer_name).toString()));
      action->setToolTip(
          tr("Offers are still being searched for. If you choose this one now, it is carried out "
             "at the end of the search, provided it is still offered."));
    } else {
      answer_->removeAction(action);
      action->deleteLater();
    }
  }
  fit_moves();
}

QAction* AnswerBar::new_action(const QString& offer) {
  auto* const action = new QAction(answer_);
  action->setProperty(offer_name, offer);
  connect(action, &QAction::triggered, this, [this, offer] { carry_out(offer); });
  answer_->addAction(action);
  return action;
}

}  // namespace stashscope::ui
