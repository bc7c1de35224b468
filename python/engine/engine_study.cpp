#include "python/engine/engine_study.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/budget_report.h"
#include "core/report/fit_report.h"
#include "core/report/page/card.h"
#include "core/report/report.h"
#include "core/study/edits/config_edits.h"
#include "core/study/files/overwrite_guard.h"
#include "core/study/joint/joint_budget.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/search/budget_input.h"
#include "core/study/search/largest_fit.h"
#include "core/study/step/later_steps.h"
#include "core/study/step/strategy_names.h"
#include "python/engine/cancellable.h"

namespace stashscope::python {

namespace {

using StudyPointer = std::shared_ptr<const Study>;

void apply_options(const LoadOptions& options, Choices& choices) {
  for (const auto& [name, value] : options.dims) choose_dimension(name, value, choices);
  if (options.level < 0 || options.level > 2) {
    fail_usage("level " + std::to_string(options.level), "is none of 0, 1 and 2");
  }
  if (!options.plans.empty() || options.level > 0) forget_planned(choices);
  for (const std::string& each : options.plans) add_config_argument(each, choices.plans.config);
  if (options.level > 0) choices.plans.level = options.level;
  if (options.order) choose_order_named(*options.order, choices);
  for (const auto& [name, value] : options.what_ifs) {
    add_what_if(name, value, choices.graph.what_ifs);
  }
  if (!options.allocator) return;
  try {
    choices.allocator = to_string(parse_allocator_settings(*options.allocator));
  } catch (const Error& error) {
    throw error.within("allocator");
  }
}

}  // namespace

EngineStudy::EngineStudy(std::string path, std::shared_ptr<const LoadedModel> loaded,
                         std::shared_ptr<const Study> study)
    : path_(std::move(path)), loaded_(std::move(loaded)), study_(std::move(study)) {}

EngineStudy EngineStudy::load(const std::string& path, const LoadOptions& options) {
  using Loaded = std::pair<std::shared_ptr<const LoadedModel>, StudyPointer>;
  auto [loaded, study] = cancellable<Loaded>([&](const Progress& progress) {
    const auto model = std::make_shared<const LoadedModel>(
        load_model_or_session(path, [&](Choices& choices) { apply_options(options, choices); }));
    return Loaded(model, study_with_times(*model, progress));
  });
  return {path, std::move(loaded), std::move(study)};
}

std::int64_t EngineStudy::reserved_bytes() const {
  const AllocatorSettings settings =
      allocator_settings(study_->choices).value_or(AllocatorSettings());
  return reserved_memory(*study_, *study_->current, settings).reserved_bytes;
}

std::vector<std::string> EngineStudy::warnings() const {
  std::vector<std::string> all = loaded_->warnings;
  std::ranges::copy(study_->warnings, std::back_inserter(all));
  return all;
}

EngineStudy EngineStudy::with_choices(const Choices& choices, const Study* previous) const {
  return {path_, loaded_, cancellable<StudyPointer>([&](const Progress& progress) {
            return compute_study(study_->model, choices, previous, progress);
          })};
}

EngineStudy EngineStudy::ticked(const std::string& config, bool on) const {
  // Measured times hold only for the plans that they were measured with, so the parts of a measured
  // study are not reused.
  const bool is_measured = study_->times->measured > 0;
  return with_choices(with_config(*study_, study_->choices, config, on),
                      is_measured ? nullptr : study_.get());
}

EngineStudy EngineStudy::planned(const std::string& budget, const SearchOptions& options) const {
  const std::int64_t bytes =
      budget_bytes(parse_budget(budget), study_->baseline->timeline.peak_bytes);
  BudgetRequest request{bytes, find_grain(options.grain), options.limit, find_aim(options.aim)};
  request.may_change_results = options.allows_lossy;
  const auto answer =
      std::make_shared<const BudgetAnswer>(cancellable<BudgetAnswer>([&](const Progress& progress) {
        ParetoFront archive;
        return answer_budget(study_, request, archive, progress);
      }));
  EngineStudy planned = with_choices(answer->best.choices, study_.get());
  planned.answer_ = answer;
  planned.exported_ = cancellable<std::optional<ExportedEffect>>(
      [&](const Progress& progress) { return exported_effect(*planned.study_, progress); });
  return planned;
}

std::optional<std::string> EngineStudy::budget_answer() const {
  if (answer_ == nullptr) return std::nullopt;
  return budget_json(*study_, *answer_, exported_).dump();
}

std::string EngineStudy::fit(const std::string& dimension, const std::string& memory,
                             const std::optional<ReplanRequest>& replan) const {
  FitQuestion question = parse_fit(dimension);
  question.memory_bytes = memory.empty() ? memory_to_fit(*study_) : parse_bytes(memory);
  if (question.memory_bytes <= 0) {
    fail_usage("memory",
               memory.empty() ? "is not known for this device profile" : "is no size above 0",
               "give one, such as 24GiB");
  }
  const LargestFit fit = cancellable<LargestFit>(
      [&](const Progress& progress) { return largest_fit(*study_, question, progress); });
  if (!replan) return fit_json(*study_, fit).dump();
  const ReplannedFit replanned = cancellable<ReplannedFit>([&](const Progress& progress) {
    ReplannedFit found = replanned_fit(*study_, fit, *replan, progress);
    progress.update(1, "");  // throws if the search was cancelled: its result is incomplete
    return found;
  });
  return fit_json(*study_, fit, replanned).dump();
}

std::string EngineStudy::report() const {
  return cancellable<std::string>([&](const Progress&) {
    ReportInput input = report_input(*study_, path_);
    if (answer_ != nullptr) {
      input.planned.budget = *answer_;
      input.planned.exported = exported_;
    }
    return json_report(input);
  });
}

void EngineStudy::save(const std::string& path) const {
  OverwriteGuard files;
  files.add_model(loaded_->session.model, *loaded_->model);
  files.claim_session(printable(path), path);
  Session session = loaded_->session;
  if (!same_step(session.choices, study_->choices)) session.forget_measurements();
  session.choices = study_->choices;
  save_with_model(std::move(session), path);
}

std::string EngineStudy::card() const {
  return cancellable<std::string>([&](const Progress&) { return study_card(*study_, path_); });
}

}  // namespace stashscope::python
