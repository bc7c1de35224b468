#include "core/study/what_if/what_if_savings.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/micro_batches.h"
#include "core/passes/what_if/micro_batches.h"
#include "core/study/choices/micro_batch_sizes.h"

namespace stashscope {

namespace {

/// The stashed activations of the step without plans, each buffer once.
std::vector<BufferId> stashed_buffers(const Study& study) {
  const Timeline& timeline = study.baseline->timeline;
  std::vector<BufferId> buffers;
  for (const ValueId value : study.opportunities->stashed) {
    const BufferId buffer = timeline.buffer_of[value];
    if (buffer.valid() && !timeline.buffers[buffer].persistent) buffers.push_back(buffer);
  }
  std::ranges::sort(buffers);
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  return buffers;
}

Expr symbolic_stash(const Study& study) {
  return symbolic_bytes(study.graph(), study.baseline->dataflow, study.baseline->timeline,
                        stashed_buffers(study));
}

std::int64_t stash(const Study& study) {
  return stashed_bytes(study.baseline->timeline, study.opportunities->stashed);
}

/// Whether the symbols of an expression have the same names in both tables.
bool mean_the_same(const Expr& expr, const SymbolTable& a, const SymbolTable& b) {
  return std::ranges::all_of(expr.symbols(), [&](SymbolId id) {
    return id.index() < a.size() && id.index() < b.size() && a.name(id) == b.name(id);
  });
}

std::string symbolic_difference(const Study& without, const Study& with) {
  const Expr before = symbolic_stash(without);
  const Expr after = symbolic_stash(with);
  const SymbolTable& names = without.graph().symbols();
  const SymbolTable& others = with.graph().symbols();
  // One of the steps may have a dimension that the other lacks.
  if (mean_the_same(before, names, others)) return to_string(before - after, others);
  if (mean_the_same(after, names, others)) return to_string(before - after, names);
  return to_string(before, names) + " - (" + to_string(after, others) + ")";
}

/// The variant that is compared. A planned sequence belongs to one graph and does not exist for the
/// other graph. If a sequence is planned, the steps without plans are compared.
const Variant& compared(const Study& study) {
  return study.choices.plans.sequence ? *study.baseline : *study.current;
}

WhatIfSaving saving_of(const WhatIfResult& result, const Study& without, const Study& with) {
  const Variant& before = compared(without);
  const Variant& after = compared(with);
  return {result,
          stash(without) - stash(with),
          symbolic_difference(without, with),
          before.timeline.peak_bytes - after.timeline.peak_bytes,
          step_seconds(with, after) - step_seconds(without, before),
          with.choices.plans.sequence.has_value()};
}

/// The choices with the batch of a study, so that both steps have equally many samples. A step in
/// micro-batches may assume a larger batch.
Choices with_batch_of(const Study& study, Choices choices) {
  const Dimension* const batch = split_batch(study.graph(), study.sizes->dims.dimensions);
  if (batch == nullptr) return choices;
  const bool is_given = std::ranges::any_of(
      choices.dims, [&](const auto& chosen) { return covers(chosen.first, *batch); });
  if (!is_given) choices.dims.insert_or_assign(batch->name, batch->value);
  return choices;
}

WhatIfSaving ruled_out(const WhatIf& what_if, std::string_view value, WhatIfStop stop) {
  return {{std::string(what_if.name), std::string(value), 0, 0, {std::move(stop)}}, 0, "0", 0, 0};
}

/// Why `with`, a step in micro-batches, would have another batch than the study, although the user
/// did not choose another one. Nothing if the batches are equal.
std::optional<WhatIfStop> other_batch(const Study& study, const Study& with) {
  const Dimension* const batch = split_batch(with.graph(), with.sizes->dims.dimensions);
  if (batch == nullptr) return std::nullopt;
  const auto& own = study.sizes->dims.dimensions;
  const auto same = std::ranges::find(own, batch->name, &Dimension::name);
  if (same == own.end() || same->value == batch->value) return std::nullopt;
  return WhatIfStop{"dimension '" + printable(batch->name) + "'",
                    "is " + std::to_string(same->value) + ", which " +
                        std::to_string(runs_in_step(with.graph())) +
                        " micro-batches do not divide"};
}

/// The step with a value of a what-if, compared with the study. Nothing if the value finds nothing
/// to change and nothing stops it. If the step cannot be computed, for example because the choices
/// name nodes that the what-if replaces, the result states the error as what stops the value.
std::optional<WhatIfSaving> offer(const Study& study, const WhatIf& what_if, std::string_view value,
                                  const Progress& progress) {
  try {
    const auto with = compute_study(study.model, with_what_if(study.choices, what_if.name, value),
                                    &study, progress);
    const WhatIfResult* const result = what_if_result(*with, what_if.name);
    if (result == nullptr || (result->changed == 0 && result->stopped_by.empty())) {
      return std::nullopt;
    }
    if (auto stop = other_batch(study, *with)) return ruled_out(what_if, value, *std::move(stop));
    return saving_of(*result, study, *with);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return ruled_out(what_if, value, {error.where(), error.reason()});
  }
}

}  // namespace

std::vector<WhatIfSaving> what_if_savings(const Study& study, const Progress& progress) {
  std::vector<WhatIfSaving> savings;
  for (const WhatIfResult& result : study.prepared->step.what_ifs) {
    Choices choices = with_batch_of(study, study.choices);
    choices.graph.what_ifs.erase(result.name);
    const auto without = compute_study(study.model, choices, &study, progress);
    savings.push_back(saving_of(result, *without, study));
  }
  return savings;
}

std::vector<WhatIfSaving> what_if_offers(const Study& study, const Progress& progress) {
  std::vector<WhatIfSaving> offers;
  if (!can_change_graph(study)) return offers;
  for (const WhatIf& what_if : what_ifs()) {
    const auto chosen = study.choices.graph.what_ifs.find(std::string(what_if.name));
    for (const std::string_view value : what_if.tried) {
      if (chosen != study.choices.graph.what_ifs.end() && chosen->second == value) continue;
      progress.update(0, "what-ifs");
      if (auto each = offer(study, what_if, value, progress)) offers.push_back(std::move(*each));
    }
  }
  std::ranges::stable_sort(offers, std::greater(), &WhatIfSaving::peak_bytes_saved);
  return offers;
}

}  // namespace stashscope
