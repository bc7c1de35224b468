#include "ui/document/planning.h"

#include <QSignalBlocker>
#include <atomic>
#include <utility>

#include "core/study/joint/joint_budget.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/search/planning_basis.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

constexpr int tick = 100;  // milliseconds
constexpr std::size_t points_of_curve = 24;

/// The answer of a joint search, with the study under the choices of this answer.
DeviceFit joint_fit(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                    const Progress& progress) {
  DeviceFit fit{study, {}, plan_jointly(study, request, progress), {}};
  const Choices& choices = fit.answer.best.choices;
  fit.study = fit.answer.joint->study;
  for (const std::string& pass : choices.graph.passes) {
    if (!study->choices.graph.passes.contains(pass)) fit.passes.push_back(&find_pass(pass));
  }
  return fit;
}

/// The choices with the plans, the graph choices (passes, what-ifs, precision) and the sizes of an
/// answer.
Choices with_answer(const Choices& choices, const DeviceFit& answer) {
  const Choices& best = answer.answer.best.choices;
  Choices made = with_plans_of(choices, best);
  made.graph = best.graph;
  made.dims = best.dims;
  return made;
}

}  // namespace

class Planning::Mailbox {
 public:
  void put(const ParetoPoint& point) {
    const std::lock_guard lock(mutex_);
    points_.push_back(point);
  }
  std::vector<ParetoPoint> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(points_, {});
  }

  void put_proof(const BudgetProof& proof) {
    const std::lock_guard lock(mutex_);
    proof_ = proof;
  }
  std::optional<BudgetProof> take_proof() {
    const std::lock_guard lock(mutex_);
    return std::exchange(proof_, {});
  }

  std::atomic<double> fraction = 0;

 private:
  std::mutex mutex_;
  std::optional<BudgetProof> proof_;
  std::vector<ParetoPoint> points_;
};

Planning::Planning(Document& document, QObject* parent) : QObject(parent), document_(document) {
  ticks_.setInterval(tick);
  connect(&ticks_, &QTimer::timeout, this, [this] {
    take_found();
    Q_EMIT progressed();
  });
  connect(&document_, &Document::opened, this, [this] {
    // A running fit search belongs to the previous model, so it is cancelled here. Budget and curve
    // searches are cancelled by `change_basis`.
    if (job_ == PlanningJob::fit) progress_.cancel();
  });
  connect(&document_, &Document::study_changed, this, &Planning::take_study);
}

Planning::~Planning() {
  progress_.cancel();
  // The signal is blocked, because its receivers may already be partly destroyed.
  const QSignalBlocker quiet(document_.exclusive_work());
  if (job_ != PlanningJob::none) document_.exclusive_work().end();
}

void Planning::begin(PlanningJob job, double seconds) {
  ++generation_;
  proof_.reset();
  job_ = job;
  limit_ = seconds;
  mailbox_ = std::make_shared<Mailbox>();
  progress_ = Progress(
      [mailbox = mailbox_](double fraction, std::string_view) { mailbox->fraction = fraction; });
  since_begin_.start();
  ticks_.start();
  document_.exclusive_work().begin(HeavyWork::search);
}

void Planning::end() {
  ticks_.stop();
  job_ = PlanningJob::none;
  proof_.reset();
  replanning_.reset();
  progress_ = Progress();
  document_.exclusive_work().end();
}

double Planning::fraction() const {
  if (job_ == PlanningJob::none) return 0;
  if (job_ == PlanningJob::fit) return mailbox_->fraction;
  return std::min(1.0, static_cast<double>(since_begin_.elapsed()) / (1000 * limit_));
}

void Planning::plan(const BudgetRequest& request) {
  begin_budget(
      request, [request](const std::shared_ptr<const Study>& study, ParetoFront& archive,
                         const Progress& progress, const OnPlan& on_plan, const OnProof& on_proof) {
        if (request.grain == PlanGranularity::joint) {
          return Answer{joint_fit(study, request, progress), {}};
        }
        // This share of the limit is for the search without passes, because its answer is applied.
        constexpr double share_without = 0.7;
        BudgetOffers found =
            plan_with_offers(study, request, share_without, archive, progress, on_plan, on_proof);
        return Answer{{study, {}, std::move(found.plain), {}}, std::move(found.with_passes)};
      });
}

