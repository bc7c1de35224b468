#include "ui/document/document.h"

#include <QFileInfo>
#include <chrono>

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/onnx/model_file.h"
#include "core/study/facts/exported_config.h"
#include "core/study/step/step_export.h"
#include "ui/document/choice_command.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr auto least_time_between_reports = std::chrono::milliseconds(40);

/// Reports from another thread that arrive at `receiver` on its own, and not too often.
template <class Take>
Progress progress_to(QObject* receiver, Take take) {
  using Clock = std::chrono::steady_clock;
  return Progress([receiver, take, last = Clock::time_point()](double fraction,
                                                               std::string_view stage) mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < least_time_between_reports) return;
    last = now;
    const QString text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
    QMetaObject::invokeMethod(
        receiver, [take, fraction, text] { take(fraction, text); }, Qt::QueuedConnection);
  });
}

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

/// An error names the file: another model may still be on the screen.
std::shared_ptr<const Study> first_study(const LoadedModel& loaded, const Progress& progress) {
  try {
    return compute_study(loaded.model, loaded.session.choices, nullptr, progress);
  } catch (const Error& error) {
    throw error.within(printable(loaded.session.model.string()));
  }
}

}  // namespace

/// What a computation on the other thread ends with.
struct Document::Outcome {
  std::optional<Failure> failure;
  std::optional<LoadedModel> loaded;  ///< when another model was loaded
  QString path;                       ///< of that
  std::shared_ptr<const Study> study;
};

Document::Document(QObject* parent) : QObject(parent) {
  qRegisterMetaType<Failure>();
  connect(&undo_stack_, &QUndoStack::indexChanged, this, &Document::take_answered);
}

Document::~Document() {
  undo_stack_.disconnect(this);
  computation_.cancel();
  run_.cancel();
}

void Document::open(const QString& path) {
  open(path, [file = path.toStdString()] { return load_model_or_session(file, nullptr); });
}

void Document::open(const QString& path, Loader loader) {
  const Progress progress = restart_computation();
  opening_ = true;
  computing_.post([this, path, loader, progress, generation = generation_] {
    Outcome outcome;
    outcome.path = path;
    outcome.failure = failure_of([&] {
      progress.update(0, "loading");
      outcome.loaded = loader();
      outcome.study = first_study(*outcome.loaded, progress);
    });
    QMetaObject::invokeMethod(
        this, [this, generation, outcome] { finish(generation, outcome); }, Qt::QueuedConnection);
  });
}

void Document::restore(const QString& kept_session) {
  open({}, [file = kept_session.toStdString()] { return load_model_or_session(file, nullptr); });
}

void Document::end_computation() {
  computation_.cancel();
  ++generation_;
  opening_ = false;
  set_busy(false);
}

Progress Document::restart_computation() {
  computation_.cancel();
  ++generation_;
  opening_ = false;
  computation_ =
      progress_to(this, [this, generation = generation_](double fraction, QString stage) {
        if (generation == generation_ && busy_) Q_EMIT progressed(fraction, stage);
      });
  set_busy(true);
  return computation_;
}

void Document::compute() {
  const Progress progress = restart_computation();
  computing_.post([this, model = model_, choices = choices_, previous = study_, progress,
                   generation = generation_] {
    Outcome outcome;
    outcome.failure = failure_of(
        [&] { outcome.study = compute_study(model, choices, previous.get(), progress); });
    QMetaObject::invokeMethod(
        this, [this, generation, outcome] { finish(generation, outcome); }, Qt::QueuedConnection);
  });
}

void Document::finish(std::uint64_t generation, Outcome outcome) {
  if (generation != generation_) return;
  const bool was_opening = std::exchange(opening_, false);
  set_busy(false);
  if (outcome.failure) return finish_in_vain(*outcome.failure, was_opening);
  if (outcome.loaded) {
    take_subject(outcome);
    Q_EMIT opened();
  }
  show_study(outcome.study);
  take_answered();
}

void Document::finish_in_vain(const Failure& failure, bool was_opening) {
  if (!was_opening) {
    const bool awaited = !std::exchange(awaited_save_, {}).isEmpty();
    take_back_refused();
    const QString told = awaited ? tr("Nothing was saved and the choice was taken back: %1")
                                 : tr("The choice was taken back: %1");
    Q_EMIT failed({failure.kind, told.arg(failure.message)});
    return;
  }
  // An edit may have been on its way when the file was opened.
  if (study_ != nullptr && !is_answered()) compute();
  Q_EMIT failed(failure);
}

