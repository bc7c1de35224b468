#include "core/study/choices/dimensions.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/captured_step.h"
#include "core/graph/micro_batches.h"
#include "core/graph/packed_tokens.h"
#include "core/passes/graph_pass.h"
#include "core/study/choices/dimension_search.h"
#include "core/study/choices/dimension_uses.h"
#include "core/study/choices/micro_batch_sizes.h"

namespace stashscope {

namespace {

constexpr std::array<std::int64_t, 9> candidate_sizes = {224, 128, 64, 32, 16, 8, 4, 2, 1};

/// The first use of a dimension by an input. The assumed size depends on this use.
struct Mention {
  std::size_t axis = 0;
  bool image_side = false;
};

class Binder {
 public:
  Binder(const Graph& graph, const std::map<std::string, std::int64_t>& wanted)
      : graph_(graph),
        wanted_(wanted),
        constraints_(graph.data().constraints),
        wishes_(constraints_) {
    values_.bindings = Bindings(graph.symbols().size());
  }

  DimensionValues bind() {
    find_dimensions();
    find_zeros();
    find_data_dependent();
    find_negative_sizes();
    find_slices_of_tables();
    take_wanted();
    assume_others();
    assume_bounded();
    repair_assumed();
    bind_unified();
    check_micro_batches(graph_, values_);
    check_constraints();
    return std::move(values_);
  }

 private:
  const std::string& name(SymbolId symbol) const { return graph_.symbols().name(symbol); }

  const std::optional<Expr>& unified(SymbolId symbol) const {
    static const std::optional<Expr> none;
    const auto& all = graph_.data().unified;
    return all.contains(symbol) ? all[symbol] : none;
  }

  std::span<const CapturedDimension> captured() const {
    if (graph_.data().captured == nullptr) return {};
    return graph_.data().captured->dimensions;
  }

  void mention(SymbolId symbol, Mention how) {
    if (unified(symbol) || known_.contains(symbol)) return;
    known_.emplace(symbol, values_.dimensions.size());
    values_.dimensions.push_back({name(symbol), 0, true, false, {}, symbol, {}});
    mentions_.push_back(how);
  }

  /// Finds the dimensions of the inputs and of the capture, and the other names of these
  /// dimensions.
  void find_dimensions() {
    for (const ValueId input : graph_.data().inputs) {
      const TensorType& type = graph_.value(input).type;
      if (!type.shape) continue;
      for (std::size_t axis = 0; axis < type.shape->size(); ++axis) {
        for (const SymbolId symbol : (*type.shape)[axis].symbols()) {
          mention(symbol, {axis, is_image_side(type, axis)});
        }
      }
    }
    for (const CapturedDimension& each : captured()) mention(each.symbol, {});
    for (const SymbolId symbol : IdRange<SymbolId>(graph_.symbols().size())) {
      const auto& by = unified(symbol);
      if (!by) continue;
      for (const SymbolId used : by->symbols()) {
        const auto found = known_.find(used);
        if (found != known_.end()) values_.dimensions[found->second].also.push_back(name(symbol));
      }
    }
  }

  /// Adds the dimensions that are chosen to be 0. In the graph, such a dimension is the number 0,
  /// not a symbol.
  void find_zeros() {
    for (const SymbolId symbol : IdRange<SymbolId>(graph_.symbols().size())) {
      if (!is_zero(symbol) || graph_.symbols().is_fresh(symbol)) continue;
      values_.dimensions.push_back({name(symbol), 0, false, false, {}, symbol, {}});
      mentions_.push_back({});
      values_.bindings[symbol] = 0;
    }
  }

  bool is_zero(SymbolId symbol) const { return unified(symbol) && unified(symbol)->is(0); }

  /// Adds constraints against sizes that are negative for some values of the dimensions.
  void find_negative_sizes() {
    const auto before = [](const Expr& a, const Expr& b) { return Expr::order(a, b) < 0; };
    std::set<Expr, decltype(before)> seen(before);
    for (const Value& value : graph_.values()) {
      if (!value.type.shape) continue;
      for (const Expr& dim : *value.type.shape) {
        if (dim.is_constant() || !seen.insert(dim).second || is_nonnegative(dim)) continue;
        constraints_.push_back({maximum(-dim, 0), 0, value.producer});
        wishes_.push_back({maximum(Expr(1) - dim, 0), 0, value.producer});
        maybe_negative_.push_back(dim);
      }
    }
  }