void Planning::make_fit(BudgetRequest request) {
  if (request.grain == PlanGranularity::joint) return plan(request);
  request.limits_later_steps = true;
  begin_budget(
      request, [request](const std::shared_ptr<const Study>& study, ParetoFront& archive,
                         const Progress& progress, const OnPlan& on_plan, const OnProof& on_proof) {
        return Answer{plan_to_fit(study, request, archive, progress, on_plan, on_proof), {}};
      });
}

void Planning::begin_budget(const BudgetRequest& request, Search search) {
  if (!document_.why_wait().isEmpty()) return;
  request_ = request;
  const Study& study = *document_.study();
  known_.before = {study.current->timeline.peak_bytes, {}, step_seconds(study, *study.current)};
  if (document_.reserved())
    known_.before.reserved_bytes = document_.reserved()->memory.reserved_bytes;
  known_.answer.reset();
  known_.passes_of_answer.clear();
  known_.offer.reset();
  this->search(PlanningJob::budget, request.grain, request.limit, std::move(search));
  Q_EMIT answer_changed();
}

void Planning::draw_curve(PlanGranularity grain, const SearchLimit& limit) {
  if (!document_.why_wait().isEmpty()) return;
  search(PlanningJob::curve, grain, limit,
         [grain, limit](const std::shared_ptr<const Study>& study, ParetoFront& archive,
                        const Progress& progress, const OnPlan& on_plan, const OnProof&) {
           pareto_curve(*study, grain, points_of_curve, limit, archive, progress, on_plan);
           return std::nullopt;
         });
}

void Planning::search(PlanningJob job, PlanGranularity grain, const SearchLimit& limit,
                      Search search) {
  grain_ = grain;
  begin(job, limit.seconds);
  jobs_.post([this, job, grain, search = std::move(search), study = document_.study(),
              archive = known_.archives[index_of(grain)], progress = progress_, mailbox = mailbox_,
              generation = generation_]() mutable {
    std::optional<Answer> answer;
    const auto failure = failure_of([&] {
      answer = search(
          study, archive, progress, [&](const ParetoPoint& point) { mailbox->put(point); },
          [&](const BudgetProof& proof) { mailbox->put_proof(proof); });
    });
    auto finish = [=, this, archive = std::move(archive), answer = std::move(answer)] {
      if (generation != generation_) return;
      finish_search(grain, archive, answer);
      tell(job, failure);
    };
    QMetaObject::invokeMethod(this, std::move(finish), Qt::QueuedConnection);
  });
  Q_EMIT job_changed();
}

void Planning::finish_search(PlanGranularity grain, const ParetoFront& found,
                             std::optional<Answer> answer) {
  take_found();
  for (const ParetoPoint& point : found.points()) add(grain, point);
  end();
  Q_EMIT plans_changed();
  if (answer) {
    known_.offer = std::move(answer->offer);
    const bool is_joint = answer->applied.answer.joint != nullptr;
    if (is_joint) take_joint(std::move(answer->applied));
    if (!is_joint) take_fit(std::move(answer->applied), tr("Make it fit"));
  }
  Q_EMIT job_changed();
}

/// Applies an answer with passes, or with plans alone.
void Planning::take_fit(DeviceFit answer, const QString& title) {
  if (answer.passes.empty()) return take_answer(std::move(answer.answer));
  if (!same_planning_basis(known_.basis->choices, document_.choices())) return;
  if (!is_chosen(answer.answer.request.allocator)) return;
  const QString text = tr("%1: peak %2 → %3, %4")
                           .arg(title, bytes_text(known_.before.peak_bytes),
                                bytes_text(answer.answer.best.peak_bytes),
                                counted(answer.passes.size(), tr("1 pass on"), tr("%1 passes on")));
  apply(std::move(answer), text);
}

/// Applies a joint answer within the budget, and offers one with a higher peak.
void Planning::take_joint(DeviceFit answer) {
  if (!same_planning_basis(known_.basis->choices, document_.choices())) return;
  const bool is_in_use = with_answer(document_.choices(), answer) == document_.choices();
  if (answer.answer.feasible && !is_in_use) return use_joint(std::move(answer));
  known_.passes_of_answer = answer.passes;
  known_.answer = answer.answer;
  if (!is_in_use) known_.offer = std::move(answer);
  Q_EMIT answer_changed();
}

void Planning::use_joint(DeviceFit answer) {
  const ParetoPoint& best = answer.answer.best;
  const JointFacts& joint = *answer.answer.joint;
  const QString text = tr("Joint plan: peak %1 → %2, a step %3 → %4")
                           .arg(bytes_text(known_.before.peak_bytes), bytes_text(best.peak_bytes),
                                time_text(joint.seconds_before), time_text(joint.seconds));
  apply(std::move(answer), text);
}