void Document::take_subject(Outcome& outcome) {
  cancel_run();
  if (!awaited_save_.isEmpty()) write_session(std::exchange(awaited_save_, {}));
  model_ = outcome.loaded->model;
  session_ = std::move(outcome.loaded->session);
  session_.model = std::filesystem::absolute(session_.model).lexically_normal();
  choices_ = session_.choices;
  measured_ = measured_of(session_, *outcome.study);
  load_notes_.clear();
  for (const std::string& note : outcome.loaded->warnings) {
    load_notes_.push_back(QString::fromStdString(to_valid_utf8(note)));
  }
  const bool is_restored = outcome.path.isEmpty();
  const bool is_session = !is_restored && QFileInfo(outcome.path) != QFileInfo(model_path());
  session_path_ = is_session ? outcome.path : QString();
  selection_ = Selection();
  outcome.study = timed_study(outcome.study);
  study_ = outcome.study;
  undo_stack_.clear();
  if (is_restored) undo_stack_.resetClean();
  Q_EMIT paths_changed();
}

void Document::show_study(std::shared_ptr<const Study> study) {
  study_ = std::move(study);
  const Timeline& timeline = study_->current->timeline;
  step_of_ = IdVector<NodeId, std::size_t>(study_->current->dataflow.topology.nodes());
  for (std::size_t step = 0; step < timeline.order.size(); ++step) {
    step_of_[timeline.order[step]] = step;
  }
  // Ids of clones mean other nodes now.
  std::erase_if(selection_.nodes,
                [&](NodeId id) { return study_->current->dataflow.is_clone(id); });
  if (selection_.node.valid() && study_->current->dataflow.is_clone(selection_.node)) {
    selection_.node = NodeId();
  }
  if (selection_.at_peak) {
    selection_.step = timeline.peak_slot;
  } else if (selection_.node.valid()) {
    selection_.step = step_of_[selection_.node];
  }
  selection_.step = std::min(selection_.step, std::max<std::size_t>(1, timeline.order.size()) - 1);
  Q_EMIT study_changed();
  Q_EMIT selection_changed();
}

QStringList Document::notes() const {
  QStringList notes = load_notes_;
  if (study_ == nullptr) return notes;
  for (const std::string& note : study_->warnings) {
    notes.push_back(QString::fromStdString(to_valid_utf8(note)));
  }
  return notes;
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
  // What could be redone is cut off.
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
  if (is_answered()) {
    end_computation();
  } else {
    compute();
  }
}

/// The choices are those of the study that is shown, and so can be opened again.
void Document::take_answered() {
  if (!is_answered()) return;
  shown_at_ = undo_stack_.index();
  if (!awaited_save_.isEmpty()) write_session(std::exchange(awaited_save_, {}));
}

void Document::cancel() {
  if (!busy_) return;
  const bool was_opening = opening_;
  end_computation();
  if (study_ == nullptr || is_answered()) return;
  if (was_opening) {
    compute();
  } else {
    return_to_shown();
  }
}

void Document::return_to_shown() {
  const bool is_merged = shown_at_ == undo_stack_.index() && shown_at_ > 0;
  if (shown_at_) undo_stack_.setIndex(*shown_at_);
  if (is_answered()) return;
  // Its place is gone: later edits were merged with it or made in its stead.
  const QUndoCommand* const last = is_merged ? undo_stack_.command(*shown_at_ - 1) : nullptr;
  const QString key =
      last == nullptr ? QString() : static_cast<const ChoiceCommand*>(last)->merge_key();
  push(study_->choices, tr("Back to what is shown"), key);
}

/// Drops the newest edit, or what was merged into it since the study that is shown.
void Document::take_back_refused() {
  if (shown_at_ >= undo_stack_.index() || !undo_stack_.canUndo()) return return_to_shown();
  refusing_ = true;
  undo_stack_.undo();
  refusing_ = false;
}

void Document::set_busy(bool busy) {
  if (busy_ == busy) return;
  busy_ = busy;
  Q_EMIT busy_changed();
}

QString Document::why_wait() const {
  return study_ == nullptr ? tr("Open a model first") : exclusive_work_.why_wait();
}

void Document::run() {
  if (!why_wait().isEmpty()) return;
  const auto study = study_->choices.device ? study_ : on_device(*study_, "cpu");
  ++run_generation_;
  run_ = progress_to(this, [this, generation = run_generation_](double fraction, QString stage) {
    if (running_ && generation == run_generation_) Q_EMIT run_progressed(fraction, stage);
  });
  set_running(true);
  running_jobs_.post([this, study, model = session_.model, request = run_request_, progress = run_,
                      generation = run_generation_] {
    Measured measured;
    measured.choices = study->choices;
    const auto failure = failure_of([&] {
      measured.runs = measure_in_worker(*study, model, request, nullptr, progress);
      measured.largest_error = largest_error(*study, measured.runs);
    });
    QMetaObject::invokeMethod(
        this, [=, this] { finish_run(generation, failure, measured); }, Qt::QueuedConnection);
  });
}

void Document::cancel_run() {
  if (!running_) return;
  run_.cancel();
  ++run_generation_;
  set_running(false);
}