  /// Adds the sizes that depend on data, because the user can set them. If the user does not set
  /// such a size, it needs an upper bound in dimensions that can be set; otherwise it is left out.
  void find_data_dependent() {
    for (const DataDependentDim& each : graph_.data().data_dependent) {
      const bool bounded = is_bounded(each);
      if (!bounded && !wanted_.contains(name(each.symbol))) continue;
      mention(each.symbol, {});
      const auto found = known_.find(each.symbol);
      if (found == known_.end() || !bounded) continue;
      values_.dimensions[found->second].at_most =
          to_valid_utf8(to_string(*each.at_most, graph_.symbols()));
    }
  }

  /// The upper bound of a size, with unified dimensions replaced.
  Expr bound_of(const DataDependentDim& dim) const {
    return dim.at_most->substitute([&](SymbolId symbol) { return unified(symbol); });
  }

  bool is_bounded(const DataDependentDim& dim) const {
    if (!dim.at_most) return false;
    const std::vector<SymbolId> used = bound_of(dim).symbols();
    return std::all_of(used.begin(), used.end(),
                       [&](SymbolId symbol) { return is_settable(symbol); });
  }

  void take_wanted() {
    for (const auto& [pattern, value] : wanted_) {
      const std::vector<SymbolId> meant = meant_by(pattern);
      // The choices may still hold a size for a dimension that a pass introduces, although this
      // pass is switched off.
      if (meant.empty() && !is_added_dim(pattern)) {
        fail_unknown_dimension(pattern, values_.dimensions);
      }
      const int least = least_of(meant);
      if (value < least) {
        fail_usage("dimension '" + printable(pattern) + "'", "cannot be " + std::to_string(value),
                   "give a number of " + std::to_string(least) + " or more");
      }
      for (const SymbolId symbol : meant) set(symbol, value);
    }
  }

  /// The smallest valid size for the dimensions `meant`: 0 if each of these dimensions is 0 in the
  /// graph or depends on data, else 1. A size that depends on data can be 0, because an operator
  /// may select no elements.
  int least_of(const std::vector<SymbolId>& meant) const {
    const bool may_be_none =
        !meant.empty() && std::all_of(meant.begin(), meant.end(), [&](auto symbol) {
          return is_zero(symbol) || is_found_by_runs(symbol);
        });
    return may_be_none ? 0 : 1;
  }

  /// Whether the size depends on data, with or without an upper bound.
  bool is_found_by_runs(SymbolId symbol) const {
    const auto& dependent = graph_.data().data_dependent;
    return std::ranges::find(dependent, symbol, &DataDependentDim::symbol) != dependent.end();
  }

  /// The symbols that a name or pattern identifies. The name of a symbol identifies only this
  /// symbol, even if the name contains `*`. A pattern identifies sizes that depend on data only if
  /// it matches no other sizes.
  std::vector<SymbolId> meant_by(const std::string& pattern) const {
    std::vector<SymbolId> named;
    std::vector<SymbolId> matching;
    std::vector<SymbolId> by_data;
    for (const SymbolId symbol : IdRange<SymbolId>(graph_.symbols().size())) {
      if (!is_settable(symbol)) continue;
      if (name(symbol) == pattern) named.push_back(symbol);
      if (!matches_wildcard(name(symbol), pattern)) continue;
      (depends_on_data(symbol) ? by_data : matching).push_back(symbol);
    }
    if (!named.empty()) return named;
    return matching.empty() ? by_data : matching;
  }

  bool depends_on_data(SymbolId symbol) const {
    const auto found = known_.find(symbol);
    return found != known_.end() && !values_.dimensions[found->second].at_most.empty();
  }

  bool is_settable(SymbolId symbol) const { return known_.contains(symbol) || unified(symbol); }

  void set(SymbolId symbol, std::int64_t value) {
    const auto found = known_.find(symbol);
    if (found == known_.end()) {
      const auto lone = single_symbol(*unified(symbol));
      if (lone) return set(*lone, value);
      derived_.emplace_back(symbol, value);
      return;
    }
    Dimension& dimension = values_.dimensions[found->second];
    if (!dimension.assumed && dimension.value != value) {
      fail_usage("dimension '" + printable(dimension.name) + "'",
                 "is given as " + std::to_string(dimension.value) + " and as " +
                     std::to_string(value) +
                     ", but the model needs one value for all names of this dimension");
    }
    dimension.value = value;
    dimension.assumed = false;
    values_.bindings[symbol] = value;
  }

  static std::optional<SymbolId> single_symbol(const Expr& expr) {
    const std::vector<SymbolId> used = expr.symbols();
    return used.size() == 1 && expr == Expr::symbol(used[0]) ? std::optional(used[0])
                                                             : std::nullopt;
  }