/// Applies an answer as one edit. Its passes or what-ifs change the step, so `take_study` will drop
/// all known plans and the last answer. `adopt` then puts this answer in their place.
void Planning::apply(DeviceFit answer, const QString& text) {
  const Choices choices = with_answer(document_.choices(), answer);
  adopted_ = std::move(answer);
  document_.choose(choices, text);
}

const DeviceFit* Planning::offer() const {
  if (!known_.offer) return nullptr;
  const bool is_in_use = with_answer(document_.choices(), *known_.offer) == document_.choices();
  return is_in_use ? nullptr : &*known_.offer;
}

void Planning::use_offer() {
  if (!known_.offer || !document_.is_up_to_date()) return;
  if (known_.offer->answer.joint != nullptr) return use_joint(*known_.offer);
  take_fit(*known_.offer, tr("Planner, with passes"));
}

/// Takes over the answer that `apply` applied, if the new study has the same step as this answer.
void Planning::adopt() {
  const std::optional<DeviceFit> adopted = std::exchange(adopted_, {});
  if (!adopted || !same_planning_basis(*adopted->study, *known_.basis)) return;
  const PlanGranularity grain = adopted->answer.request.grain;
  for (const ParetoPoint& point : adopted->found.points()) add(grain, point);
  known_.floors[index_of(grain)] = adopted->answer.floor;
  known_.answer = adopted->answer;
  known_.passes_of_answer = adopted->passes;
  Q_EMIT plans_changed();
  Q_EMIT answer_changed();
}

void Planning::take_answer(BudgetAnswer answer) {
  // A stopped search may return a worse plan than the plans that it reported before, so the best
  // known plan is taken instead. Known plans state only the peak of tensors in this step. If the
  // budget is for reserved memory or for later steps, the answer of the search is therefore kept.
  const std::int64_t budget = answer.request.budget_bytes;
  if (!answer.request.allocator && !is_for_later_steps(*known_.basis, answer.request)) {
    const ParetoPoint& best = archive(answer.request.grain).best(budget);
    if (best.choices != answer.best.choices) {
      answer.best = best;
      answer.later_peak_bytes = later_peak_bytes(*known_.basis, best);
    }
    answer.feasible = answer.best.peak_bytes <= budget;
  }
  if (answer.floor) known_.floors[index_of(answer.request.grain)] = answer.floor;
  known_.answer = std::move(answer);
  if (known_.answer->feasible && is_chosen(known_.answer->request.allocator) &&
      same_planning_basis(known_.basis->choices, document_.choices())) {
    use(known_.answer->best);
  }
  Q_EMIT answer_changed();
}

void Planning::tell(PlanningJob job, const std::optional<Failure>& failure) {
  if (failure && failure->kind != ErrorKind::cancelled) Q_EMIT failed(job, *failure);
}

void Planning::stop() {
  if (job_ == PlanningJob::none) return;
  progress_.cancel();
  Q_EMIT job_changed();
}

/// Ends the job; its result is not taken any more.
void Planning::cancel() {
  progress_.cancel();
  ++generation_;
  end();
}

void Planning::abandon() {
  if (job_ != PlanningJob::budget && job_ != PlanningJob::fit) return;
  take_found();
  cancel();
  Q_EMIT job_changed();
}

void Planning::take_found() {
  const std::vector<ParetoPoint> points = mailbox_->take();
  for (const ParetoPoint& point : points) add(grain_, point);
  const auto proof = mailbox_->take_proof();
  if (proof) {
    proof_ = proof;
    known_.floors[index_of(grain_)] = proof->floor;
  }
  if (!points.empty() || proof) Q_EMIT plans_changed();
}

/// Adds a plan to the archive of its granularity and to the archives of all finer granularities,
/// because a plan can also be expressed in a finer granularity.
void Planning::add(PlanGranularity grain, const ParetoPoint& point) {
  const std::size_t finer = index_of(PlanGranularity::joint);
  for (std::size_t i = index_of(grain); i < finer; ++i) known_.archives[i].add(point);
}

const ParetoPoint* Planning::known_plan(PlanGranularity grain, std::int64_t budget_bytes) const {
  const ParetoFront& plans = archive(grain);
  if (plans.points().empty()) return nullptr;
  const ParetoPoint& best = plans.best(budget_bytes);
  return best.peak_bytes <= budget_bytes ? &best : nullptr;
}

