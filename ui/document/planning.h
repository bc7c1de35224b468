#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <array>

#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"
#include "ui/document/document.h"

namespace stashscope::ui {

/// What a planner is busy with.
enum class PlanningJob { none, budget, curve, fit };

/// Asks the planner about the document's study, on a thread of its own: plans for a budget, the
/// curve of peak against time, the largest batch that fits. All plans that were found for one step
/// are kept, so that a larger budget is never dearer; they go when the step, its order or the
/// device that times are predicted for change. Lives on the interface thread.
class Planning : public QObject {
  Q_OBJECT

 public:
  explicit Planning(Document& document, QObject* parent = nullptr);
  ~Planning() override;

  /// Each of these does nothing without a study, or while a search or a run has its turn.
  /// Searches for plans within a budget. When the search ends or is stopped, what meets the budget
  /// goes into force, as an edit of the user.
  void plan(const BudgetRequest& request);
  void draw_curve(PlanGranularity grain, const SearchLimit& limit);
  void find_fit(const FitQuestion& question);
  /// Ends what is going on soon; plans that were found so far stay.
  void stop();

  PlanningJob job() const { return job_; }
  bool is_stopping() const { return progress_.cancelled(); }
  /// From 0 to 1.
  double fraction() const;
  /// Of the budget search that is going on, or of the last one.
  const BudgetRequest& request() const { return request_; }
  /// What the budget search that is going on has found and proven; nothing before its first plan.
  std::optional<BudgetAnswer> so_far() const;

  /// All plans that are known, those of coarser grains included.
  const ParetoFront& archive(PlanGranularity grain) const { return archives_[index_of(grain)]; }
  /// The cheapest of them within the budget; null when there is none.
  const ParetoPoint* known_plan(PlanGranularity grain, std::int64_t budget_bytes) const;
  /// Of the last budget, as long as it belongs to the step that is shown; else null.
  const BudgetAnswer* answer() const { return answer_ ? &*answer_ : nullptr; }
  /// What no plan of the grain can be below, whatever the budget; null where that is not known.
  const StepPeakBound* floor(PlanGranularity grain) const;
  /// The last answer, as long as it holds for what is shown; else null.
  const LargestFit* fit() const;
  /// The study that it was asked of.
  const Study& asked_of_fit() const { return *fit_->study; }

  /// Puts a plan into force, as an edit of the user.
  void use(const ParetoPoint& point);
  bool is_in_force(const ParetoPoint& point) const;

 Q_SIGNALS:
  void job_changed();
  void progressed();
  void plans_changed();   ///< plans or a floor were found or dropped
  void answer_changed();  ///< of a budget
  void fit_changed();
  void failed(stashscope::ui::PlanningJob job, const stashscope::ui::Failure& failure);

 private:
  /// Where a search leaves what it finds for the interface thread.
  class Mailbox;
  /// An answer with the study it was asked of.
  struct Fit {
    std::shared_ptr<const Study> study;
    LargestFit answer;
  };
  using Search = std::function<std::optional<BudgetAnswer>(
      const Study&, ParetoFront&, const Progress&, const OnPlan&, const OnProof&)>;

  static std::size_t index_of(PlanGranularity grain) { return static_cast<std::size_t>(grain); }
  void begin(PlanningJob job, double seconds);
  void end();
  void search(PlanningJob job, PlanGranularity grain, const SearchLimit& limit, Search search);
  void finish_search(PlanGranularity grain, const ParetoFront& found,
                     std::optional<BudgetAnswer> answer);
  void take_found();
  void add(PlanGranularity grain, ParetoPoint point);
  void tell(PlanningJob job, const std::optional<Failure>& failure);
  void take_answer(BudgetAnswer answer);
  void take_study();
  /// Found, or being searched for.
  bool has_plans() const;
  void drop_plans();
  void update_fit();

  Document& document_;
  std::shared_ptr<const Study> basis_;  ///< one of those that the plans are for
  std::array<ParetoFront, 3> archives_;
  BudgetRequest request_;
  std::optional<BudgetProof> proof_;
  std::optional<BudgetAnswer> answer_;
  std::array<std::optional<StepPeakBound>, 3> floors_;
  std::optional<Fit> fit_;
  bool fit_holds_ = false;

  PlanningJob job_ = PlanningJob::none;
  PlanGranularity grain_ = PlanGranularity::cluster;  ///< of the search that is going on
  std::uint64_t generation_ = 0;
  Progress progress_;
  std::shared_ptr<Mailbox> mailbox_;
  double limit_ = 0;  ///< seconds
  QElapsedTimer since_begin_;
  QTimer ticks_;
  // Last, so that it is joined before anything that its jobs touch goes away.
  JobThread jobs_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
