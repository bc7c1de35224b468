#include "ui/document/document.h"

#include <QFileInfo>

#include "core/study/reserved/reserved_memory.h"
#include "ui/document/choice_command.h"
#include "ui/document/choice_words.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

std::optional<Measured> measured_of(const Session& session, const Study& study) {
  if (!session.current_measured) return std::nullopt;
  Measured measured{session.choices, {session.baseline_measured, *session.current_measured}, 0};
  const auto& [baseline, current] = measured.runs;
  const auto fits = [](const Measurement& run, const Variant& variant) {
    return run.live_bytes.size() == variant.timeline.order.size();
  };
  if (!fits(current, *study.current)) return std::nullopt;
  if (baseline && !fits(*baseline, *study.baseline)) return std::nullopt;
  measured.largest_error = largest_error(study, measured.runs);
  return measured;
}

/// Whether the file exists. False for a relative path, and if the file system gives no answer, for
/// example because a network share is gone.
bool is_there(const std::filesystem::path& file) {
  std::error_code fault;
  return file.is_absolute() && std::filesystem::exists(file, fault);
}

}  // namespace

Document::Document(QObject* parent) : QObject(parent) {
  qRegisterMetaType<Failure>();
  connect(&undo_stack_, &QUndoStack::indexChanged, this, &Document::take_answered);
  connect(&undo_stack_, &QUndoStack::cleanChanged, this, &Document::saved_changed);
  connect(&study_job_, &StudyJob::finished, this, &Document::finish);
  connect(&run_job_, &RunJob::measured, this, &Document::take_measured);
  connect(&run_job_, &RunJob::failed, &notices_, &Notices::report);
  connect(&files_, &DocumentFiles::session_not_saved, &undo_stack_, &QUndoStack::resetClean);
}

Document::~Document() { undo_stack_.disconnect(this); }

void Document::open(const QString& path) {
  open(path, [file = path.toStdString()] { return load_model_or_session(file); });
}

void Document::open(const QString& path, StudyJob::Loader loader) {
  study_job_.open(path, std::move(loader));
}

void Document::open_state(const Document& from, const Choices& choices) {
  Session session = from.session_;
  session.choices = choices;
  // The measurement belongs to other choices. The study keeps its node times.
  session.forget_measurements();
  study_job_.open({session, {}, from.model_, {}}, from.study_);
}

void Document::restore(const QString& kept_session) {
  open({}, [file = kept_session.toStdString()] { return load_model_or_session(file); });
}

void Document::compute() { study_job_.compute(model_, choices_, {study_, reserved_}); }

void Document::finish(const StudyOutcome& outcome) {
  if (outcome.failure) return finish_in_vain(*outcome.failure, outcome.is_opening);
  reserved_ = outcome.reserved;
  if (outcome.loaded) {
    take_model(*outcome.loaded, outcome.study, outcome.path);
    Q_EMIT opened();
    show_study(study_);
  } else {
    show_study(outcome.study);
  }
  take_answered();
}

void Document::finish_in_vain(const Failure& failure, bool was_opening) {
  if (!was_opening) {
    const bool awaited = !std::exchange(awaited_save_, {}).isEmpty();
    take_back_refused();
    const QString message = awaited ? tr("Nothing was saved, and the choice was undone: %1")
                                    : tr("The choice was undone: %1");
    return notices_.report({failure.kind, message.arg(failure.message)});
  }
  // Opening the file cancelled the study of the newest choices, so this study is computed again.
  if (study_ != nullptr && !is_up_to_date()) compute();
  notices_.report(failure);
}

void Document::take_model(const LoadedModel& loaded, std::shared_ptr<const Study> study,
                          const QString& path) {
  run_job_.cancel();
  if (!awaited_save_.isEmpty()) write_session(std::exchange(awaited_save_, {}));
  model_ = loaded.model;
  session_ = loaded.session;
  session_.model = std::filesystem::absolute(session_.model).lexically_normal();
  choices_ = session_.choices;
  opened_choices_ = choices_;
  measured_ = measured_of(session_, *study);
  load_notes_.clear();
  for (const std::string& note : loaded.warnings) load_notes_.push_back(shown(note));
  selection_.reset();
  study_ = timed_study(std::move(study));
  undo_stack_.clear();
  const bool is_restored = path.isEmpty();
  // `clear` leaves the clean state of an empty stack as it was, so the state is set here.
  is_restored ? undo_stack_.resetClean() : undo_stack_.setClean();
  keep_limits();
  const std::filesystem::path unsaved_of = std::exchange(session_.unsaved_of, {});
  // If the session file of the restored choices is gone, the document has no session file, and Save
  // asks for one.
  const QString file = !is_restored           ? path
                       : is_there(unsaved_of) ? QString::fromStdString(unsaved_of.string())
                                              : QString();
  const bool is_session = !file.isEmpty() && QFileInfo(file) != QFileInfo(model_path());
  files_.open(model_, session_.model, is_session ? file : QString());
}

void Document::show_study(std::shared_ptr<const Study> study) {
  study_ = std::move(study);
  selection_.take_study(study_);
  Q_EMIT study_changed();
  selection_.announce();
}

QStringList Document::notes() const {
  QStringList notes = load_notes_;
  if (study_ == nullptr) return notes;
  for (const std::string& note : study_->warnings) notes.push_back(note_text(note));
  for (QString& note : notes) note = with_stop(note);
  return notes;
}

