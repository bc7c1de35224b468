#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <array>

#include "core/study/search/budget.h"
#include "core/study/search/device_fit.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/replanned_fit.h"
#include "ui/document/document.h"

namespace stashscope::ui {

/// The planner's current job.
enum class PlanningJob { none, budget, curve, fit };

/// What a step costs.
struct StepFigures {
  std::int64_t peak_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< not set: no allocator is chosen
  double seconds = 0;                          ///< predicted time of a step
};

/// Runs the planner on the document's study, on another thread. The planner finds plans for a
/// budget, the Pareto front of peak and time, or the largest size of a dimension with which the
/// step fits. The best plans found for a step are kept, so that a search with a larger budget never
/// returns a slower plan. These plans are dropped when the step, its order or its node times
/// change. Lives on the interface thread.
class Planning : public QObject {
  Q_OBJECT

 public:
  explicit Planning(Document& document, QObject* parent = nullptr);
  ~Planning() override;

  /// The functions `plan`, `make_fit`, `draw_curve` and `find_fit` do nothing while
  /// `Document::why_wait` gives a reason to wait.

  /// Searches for plans within a budget. When the search ends or is stopped, the best plan that
  /// meets the budget is applied, as an edit of the user. Passes stay as they are. If passes that
  /// add no time allow better plans, `offer` has these passes and plans. A search for the reserved
  /// memory of an allocator ends without an answer if other settings of the allocator are chosen
  /// meanwhile. With the granularity `joint`, what-ifs and passes are switched on together with the
  /// plans, as one edit.
  void plan(const BudgetRequest& request);
  /// As `plan`, but the budget limits the peak of later steps
  /// (`BudgetRequest::limits_later_steps`), and passes that lower the peak without extra time may
  /// be switched on together with the plans. With the granularity `joint`, the same as `plan`.
  void make_fit(BudgetRequest request);
  void draw_curve(PlanGranularity grain, const SearchLimit& limit);
  /// Searches for the largest size that fits, once with the plans that are on and once without
  /// plans. If `replan` is given and the step can have plans, a second search makes a plan for each
  /// size that it tries. The answers of the first search are shown while the second goes on.
  void find_fit(const FitQuestion& question, const std::optional<ReplanRequest>& replan = {});
  /// Whether a search for this question is going on and was not stopped.
  bool is_finding(const FitQuestion& question, const std::optional<ReplanRequest>& replan) const;
  /// Stops the current job soon; plans found so far stay.
  void stop();
  /// Ends a search for a budget or a largest size at once and without an answer: no plan is
  /// applied. Plans found so far stay.
  void abandon();

  PlanningJob job() const { return job_; }
  bool is_stopping() const { return progress_.cancelled(); }
  /// Progress of the current job, from 0 to 1.
  double fraction() const;
  /// The request of the current or last budget search.
  const BudgetRequest& request() const { return request_; }
  /// Best known plan and lower bounds during a budget search. Empty while no plan is known or no
  /// budget search runs, and during a search with a budget for reserved memory or for later steps.
  std::optional<BudgetAnswer> so_far() const;

  /// The best known plans of a granularity other than `joint`, including the plans of coarser
  /// granularities.
  const ParetoFront& archive(PlanGranularity grain) const {
    return known_.archives[index_of(grain)];
  }
  /// The cheapest known plan within the budget; null if no known plan meets the budget.
  const ParetoPoint* known_plan(PlanGranularity grain, std::int64_t budget_bytes) const;
  /// The answer of the last budget search. Null until a budget search ends, and after the known
  /// plans were dropped.
  const BudgetAnswer* answer() const { return known_.answer ? &*known_.answer : nullptr; }
  /// The step as it was when the current or last budget search began.
  const StepFigures& before() const { return known_.before; }
  /// The passes that were switched on together with the plan of `answer`.
  const std::vector<const GraphPass*>& passes_of_answer() const { return known_.passes_of_answer; }
  /// Plans that the last search found, but did not switch on: better plans than its answer that
  /// need passes without extra time, or a joint answer above the budget. Null if there are no such
  /// plans, while they are on, and after the known plans were dropped.
  const DeviceFit* offer() const;
  /// Switches `offer` on, as one edit of the user.
  void use_offer();
  /// Lower bound on the peak of every plan of this granularity; null while unknown.
  const StepPeakBound* floor(PlanGranularity grain) const;
  /// The last answer to `find_fit`; null if no answer is valid for the shown study. An answer for
  /// reserved memory is valid for the settings of its allocator only.
  const LargestFit* fit() const;
  /// The study that `fit` was computed for.
  /// @pre `fit` or `replanned` is not null
  const Study& asked_of_fit() const { return *fit_->study; }
  /// The last answer to `find_fit`, without the plans made for each size. Can be called while only
  /// `replanned` is valid.
  /// @pre `fit` or `replanned` is not null
  const LargestFit& last_fit() const { return fit_->answer; }