std::optional<BudgetAnswer> Planning::so_far() const {
  const ParetoFront& plans = archive(request_.grain);
  if (job_ != PlanningJob::budget || plans.points().empty()) return std::nullopt;
  if (request_.allocator || is_for_later_steps(*known_.basis, request_)) return std::nullopt;
  BudgetAnswer so_far;
  so_far.request = request_;
  so_far.best = plans.best(request_.budget_bytes);
  so_far.feasible = so_far.best.peak_bytes <= request_.budget_bytes;
  if (proof_) {
    so_far.floor = proof_->floor;
    so_far.least_extra_seconds = proof_->least_extra_seconds;
  }
  return so_far;
}

const StepPeakBound* Planning::floor(PlanGranularity grain) const {
  const auto& floor = known_.floors[index_of(grain)];
  return floor ? &*floor : nullptr;
}

void Planning::use(const ParetoPoint& point) {
  document_.choose(with_plans_of(document_.choices(), point.choices),
                   tr("Planner: peak %1, +%2")
                       .arg(bytes_text(point.peak_bytes), time_text(point.extra_seconds)));
}

bool Planning::is_in_force(const ParetoPoint& point) const {
  return with_plans_of(document_.choices(), point.choices) == document_.choices();
}

void Planning::take_study() {
  const auto& study = document_.study();
  if (known_.basis == nullptr || !same_planning_basis(*known_.basis, *study)) {
    if (has_plans()) tell_dropped(*study);
    change_basis(*study);
  }
  // `same_planning_basis` accepts any order if the basis has a planned order. A study with an order
  // strategy therefore becomes the new basis, so that a later change of the order is noticed.
  if (known_.basis == nullptr || study->choices.order.strategy) known_.basis = study;
  adopt();
  update_fit();
  end_stale_budget();
  end_stale_replanning();
}

void Planning::end_stale_budget() {
  if (job_ == PlanningJob::budget && !is_chosen(request_.allocator)) abandon();
}

bool Planning::is_chosen(const std::optional<AllocatorSettings>& allocator) const {
  if (!allocator) return true;
  bool is_same = false;
  // Until their study is refused, the newest choices may have settings that cannot be read. Such
  // settings equal no others.
  failure_of([&] { is_same = allocator_settings(document_.choices()) == allocator; });
  return is_same;
}

/// If only the times of the nodes have changed, a notice says why the known plans are dropped,
/// because the panels show no change.
void Planning::tell_dropped(const Study& study) {
  if (known_.basis == nullptr || known_.basis->model != study.model) return;
  const QString dropped = tr("Plans found with the previous times are dropped; search again.");
  Choices timed = known_.basis->choices;
  timed.times = study.choices.times;
  if (known_.basis->choices == study.choices) {
    document_.notices().notify(tr("The run measured new node times. %1").arg(dropped));
  } else if (same_planning_basis(timed, study.choices)) {
    document_.notices().notify(
        tr("%1 has other node times. %2").arg(shown(study.choices.times.profile.name), dropped));
  }
}

bool Planning::has_plans() const {
  return job_ == PlanningJob::budget || job_ == PlanningJob::curve ||
         std::any_of(known_.archives.begin(), known_.archives.end(),
                     [](const ParetoFront& each) { return !each.points().empty(); });
}

/// Takes a study with another step as the basis. The known plans belong to the previous step, so
/// they are dropped. An edit of `apply` is an exception: the plans of the step before the edit are
/// kept for undo and, after the undo, the plans of the step after the edit for redo.
void Planning::change_basis(const Study& study) {
  const bool was_searching = job_ == PlanningJob::budget || job_ == PlanningJob::curve;
  const bool is_adopted = adopted_ && same_planning_basis(*adopted_->study, study);
  const bool is_known = other_side_ && same_planning_basis(*other_side_->basis, study);
  if (is_known && !is_adopted) {
    std::swap(known_, *other_side_);
  } else {
    other_side_ = is_adopted ? std::optional(known_) : std::nullopt;
    known_ = {};
    if (is_adopted) known_.before = other_side_->before;
  }
  if (was_searching) cancel();
  Q_EMIT plans_changed();
  Q_EMIT answer_changed();
  if (was_searching) Q_EMIT job_changed();
}

}  // namespace stashscope::ui
