#include "app/planning.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/joint/joint_budget.h"
#include "core/study/search/budget_input.h"
#include "core/study/step/later_steps.h"

namespace stashscope::app {

namespace {

std::int64_t memory_of(const PlanningOptions& options, const Study& study) {
  if (!options.memory.empty()) return memory_in("--memory", options.memory);
  const std::int64_t memory = memory_to_fit(study);
  if (memory > 0) return memory;
  fail_usage("--fit", "the profile has no memory size", "give the memory size with --memory SIZE");
}

/// @pre a budget is given
BudgetInput budget_of(const PlanningOptions& options) {
  return read_option("--budget", [&] { return parse_budget(*options.budget); });
}

PlanGranularity grain_of(const PlanningOptions& options) {
  return options.grain ? find_grain(*options.grain) : PlanGranularity::cluster;
}

void add_fit_options(CLI::App& program, PlanningOptions& options, CLI::Option* batch) {
  CLI::Option* const fit =
      program
          .add_option("--fit", options.fit,
                      "find the largest value of a dimension that fits into the memory; several "
                      "names share one value, which the report calls LABEL")
          ->type_name("[LABEL=]NAME[,NAME...]")
          ->needs(batch);
  program
      .add_option("--memory", options.memory,
                  "memory for --fit, such as 80GiB, 512MiB or 12GB (default: the memory of the "
                  "profile)")
      ->type_name("SIZE")
      ->needs(fit);
  program
      .add_flag("--fit-replan", options.replans_fit,
                "let --fit also make a plan for each value; --grain, --time-limit, --move-limit "
                "and --seed hold for the search at each value")
      ->needs(fit);
}

/// Throws a usage Error for options that do not go together with the grain.
void check_grain(const PlanningOptions& options) {
  const bool is_joint = grain_of(options) == PlanGranularity::joint;
  if (options.allows_lossy && !is_joint) {
    fail_usage("--allow-lossy", "has no effect by itself", "give --grain joint");
  }
  if (!is_joint) return;
  for (const auto& [is_given, option] :
       {std::pair(options.pareto > 0, "--pareto"), std::pair(options.replans_fit, "--fit-replan"),
        std::pair(find_aim(options.aim) != PlanAim::time, "--minimise operations")}) {
    if (!is_given) continue;
    fail_usage("--grain joint", std::string("cannot be used with ") + option,
               "leave one of them out");
  }
}

/// Throws a usage Error if the other options do not go with an option such as `--fits reserved`.
void check_fits_reserved(const PlanningOptions& options, const std::string& fits) {
  if (!options.budget && options.fit.empty()) {
    fail_usage(fits, "has no effect by itself", "give --budget BYTES or --fit NAME");
  }
  if (options.pareto > 0) {
    fail_usage(fits, "cannot be used with --pareto, whose budgets are for tensors",
               "leave one of them out");
  }
  if (find_aim(options.aim) != PlanAim::time) {
    fail_usage(fits, "cannot be used with --minimise operations", "leave one of them out");
  }
  if (options.budget && grain_of(options) == PlanGranularity::joint) {
    fail_usage(fits, "cannot be used with --grain joint", "leave one of them out");
  }
}

FitQuestion fit_option(const std::string& text) {
  try {
    return parse_fit(text);
  } catch (const Error& error) {
    throw Error(error.kind(), "--fit " + error.where(), error.reason(), error.hint());
  }
}

/// The question that --fit asks; empty without --fit. Throws a usage Error for dimensions that the
/// study lacks.
std::optional<FitQuestion> asked_fit(const PlanningOptions& options, const Study& study) {
  if (options.fit.empty()) return std::nullopt;
  FitQuestion question = fit_option(options.fit);
  question.memory_bytes = memory_of(options, study);
  fit_dimensions(study, question);
  return question;
}

/// The memory into which the step and the memory outside tensors must fit together: --memory or,
/// without it, the whole device. The part that --keep-free keeps free counts as available here,
/// because it is meant for memory outside tensors.
std::int64_t whole_device(const PlanningOptions& options, const Study& study) {
  return options.memory.empty() ? whole_memory(study.choices.times) : memory_of(options, study);
}

/// Makes a question of --fit or a request for a budget limit the reserved memory.
/// @param bytes the limit of reserved memory and memory outside tensors together, for `--fits
/// device`
template <class Asked>
void limit_reserved(const std::optional<ReservedLimit>& reserved, std::int64_t bytes,
                    Asked& asked) {
  if (!reserved) return;
  asked.allocator = reserved->allocator;
  asked.others = reserved->others;
  if (reserved->holds_others) asked.device_bytes = bytes;
}

}  // namespace

void add_planning_options(CLI::App& program, PlanningOptions& options, CLI::Option* batch) {
  program
      .add_option(
          "--budget", options.budget,
          "find plans for a peak of at most BYTES and switch them on; BYTES is a size (12GiB), or "
          "compares with the peak without plans: a reduction (-4GiB) or a share of it (60%)")
      ->type_name("BYTES")
      ->needs(batch);
  program
      .add_option(
          "--pareto", options.pareto,
          "list the cheapest plans for up to POINTS budgets, from the lowest peak found to the "
          "peak without plans")
      ->type_name("POINTS")
      ->check(CLI::Range(2, 1000))
      ->needs(batch);
  program
      .add_option(
          "--grain", options.grain,
          "unit of a plan: cluster (exported as config strings), node (each node runs "
          "at most twice, execution order kept) or sequence (any order, any number of runs); or "
          "joint, for --budget only: what-ifs and passes together with plans of all units")
      ->type_name("NAME")
      ->needs(batch);
  program
      .add_flag("--allow-lossy", options.allows_lossy,
                "let --grain joint also choose what changes the results of a step: compressed "
                "tensors, and micro-batches of a model that mixes its samples")
      ->needs(batch);
  program
      .add_option("--minimise", options.aim,
                  "quantity that plans for --budget minimise: time (the added time, the default) "
                  "or operations (the added operations; captured steps only)")
      ->type_name("AIM")
      ->needs(batch);
  for (CLI::Option* const each : add_limit_options(program, options.limit)) each->needs(batch);
  add_fit_options(program, options, batch);
}

void check_planning(const PlanningOptions& options, const AllocatorOptions& fits) {
  check_limit(options.limit);
  check_grain(options);
  if (limits_reserved(fits)) check_fits_reserved(options, "--fits " + fits.fits);
  if (find_aim(options.aim) != PlanAim::time && !options.budget) {
    fail_usage("--minimise", "has no effect by itself", "give --budget BYTES");
  }
  if (options.budget) {
    budget_of(options);
  } else if (options.grain && options.pareto == 0 && !options.replans_fit) {
    fail_usage("--grain", "has no effect by itself",
               "give --budget BYTES, --pareto POINTS or --fit-replan");
  }
}

PlanningResults plan(const PlanningOptions& options, const std::optional<ReservedLimit>& reserved,
                     std::shared_ptr<const Study>& study, Session& session) {
  std::optional<FitQuestion> fit = asked_fit(options, *study);
  if (fit) limit_reserved(reserved, whole_device(options, *study), *fit);
  if (options.replans_fit) check_plannable(*study, grain_of(options));
  PlanningResults results;
  ParetoFront archive;
  const PlanGranularity grain = grain_of(options);
  if (options.pareto > 0) {
    results.curve = pareto_curve(*study, grain, options.pareto, options.limit, archive, Progress());
  }
  if (options.budget) {
    const std::int64_t bytes =
        budget_bytes(budget_of(options), study->baseline->timeline.peak_bytes);
    BudgetRequest request{bytes, grain, options.limit, find_aim(options.aim)};
    limit_reserved(reserved, bytes, request);
    request.may_change_results = options.allows_lossy;
    results.budget = answer_budget(study, request, archive, Progress());
    session.choices = results.budget->best.choices;
    session.forget_measurements();
    study = study_of(*results.budget, *study);
    results.exported = exported_effect(*study, Progress());
  }
  if (fit) results.fit = largest_fit(*study, *fit, Progress());
  if (fit && options.replans_fit) {
    results.replanned = replanned_fit(*study, *results.fit, {grain, options.limit}, Progress());
  }
  return results;
}

}  // namespace stashscope::app