  /// The state of a search that makes a plan for each size.
  struct Replanning {
    std::int64_t value = 0;             ///< the size that is tried
    std::optional<PlannedFit> largest;  ///< the largest size that fits so far
    QElapsedTimer since_begin;          ///< time since the search at `value` began
  };
  /// Null while no such search is going on.
  const Replanning* replanning() const { return replanning_ ? &*replanning_ : nullptr; }
  /// The last answer with a plan made for each size; null if no such answer is valid for the shown
  /// study. The answer stays valid while its size and plan are in use.
  const ReplannedFit* replanned() const;
  /// Sets the size of `replanned` together with its plan and passes, as an edit of the user.
  void use_replanned();
  /// Whether the current choices have the size and the plan of `replanned`.
  bool is_replanned_in_use() const;

  /// Applies a plan, as an edit of the user.
  void use(const ParetoPoint& point);
  bool is_in_force(const ParetoPoint& point) const;

 Q_SIGNALS:
  void job_changed();
  void progressed();
  void plans_changed();   ///< plans or a lower bound were found or dropped
  void answer_changed();  ///< the answer of a budget search changed
  void fit_changed();
  void failed(stashscope::ui::PlanningJob job, const stashscope::ui::Failure& failure);

 private:
  /// Hands the results of a search to the interface thread.
  class Mailbox;
  /// An answer to `find_fit`, with the study that it was computed for.
  struct Fit {
    std::shared_ptr<const Study> study;
    LargestFit answer;
    std::optional<ReplannedFit> replanned;
  };
  /// The answer of a budget search, which is applied, and a better one that needs passes.
  struct Answer {
    DeviceFit applied;
    std::optional<DeviceFit> offer;
  };
  /// What searches found for the step of a study.
  struct Known {
    std::shared_ptr<const Study> basis;   ///< the plans belong to its step, order and times
    std::array<ParetoFront, 4> archives;  ///< by granularity; empty for `joint`
    StepFigures before;
    std::optional<BudgetAnswer> answer;
    std::vector<const GraphPass*> passes_of_answer;
    std::optional<DeviceFit> offer;
    std::array<std::optional<StepPeakBound>, 4> floors;
  };
  /// Returns the answer of a budget search; nothing for a search of another kind.
  using Search =
      std::function<std::optional<Answer>(const std::shared_ptr<const Study>&, ParetoFront&,
                                          const Progress&, const OnPlan&, const OnProof&)>;

  static std::size_t index_of(PlanGranularity grain) { return static_cast<std::size_t>(grain); }
  void begin(PlanningJob job, double seconds);
  void end();
  void cancel();
  void search(PlanningJob job, PlanGranularity grain, const SearchLimit& limit, Search search);
  void begin_budget(const BudgetRequest& request, Search search);
  void finish_search(PlanGranularity grain, const ParetoFront& found, std::optional<Answer> answer);
  void take_found();
  void add(PlanGranularity grain, const ParetoPoint& point);
  void tell(PlanningJob job, const std::optional<Failure>& failure);
  void take_answer(BudgetAnswer answer);
  void take_fit(DeviceFit answer, const QString& title);
  void take_joint(DeviceFit answer);
  void use_joint(DeviceFit answer);
  void apply(DeviceFit answer, const QString& text);
  void adopt();
  void take_study();
  void end_stale_budget();
  /// Whether the user has chosen these settings of the allocator. An answer about reserved memory
  /// holds only while its settings are the chosen ones. nullopt stands for an answer about tensors,
  /// which does not depend on an allocator: returns true.
  bool is_chosen(const std::optional<AllocatorSettings>& allocator) const;
  /// Whether plans are known or being searched for.
  bool has_plans() const;
  void tell_dropped(const Study& study);
  void change_basis(const Study& study);
  void take_sizes(const Fit& fit);
  void end_fit(const std::optional<Fit>& found, const std::optional<Failure>& failure);
  void update_fit();
  void end_stale_replanning();

  Document& document_;
  Known known_;  ///< of the shown study
  /// After `apply` changed the graph: the plans and the answer for the step before the change, in
  /// case the user undoes the change. After that undo: the plans and the answer for the step after
  /// the change, in case the user redoes it.
  std::optional<Known> other_side_;
  BudgetRequest request_;
  std::optional<BudgetProof> proof_;
  /// The answer that `apply` applied, until its study arrives.
  std::optional<DeviceFit> adopted_;
  std::optional<Fit> fit_;
  bool fit_holds_ = false;
  FitQuestion question_;                 ///< of the current or last search for a largest size
  std::optional<ReplanRequest> replan_;  ///< of the same search
  std::optional<Replanning> replanning_;

  PlanningJob job_ = PlanningJob::none;
  PlanGranularity grain_ = PlanGranularity::cluster;  ///< granularity of the current search
  std::uint64_t generation_ = 0;
  Progress progress_;
  std::shared_ptr<Mailbox> mailbox_;
  double limit_ = 0;  ///< time limit of the current search, in seconds
  QElapsedTimer since_begin_;
  QTimer ticks_;
  // Declared last, so that its thread ends before the members that its jobs use are destroyed.
  JobThread jobs_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