  /// Assumes 1 for the first axis of an input, which is usually the batch, or 1 sample for each
  /// micro-batch. Every other dimension gets the largest candidate that the constraints and the
  /// model's tables (positions, masks) allow. The dimensions of a captured step have the sizes of
  /// the capture.
  void assume_others() {
    for (const CapturedDimension& each : captured()) assume_as_captured(each);
    for (std::size_t i = 0; i < values_.dimensions.size(); ++i) {
      Dimension& dimension = values_.dimensions[i];
      if (!dimension.assumed || !dimension.at_most.empty() || dimension.value != 0) continue;
      if (mentions_[i].axis == 0) {
        dimension.value = is_split(graph_, dimension) ? runs_in_step(graph_) : 1;
        values_.bindings[dimension.symbol] = dimension.value;
      }
    }
    for (std::size_t i = 0; i < values_.dimensions.size(); ++i) {
      Dimension& dimension = values_.dimensions[i];
      const bool open = dimension.assumed && dimension.at_most.empty();
      if (open && dimension.value == 0) assume(dimension, mentions_[i]);
    }
  }

  void assume_as_captured(const CapturedDimension& captured) {
    const auto found = known_.find(captured.symbol);
    if (found == known_.end() || !values_.dimensions[found->second].assumed) return;
    values_.dimensions[found->second].value = captured.value;
    values_.dimensions[found->second].as_captured = true;
    values_.bindings[captured.symbol] = captured.value;
  }

  /// Assumes a value for each size that depends on data, in the order in which nodes produce the
  /// sizes: the upper bound, or the expected number of kept tokens. Throws a usage Error if the
  /// user chose a size above the upper bound.
  void assume_bounded() {
    for (const DataDependentDim& each : graph_.data().data_dependent) {
      if (!depends_on_data(each.symbol)) continue;
      Dimension& dimension = values_.dimensions[known_.at(each.symbol)];
      const std::int64_t most =
          std::max<std::int64_t>(1, bound_of(each).evaluate(values_.bindings).value_or(1));
      if (!dimension.assumed && dimension.value > most) {
        fail_usage("dimension '" + printable(dimension.name) + "'",
                   "cannot be " + std::to_string(dimension.value),
                   "it is at most " + dimension.at_most + " = " + std::to_string(most));
      }
      if (!dimension.assumed) continue;
      dimension.value = is_number_of_tokens(each.symbol)
                            ? expected_kept_tokens(graph_, most, values_.bindings)
                            : most;
      values_.bindings[each.symbol] = dimension.value;
    }
  }

  /// Whether the size is the number of tokens that a step without padding keeps.
  bool is_number_of_tokens(SymbolId symbol) const {
    const auto tokens = kept_token_count(graph_);
    return tokens && *tokens == Expr::symbol(symbol);
  }

  /// Changes assumed sizes so that they satisfy all constraints together. The sizes were first
  /// assumed one by one.
  void repair_assumed() {
    std::vector<SymbolId> free;
    for (const Dimension& each : values_.dimensions) {
      if (each.assumed) free.push_back(each.symbol);
    }
    repair_dimensions(constraints_, free, values_.bindings);
    const Bindings valid = values_.bindings;
    repair_dimensions(wishes_, free, values_.bindings);
    if (broken_constraint(constraints_, values_.bindings)) values_.bindings = valid;
    for (Dimension& each : values_.dimensions) {
      const std::int64_t repaired = *values_.bindings[each.symbol];
      each.as_captured = each.as_captured && repaired == each.value;
      each.value = repaired;
    }
  }

  void assume(Dimension& dimension, const Mention& mention) {
    for (const std::int64_t size : candidate_sizes) {
      if (size == candidate_sizes.front() && !mention.image_side) continue;
      dimension.value = size;
      values_.bindings[dimension.symbol] = size;
      if (!broken_constraint(wishes_, values_.bindings) && !slices_run_past_tables()) return;
    }
    dimension.value = 1;
    values_.bindings[dimension.symbol] = 1;
  }

