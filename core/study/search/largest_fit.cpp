#include "core/study/search/largest_fit.h"

#include <algorithm>

#include "core/base/advice.h"
#include "core/base/text.h"
#include "core/study/choices/dimension_uses.h"
#include "core/study/edits/edits.h"
#include "core/study/search/fit_needs.h"
#include "core/study/search/largest_value.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/search/resized_step.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

/// The expression that the model unifies a name with: a constant, or an expression of other names.
/// Nothing if the name stands for itself.
std::optional<Expr> stands_for(const Graph& graph, const std::string& name) {
  const auto& unified = graph.data().unified;
  for (const SymbolId symbol : IdRange<SymbolId>(graph.symbols().size())) {
    if (graph.symbols().name(symbol) != name) continue;
    return unified.contains(symbol) ? unified[symbol] : std::nullopt;
  }
  return std::nullopt;
}

void check_settable(const Graph& graph, const std::string& name) {
  const auto other = stands_for(graph, name);
  if (!other) return;
  const std::string is = to_valid_utf8(to_string(*other, graph.symbols()));
  const std::string where = "dimension '" + printable(name) + "'";
  if (other->is_constant()) {
    fail_usage(where, "has the fixed value " + is + " in this model",
               "choose a dimension without a fixed value");
  }
  const bool is_lone = *other == Expr::symbol(other->symbols().front());
  if (!is_lone)
    fail_usage(where, "is computed as " + is + " in this model",
               "choose a dimension that occurs in this expression");
}

class Fitter {
 public:
  Fitter(const Study& study, const LargestFit& asked, const Progress& progress)
      : study_(study), asked_(asked), progress_(progress), resizer_(study, progress) {}

  VariantFit fit_baseline() { return fit(resizer_.baseline()); }

  VariantFit fit_current() {
    done_ = 1;
    const ScheduleSpec schedule = resizer_.current();
    VariantFit kept = fit(schedule);
    const bool is_search = is_order_searched(study_) && !is_moved(study_);
    return is_search ? searched_anew(find_order(*study_.order), schedule, std::move(kept))
                     : std::move(kept);
  }

 private:
  std::shared_ptr<const Sizes> sizes_with(std::int64_t value) const {
    return resizer_.sizes_with(asked_.dimensions, value);
  }

  ResizedStep measure(const ScheduleSpec& schedule, std::int64_t value) const {
    return resizer_.resize(schedule, sizes_with(value));
  }

  std::int64_t memory() const { return asked_.question.memory_bytes; }

  /// Bytes of an expression for this value of the dimensions; nothing if the bytes exceed 64 bits.
  std::optional<std::int64_t> bytes_with(const Expr& bytes, Bindings bindings,
                                         std::int64_t value) const {
    for (const Dimension& each : asked_.dimensions) bindings[each.symbol] = value;
    try {
      return bytes.evaluate(bindings);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// The largest value for which the tensors that are live at the peak fit. Nothing if even the
  /// value 1 does not fit, or if `most_value` fits.
  std::optional<std::int64_t> guess(const ScheduleSpec& schedule,
                                    const ResizedStep& measured) const {
    try {
      const Expr bytes = symbolic_bytes(study_.graph(), schedule.dataflow, measured.timeline,
                                        measured.timeline.peak_slot);
      const auto fits = [&](std::int64_t value) {
        const auto needed = bytes_with(bytes, measured.sizes->dims.bindings, value);
        return needed && *needed <= memory();
      };
      if (!fits(1) || fits(most_value)) return std::nullopt;
      std::int64_t low = 1;
      std::int64_t high = most_value;
      while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
      }
      return low;
    } catch (const ExpressionTooLarge&) {
      return std::nullopt;
    }
  }

  Trial attempt(const ScheduleSpec& schedule, std::int64_t value, VariantFit& fit) {
    const double share = fit.trials / (fit.trials + 8.0);
    progress_.update((done_ + share) / 2, "largest value that fits");
    ++fit.trials;
    try {
      const ResizedStep measured = measure(schedule, value);
      const auto needs = needs_if_it_fits(study_, measured.timeline, asked_.question);
      return {needs ? Verdict::fits : Verdict::too_large, guess(schedule, measured)};
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) return {};
      if (error.kind() == ErrorKind::input) return {Verdict::too_large, {}};
      throw;
    }
  }

  VariantFit fit(const ScheduleSpec& schedule) {
    VariantFit fit;
    const LargestValue found =
        largest_value([&](std::int64_t value) { return attempt(schedule, value, fit); },
                      common_value(asked_.dimensions));
    fit.is_unlimited = found.fits && *found.fits + 256 > most_value;
    fit.refused_value = found.refused;
    if (found.refused) fit.refusal = refusal(schedule, *found.refused);
    if (found.fits) fit.largest = point(schedule, *found.fits);
    if (found.fails) fit.next = point(schedule, *found.fails);
    return fit;
  }

  std::string refusal(const ScheduleSpec& schedule, std::int64_t value) const {
    try {
      measure(schedule, value);
      return "";
    } catch (const Error& error) {
      return clause_of(error);
    }
  }

  FitPoint point(const ScheduleSpec& schedule, std::int64_t value) const {
    FitPoint point;
    point.value = value;
    try {
      ResizedStep measured = measure(schedule, value);
      const FitNeeds needs = needs_of(study_, measured.timeline, asked_.question);
      point.peak_bytes = needs.peak_bytes;
      point.later_peak_bytes = needs.later_peak_bytes;
      point.reserved_bytes = needs.reserved_bytes;
      point.device = needs.device;
      point.persistent_bytes = persistent_bytes(measured.timeline);
      point.variant = make_variant(*study_.prepared, *measured.sizes, schedule.dataflow,
                                   std::move(measured.timeline), std::move(measured.groups),
                                   std::move(measured.copies));
      point.seconds = seconds(measured.sizes, *point.variant);
      point.others = others(*measured.sizes);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      point.fault = clause_of(error);
    }
    return point;
  }