void Document::set_budget(const QString& text) {
  if (text == budget()) return;
  session_.budget = text.toStdString();
  Q_EMIT limits_changed();
  Q_EMIT saved_changed();
}

void Document::set_fits_reserved(bool is_reserved) {
  if (is_reserved == session_.fits_reserved) return;
  session_.fits_reserved = is_reserved;
  Q_EMIT fits_changed();
  Q_EMIT limits_changed();
  Q_EMIT saved_changed();
}

bool Document::has_saved_limits() const {
  return session_.budget == saved_limits_.budget &&
         session_.fits_reserved == saved_limits_.fits_reserved;
}

void Document::keep_limits() {
  saved_limits_ = {session_.budget, session_.fits_reserved};
  Q_EMIT saved_changed();
}

std::optional<std::int64_t> Document::reserved_bytes() const {
  return reserved_ == nullptr ? std::nullopt : std::optional(reserved_->memory.reserved_bytes);
}

std::optional<AllocatorSettings> Document::allocator_that_fits() const {
  if (study_ == nullptr || !session_.fits_reserved) return std::nullopt;
  return allocator_settings(study_->choices);
}

Session Document::session() const {
  Session session = session_;
  if (study_ != nullptr) session.choices = study_->choices;
  session.baseline_measured.reset();
  session.current_measured.reset();
  if (measured() != nullptr) {
    session.baseline_measured = measured_->runs.baseline;
    session.current_measured = measured_->runs.current;
  }
  return session;
}

void Document::choose(const Choices& after, const QString& text, const QString& merge_key) {
  if (model_ != nullptr && after != choices_) push(after, text, merge_key);
}

void Document::push(const Choices& after, const QString& text, const QString& merge_key) {
  // The push removes all edits that could be redone. The edit that led to the shown choices may be
  // one of them.
  if (shown_at_ > undo_stack_.index()) shown_at_.reset();
  undo_stack_.push(
      new ChoiceCommand(choices_, after, text, merge_key, [this](const Choices& choices) {
        take_choices(choices);
        return refusing_ ? ChoiceCommand::Undone::dropped : ChoiceCommand::Undone::kept;
      }));
}

void Document::take_choices(const Choices& choices) {
  choices_ = choices;
  Q_EMIT choices_changed();
  if (is_up_to_date()) {
    study_job_.cancel();
  } else {
    compute();
  }
}

/// If the shown study belongs to the newest choices, stores the position of these choices in the
/// undo stack and writes the session file that waited for this study.
void Document::take_answered() {
  if (!is_up_to_date()) return;
  shown_at_ = undo_stack_.index();
  if (!awaited_save_.isEmpty()) write_session(std::exchange(awaited_save_, {}));
}

void Document::cancel() {
  if (!study_job_.is_busy()) return;
  const bool was_opening = study_job_.is_opening();
  study_job_.cancel();
  if (study_ == nullptr || is_up_to_date()) return;
  if (was_opening) {
    compute();
  } else {
    return_to_shown();
  }
}

void Document::return_to_shown() {
  const bool is_merged = shown_at_ == undo_stack_.index() && shown_at_ > 0;
  if (shown_at_) undo_stack_.setIndex(*shown_at_);
  if (is_up_to_date()) return;
  // The undo stack no longer has the shown choices, because the edit that led to them was merged
  // with a later edit, or a later edit took its place.
  const QUndoCommand* const last = is_merged ? undo_stack_.command(*shown_at_ - 1) : nullptr;
  const QString key =
      last == nullptr ? QString() : static_cast<const ChoiceCommand*>(last)->merge_key();
  push(study_->choices, tr("Back to the shown choices"), key);
}

/// Drops the newest edit, because its choices have no study. If the undo stack has the shown
/// choices at or after the position of this edit, for example after an undo, returns to the shown
/// choices instead.
void Document::take_back_refused() {
  if (shown_at_ >= undo_stack_.index() || !undo_stack_.canUndo()) return return_to_shown();
  refusing_ = true;
  undo_stack_.undo();
  refusing_ = false;
}

QString Document::why_wait() const {
  return study_ == nullptr ? tr("Open a model first") : exclusive_work_.why_wait();
}

QString Document::why_no_run() const {
  return is_captured(study_.get())
             ? tr("A captured step cannot be run here, because only PyTorch can run its operators")
             : why_wait();
}

void Document::run() {
  if (!why_no_run().isEmpty()) return;
  run_job_.start(study_->choices.device ? study_ : on_device(*study_, "cpu"), session_.model);
}

void Document::take_measured(const Measured& measured) {
  measured_ = measured;
  Q_EMIT measured_changed();
  if (this->measured() != nullptr) show_study(timed_study(study_));
}

std::shared_ptr<const Study> Document::timed_study(std::shared_ptr<const Study> study) const {
  if (!measured_) return study;
  const auto& [baseline, current] = measured_->runs;
  return with_measured_times(*study, baseline, current);
}

const Measured* Document::measured() const {
  if (!measured_ || study_ == nullptr) return nullptr;
  const bool fits = same_step(measured_->choices, study_->choices);
  return fits ? &*measured_ : nullptr;
}

void Document::save_session_as(const QString& path) {
  if (model_ == nullptr) return;
  if (is_up_to_date()) {
    write_session(path);
  } else {
    awaited_save_ = path;
  }
}

void Document::write_session(const QString& path) {
  if (is_up_to_date()) undo_stack_.setClean();
  keep_limits();
  files_.write_session(session(), path);
}

}  // namespace stashscope::ui