  /// Finds slices of tables (positions, rotations, masks) whose end depends on a dimension. Later
  /// nodes read the rows of a slice by index, so the slice must not run past the table.
  void find_slices_of_tables() {
    for (const Node& node : graph_.nodes()) {
      if (node.op_type != "Slice" || node.inputs.size() < 4 || !node.inputs[0].valid()) continue;
      const auto& table = graph_.value(node.inputs[0]).type.shape;
      const auto ends = known_elements(node.inputs[2]);
      const auto axes = known_elements(node.inputs[3]);
      if (!table || !ends || !axes || ends->size() != axes->size()) continue;
      for (std::size_t i = 0; i < axes->size(); ++i) {
        auto axis = (*axes)[i].integer();
        if (!axis) continue;
        if (*axis < 0) *axis += std::ssize(*table);
        const bool there = *axis >= 0 && *axis < std::ssize(*table);
        const auto rows =
            there ? (*table)[static_cast<std::size_t>(*axis)].integer() : std::nullopt;
        if (rows && !(*ends)[i].is_constant()) slices_.emplace_back((*ends)[i], *rows);
      }
    }
  }

  std::shared_ptr<const std::vector<Expr>> known_elements(ValueId id) const {
    return id.valid() ? graph_.value(id).contents : nullptr;
  }

  bool slices_run_past_tables() const {
    return std::any_of(slices_.begin(), slices_.end(), [&](const auto& slice) {
      return slice.first.evaluate(values_.bindings).value_or(0) > slice.second;
    });
  }

  void bind_unified() {
    for (const SymbolId symbol : IdRange<SymbolId>(graph_.symbols().size())) {
      const auto& by = unified(symbol);
      if (by) values_.bindings[symbol] = by->evaluate(values_.bindings);
    }
    for (const auto& [symbol, value] : derived_) {
      if (values_.bindings[symbol] != value) {
        fail_usage("dimension '" + printable(name(symbol)) + "'",
                   "must be " + to_valid_utf8(to_string(*unified(symbol), graph_.symbols())) +
                       " in this model, not " + std::to_string(value));
      }
    }
  }

  void check_constraints() const {
    const Constraint* const broken = broken_constraint(constraints_, values_.bindings);
    if (broken == nullptr) return;
    const auto side = [&](const Expr& e) {
      if (e.is_constant()) return to_string(e, graph_.symbols());
      return printable(to_string(e, graph_.symbols()), 80) + " = " +
             std::to_string(*e.evaluate(values_.bindings));
    };
    std::vector<std::string> given;
    for (const Dimension& each : values_.dimensions) {
      given.push_back(printable(each.name, 60) + "=" + std::to_string(each.value));
    }
    const auto index = broken - constraints_.data() - std::ssize(graph_.data().constraints);
    const std::string fault =
        index < 0 ? "needs " + side(broken->a) + " and " + side(broken->b) + " to be equal"
                  : "would have a negative size: " +
                        side(maybe_negative_[static_cast<std::size_t>(index)]);
    fail_usage(
        broken->node.valid() ? describe(graph_.node(broken->node), broken->node) : "the model",
        fault, "the sizes are " + join(given, ", ") + "; change one of them");
  }

  const Graph& graph_;
  const std::map<std::string, std::int64_t>& wanted_;
  DimensionValues values_;
  std::map<SymbolId, std::size_t> known_;
  std::vector<Mention> mentions_;
  std::vector<std::pair<SymbolId, std::int64_t>> derived_;
  /// The constraints of the graph, then one constraint for each size in `maybe_negative_`.
  std::vector<Constraint> constraints_;
  /// Like `constraints_`, but the sizes in `maybe_negative_` are at least 1, not 0.
  std::vector<Constraint> wishes_;
  std::vector<Expr> maybe_negative_;
  std::vector<std::pair<Expr, std::int64_t>> slices_;  ///< end of a slice, rows of its table
};

}  // namespace

void fail_unknown_dimension(const std::string& name, const std::vector<Dimension>& dimensions) {
  std::vector<std::string> names;
  names.reserve(dimensions.size());
  for (const Dimension& each : dimensions) names.push_back(printable(each.name, 60));
  if (names.size() > 12) names.resize(12);
  fail_usage("dimension '" + printable(name) + "'", "does not exist in the model",
             names.empty() ? "all dimensions of the model are numbers"
                           : "the model has " + join(names, ", "));
}

std::string_view origin_of(const Dimension& dimension) {
  if (!dimension.assumed) return "";
  return dimension.as_captured ? "as captured" : "assumed";
}

bool covers(const std::string& pattern, const Dimension& dimension) {
  return matches_wildcard(dimension.name, pattern) ||
         std::any_of(dimension.also.begin(), dimension.also.end(),
                     [&](const std::string& name) { return matches_wildcard(name, pattern); });
}

DimensionValues bind_dimensions(const Graph& graph,
                                const std::map<std::string, std::int64_t>& wanted) {
  return Binder(graph, wanted).bind();
}

}  // namespace stashscope
