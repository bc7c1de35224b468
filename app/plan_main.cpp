// Plans a task graph that is given as a text file: finds the order with the lowest peak, or the
// cheapest sequence within a budget. Places the buffers of a static arena.

#include <cstdio>
#include <iostream>

#include "app/options.h"
#include "app/outputs.h"
#include "app/plan_arena.h"
#include "app/process_start.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/planner/planning_instance.h"
#include "core/planner/sequence_plan.h"
#include "core/schedule/minimal/minimal_order.h"

namespace stashscope::app {
namespace {

struct PlanOptions {
  std::string instance;
  std::optional<std::int64_t> budget;
  std::optional<double> budget_percent;
  bool order_only = false;
  RecomputeRules rules;
  ArenaOptions arena;
  SearchLimit limit;
  std::string out;
};

void add_options(CLI::App& program, PlanOptions& options) {
  program
      .add_option("INSTANCE", options.instance,
                  "Problem file: line 'n m persistent', n lines 'cost memory', m lines "
                  "'producer consumer'; with --arena a CSV file")
      ->required();
  auto* const budget =
      program.add_option("--budget", options.budget,
                         "Largest allowed peak, including persistent memory, in the "
                         "file's unit");
  auto* const percent =
      program.add_option("--budget-percent", options.budget_percent,
                         "Largest allowed peak in percent of the given order's peak, both without "
                         "persistent memory");
  budget->excludes(percent);
  auto* const order_only = program
                               .add_flag("--order-only", options.order_only,
                                         "Run each task once, in the order with the lowest peak")
                               ->excludes(budget)
                               ->excludes(percent);
  auto* const keep_order =
      program
          .add_flag("--keep-order", options.rules.keeps_order,
                    "Keep the first runs of the tasks in the given order; additional runs may come "
                    "anywhere")
          ->excludes(order_only);
  auto* const arena = add_arena_options(program, options.arena);
  for (CLI::Option* const each : {budget, percent, order_only, keep_order}) arena->excludes(each);
  add_limit_options(program, options.limit);
  program.add_option("--out", options.out,
                     "Write the sequence: task numbers, one per line; with --arena the instance "
                     "with a column 'offset'");
}

void check_options(const PlanOptions& options) {
  const bool has_budget = options.budget || options.budget_percent;
  if (!has_budget && !options.order_only && !options.arena.is_chosen) {
    fail_usage("the command line", "does not say what to search for",
               "give --budget N, --budget-percent P, --order-only or --arena");
  }
  if (options.budget && *options.budget < 0) fail_usage("--budget", "is below 0");
  if (options.budget_percent && !(*options.budget_percent > 0 && *options.budget_percent <= 1e4)) {
    fail_usage("--budget-percent", "must be above 0 and at most 10000");
  }
  check_limit(options.limit);
}

/// The answer to --order-only or to a budget.
struct Answer {
  std::vector<TaskId> sequence;
  std::int64_t bound = 0;    ///< lower bound on the quantity `bounded`
  const char* bounded = "";  ///< `peak` or `cost`
  std::int64_t reached = 0;  ///< value of `bounded` in this answer
  bool feasible = true;
  std::int64_t peak_lower_bound = 0;
  bool impossible = false;  ///< the budget is below `peak_lower_bound`
};

void print(const Answer& answer, const SequenceMemory& memory, const SequenceMemory& given,
           double seconds) {
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::printf(
      "cost %lld (+%.3f %%) peak %lld (given order %lld) %s bound %lld gap %.3f %% steps %zu "
      "seconds %.2f%s\n",
      static_cast<long long>(memory.cost), share(memory.cost - given.cost, given.cost),
      static_cast<long long>(memory.peak_bytes), static_cast<long long>(given.peak_bytes),
      answer.bounded, static_cast<long long>(answer.bound),
      share(answer.reached - answer.bound, answer.bound), answer.sequence.size(), seconds,
      answer.feasible ? "" : " OVER BUDGET");
  if (answer.impossible) {
    std::printf("proven infeasible: no sequence has a peak below %lld\n",
                static_cast<long long>(answer.peak_lower_bound));
  }
}

std::string over_budget(const Answer& answer) {
  const std::string least = std::to_string(answer.peak_lower_bound);
  return answer.impossible ? "is below " + least + ", a proven lower bound on the peak"
                           : "was not reached; no peak below " + least +
                                 " is possible; the time or move limit ended the search";
}

Answer find_order(const PlanningInstance& instance, const SearchLimit& limit) {
  const OrderAnswer found =
      minimal_order(instance.graph, {instance.given_order}, limit, Progress());
  return {found.order, found.bound_bytes, "peak", found.peak_bytes};
}

Answer find_sequence(const PlanningInstance& instance, std::int64_t budget,
                     const PlanOptions& options) {
  const SequencePlan plan = plan_sequence(instance.graph, {instance.given_order}, budget,
                                          options.rules, options.limit, Progress());
  return {plan.found.sequence,       plan.cost_bound,     "cost",
          plan.found.cost,           plan.found.feasible, plan.peak_lower_bound,
          plan.is_impossible(budget)};
}

std::int64_t budget_of(const PlanOptions& options, const PlanningInstance& instance,
                       const SequenceMemory& given) {
  if (options.budget) return *options.budget;
  const std::int64_t fixed = instance.graph.persistent_bytes;
  const auto free = static_cast<double>(given.peak_bytes - fixed);
  return fixed + static_cast<std::int64_t>(free * *options.budget_percent / 100);
}

/// Throws if the answer cannot be written to `out`, or would overwrite the instance. An empty `out`
/// is accepted.
void check_output(const std::string& instance, const std::string& out) {
  if (out.empty()) return;
  OverwriteGuard files;
  files.add(instance, "the instance");
  files.claim("--out " + printable(out), out, "the file of --out");
  require_writable({out});
}

int plan(const PlanOptions& options) {
  check_options(options);
  check_output(options.instance, options.out);
  if (options.arena.is_chosen) {
    return plan_arena(options.instance, options.arena, options.limit, options.out);
  }
  const SearchClock clock({}, Progress());
  const PlanningInstance instance = read_instance(options.instance);
  const SequenceMemory given = memory_of(instance.graph, instance.given_order);
  const Answer answer = options.order_only
                            ? find_order(instance, options.limit)
                            : find_sequence(instance, budget_of(options, instance, given), options);
  if (!options.out.empty()) write_sequence(options.out, answer.sequence);
  print(answer, memory_of(instance.graph, answer.sequence), given, clock.seconds());
  if (std::fflush(stdout) != 0) std::cout.setstate(std::ios::badbit);
  flush_output();
  if (!answer.feasible) fail_input("the budget", over_budget(answer));
  return 0;
}

}  // namespace
}  // namespace stashscope::app

int main(int argc, char** argv) {
  using namespace stashscope::app;
  prepare_process();
  return guarded("stashscope-plan", [&] {
    CLI::App program(
        "Plans a task graph: finds the order with the lowest peak, or the cheapest sequence "
        "within a memory budget. Places the buffers of a static arena.",
        "stashscope-plan");
    program.set_version_flag("--version", "stashscope-plan " STASHSCOPE_VERSION);
    PlanOptions options;
    add_options(program, options);
    if (const auto code = parse_command_line(program, argc, argv)) return *code;
    return plan(options);
  });
}