  double seconds(const std::shared_ptr<const Sizes>& sizes, const Variant& variant) const {
    return step_seconds({sizes->bytes, profile_times(study_, *sizes), copy_rates(study_)}, variant);
  }

  std::vector<Dimension> others(const Sizes& sizes) const {
    std::vector<Dimension> changed;
    for (const Dimension& each : sizes.dims.dimensions) {
      const auto is_same = [&](const Dimension& other) { return other.symbol == each.symbol; };
      const auto before = std::ranges::find_if(study_.sizes->dims.dimensions, is_same);
      const bool is_asked = std::ranges::any_of(asked_.dimensions, is_same);
      if (!is_asked && before->value != each.value) changed.push_back(each);
    }
    return changed;
  }

  /// Whether `a` has the larger value or, for equal values, the lower peak.
  static bool is_better(const VariantFit& a, const VariantFit& b) {
    if (!a.largest || !b.largest) return a.largest.has_value();
    if (a.largest->value != b.largest->value) return a.largest->value > b.largest->value;
    return a.largest->peak_bytes < b.largest->peak_bytes;
  }

  VariantFit searched_anew(const OrderStrategy& strategy, const ScheduleSpec& found,
                           VariantFit kept) {
    const auto& at = kept.largest ? kept.largest : kept.next;
    if (!at || !at->variant || kept.is_unlimited) return kept;
    const auto sizes = sizes_with(at->value);
    const OrderInput step = resizer_.order_input(found, *sizes);
    ScheduleSpec searched = found;
    searched.order = timeline_in(step, strategy, found.groups).order;
    VariantFit anew = fit(searched);
    return is_better(anew, kept) ? std::move(anew) : std::move(kept);
  }

  const Study& study_;
  const LargestFit& asked_;
  const Progress& progress_;
  StepResizer resizer_;
  double done_ = 0;  ///< number of finished variants
};

/// Whether a name, such as `batch`, `batch_size` or `num_samples`, stands for a number of samples.
bool has_name_of_samples(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto has = [&](const char* word) { return lower.find(word) != std::string::npos; };
  return has("batch") || has("samples");
}

}  // namespace

FitQuestion parse_fit(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool has_label = equals != std::string::npos;
  FitQuestion question{has_label ? text.substr(0, equals) : "",
                       split(has_label ? text.substr(equals + 1) : text, ','), 0};
  const bool has_gap = std::ranges::any_of(question.names, &std::string::empty);
  if (has_gap || (has_label && equals == 0)) {
    fail_usage(printable(text), "is not of the form [LABEL=]NAME[,NAME...]",
               option_hint({Advice::Action::name_dimension}));
  }
  return question;
}

bool counts_samples(const Study& study, const Dimension& dimension) {
  if (unit_of(study.graph(), dimension) == DimensionUnit::samples) return true;
  return study.graph().data().captured != nullptr && has_name_of_samples(dimension.name);
}

std::optional<FitQuestion> samples_question(const Study& study) {
  const auto& all = study.sizes->dims.dimensions;
  const bool is_only = study.graph().data().captured != nullptr && all.size() == 1;
  FitQuestion question;
  question.memory_bytes = memory_to_fit(study);
  std::optional<std::int64_t> value;
  for (const Dimension& each : all) {
    if (!is_only && !counts_samples(study, each)) continue;
    if (value.value_or(each.value) != each.value) continue;
    value = each.value;
    question.names.push_back(each.name);
  }
  if (question.names.empty() || question.memory_bytes <= 0) return std::nullopt;
  return question;
}

std::optional<std::int64_t> common_value(const std::vector<Dimension>& dimensions) {
  const std::int64_t value = dimensions.front().value;
  const bool is_common =
      std::ranges::all_of(dimensions, [&](const Dimension& each) { return each.value == value; });
  return is_common ? std::optional(value) : std::nullopt;
}

std::vector<Dimension> fit_dimensions(const Study& study, const FitQuestion& question) {
  const auto& all = study.sizes->dims.dimensions;
  std::vector<Dimension> dimensions;
  for (const std::string& name : question.names) {
    check_settable(study.graph(), name);
    bool is_known = false;
    for (const Dimension& each : all) {
      if (!covers(name, each)) continue;
      is_known = true;
      const bool is_new = std::ranges::none_of(
          dimensions, [&](const Dimension& other) { return other.symbol == each.symbol; });
      if (is_new) dimensions.push_back(each);
    }
    if (!is_known) fail_unknown_dimension(name, all);
  }
  return dimensions;
}

LargestFit largest_fit(const Study& study, const FitQuestion& question, const Progress& progress) {
  LargestFit answer{question, fit_dimensions(study, question), {}, {}};
  Fitter fitter(study, answer, progress);
  answer.baseline = fitter.fit_baseline();
  answer.current = fitter.fit_current();
  return answer;
}

bool fit_holds(const Study& asked, const LargestFit& answer, const Study& now) {
  const auto rest_of = [&](Choices choices) {
    choices.device.reset();
    choices.allocator.reset();
    for (const Dimension& each : answer.dimensions) {
      choices = with_dimension(asked, std::move(choices), each, 1);
    }
    return choices;
  };
  return asked.model == now.model && rest_of(asked.choices) == rest_of(now.choices);
}

}  // namespace stashscope