void Document::finish_run(std::uint64_t generation, std::optional<Failure> failure,
                          const Measured& measured) {
  if (generation != run_generation_) return;
  set_running(false);
  if (failure) {
    Q_EMIT failed(*failure);
    return;
  }
  take_measured(measured);
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

void Document::set_running(bool running) {
  if (running_ == running) return;
  running_ = running;
  if (running) {
    exclusive_work_.begin(HeavyWork::run);
  } else {
    exclusive_work_.end();
  }
  Q_EMIT running_changed();
}

const Measured* Document::measured() const {
  if (!measured_ || study_ == nullptr) return nullptr;
  const bool fits = same_step(measured_->choices, study_->choices);
  return fits ? &*measured_ : nullptr;
}

void Document::select_node(NodeId node, Cursor cursor) {
  if (study_ == nullptr || !step_of_.contains(node)) return;
  const bool follows = cursor == Cursor::follows;
  selection_ = {node,
                {node},
                {},
                follows ? step_of_[node] : selection_.step,
                follows ? false : selection_.at_peak};
  Q_EMIT selection_changed();
}

void Document::select_nodes(std::vector<NodeId> nodes, const QString& title,
                            std::optional<std::size_t> step) {
  if (study_ == nullptr) return;
  if (step) {
    selection_.step = *step;
    selection_.at_peak = false;
  }
  selection_.node = NodeId();
  selection_.nodes = std::move(nodes);
  selection_.title = title;
  Q_EMIT selection_changed();
}

void Document::select_step(std::size_t step) {
  if (study_ == nullptr || step >= study_->current->timeline.order.size()) return;
  const NodeId node = study_->current->timeline.order[step];
  selection_ = {node, {node}, {}, step, false};
  Q_EMIT selection_changed();
}

void Document::clear_selection() {
  selection_.node = NodeId();
  selection_.nodes.clear();
  selection_.title.clear();
  Q_EMIT selection_changed();
}

void Document::write(std::function<void()> job, Answer answer) {
  writing_.post([this, job = std::move(job), answer = std::move(answer)] {
    const auto failure = failure_of(job);
    QMetaObject::invokeMethod(
        this, [answer, failure] { answer(failure); }, Qt::QueuedConnection);
  });
}

void Document::write_in_background(const QString& done, std::function<void()> job) {
  write(std::move(job), [this, done](const std::optional<Failure>& failure) {
    if (failure) {
      Q_EMIT failed(*failure);
    } else if (!done.isEmpty()) {
      Q_EMIT noticed(done);
    }
  });
}

OverwriteGuard Document::files_read() const {
  OverwriteGuard files;
  files.add_model(session_.model, *model_);
  if (!session_path_.isEmpty()) files.add_session(session_path_.toStdString());
  return files;
}

void Document::write_file(const QString& path, const QString& done, std::function<void()> job) {
  if (model_ == nullptr) return;
  write_in_background(
      done, [files = files_read(), file = path.toStdString(), job = std::move(job)]() mutable {
        files.claim(printable(file), file, "a file");
        job();
      });
}

void Document::save_session_as(const QString& path) {
  if (model_ == nullptr) return;
  if (is_answered()) {
    write_session(path);
  } else {
    awaited_save_ = path;
  }
}

void Document::write_session(const QString& path) {
  if (is_answered()) undo_stack_.setClean();
  write(
      [session = session(), files = files_read(), file = path.toStdString()]() mutable {
        files.claim_session(printable(file), file);
        session.model_hash = hash_file(session.model);
        save_session(session, file);
      },
      [this, model = model_, path](const std::optional<Failure>& failure) {
        finish_saving(model, path, failure);
      });
}

void Document::finish_saving(const std::shared_ptr<const Graph>& model, const QString& path,
                             const std::optional<Failure>& failure) {
  const bool still_open = model == model_;
  if (failure) {
    if (still_open) undo_stack_.resetClean();
    Q_EMIT failed(*failure);
    return;
  }
  if (still_open) session_path_ = path;
  Q_EMIT paths_changed();
  Q_EMIT noticed(tr("Saved %1").arg(path));
  Q_EMIT session_saved();
}

void Document::save_modified_model(const QString& path) {
  if (study_ == nullptr) return;
  write_in_background(tr("Saved %1").arg(path),
                      [study = study_, files = files_read(), file = path.toStdString()]() mutable {
                        files.claim_model(printable(file), file, "a model");
                        save_model(modified_graph(*study), file);
                      });
}

void Document::export_environment(const QString& path) {
  if (study_ == nullptr) return;
  QStringList told = {tr("Exported %1").arg(path)};
  for (const std::string& each : exported_config(*study_).left_out) {
    told << QString::fromStdString(to_valid_utf8(each));
  }
  write_file(path, told.join(u"; "_s), [study = study_, file = path.toStdString()] {
    write_file_atomically(file, environment_block(*study));
  });
}

}  // namespace stashscope::ui
