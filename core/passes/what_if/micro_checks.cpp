#include "core/passes/what_if/micro_checks.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// The highest power of the batch in a term, such as 2 in `batch * batch`. The batch inside
/// functions does not count, because a reshape can leave a quotient from which the batch cancels.
std::int64_t power_of(const Expr& dim, SymbolId batch) {
  std::int64_t most = 0;
  for (const Term& term : dim.terms()) {
    for (const Factor& factor : term.factors) {
      if (factor.atom.symbol == batch) most = std::max(most, factor.power);
    }
  }
  return most;
}

/// Finds the nodes that compute the result of each sample from all samples.
class CombinedSamples {
 public:
  CombinedSamples(const Graph& model, const std::vector<ValueId>& samples, SymbolId batch)
      : model_(model),
        batch_(batch),
        depends_(model.values().size(), false),
        combines_(model.values().size(), false) {
    for (const ValueId each : samples) depends_[each] = true;
    for (const NodeId id : IdRange<NodeId>(model.nodes().size())) visit(id);
  }

  const std::vector<NodeId>& found() const { return found_; }

 private:
  bool has_batch(ValueId value) const {
    const auto& shape = model_.value(value).type.shape;
    return shape && std::ranges::any_of(*shape, [&](const Expr& dim) {
             const std::vector<SymbolId> used = dim.symbols();
             return std::ranges::find(used, batch_) != used.end();
           });
  }

  void visit(NodeId id) {
    const Node& node = model_.node(id);
    if (node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size")) return;
    bool depends = false;
    bool combines = false;
    bool reads_samples = false;
    for (const ValueId input : model_.topology().inputs[id]) {
      if (!input.valid() || !depends_[input]) continue;
      depends = true;
      combines = combines || combines_[input];
      reads_samples = reads_samples || has_batch(input);
    }
    if (!depends) return;
    const bool gives_samples = !node.outputs.empty() && has_batch(node.outputs[0]);
    if (gives_samples && (combines || works_along_batch(node))) found_.push_back(id);
    const bool reduces = reads_samples && !gives_samples && node.op_type.starts_with("Reduce");
    for (const ValueId output : model_.topology().outputs[id]) {
      depends_[output] = true;
      combines_[output] = !gives_samples && (combines || reduces);
    }
  }

  /// Whether the node computes each sample's result from all samples.
  bool works_along_batch(const Node& node) const {
    const auto axis = worked_axis(node);
    if (!axis) return false;  // other operators may lack their first input
    const auto& shape = model_.value(node.inputs[0]).type.shape;
    if (!shape) return false;
    const std::int64_t rank = std::ssize(*shape);
    const std::int64_t at = *axis < 0 ? *axis + rank : *axis;
    return at >= 0 && at < rank && power_of((*shape)[static_cast<std::size_t>(at)], batch_) > 0;
  }

  /// The axis along which an operator computes; nothing for other operators.
  std::optional<std::int64_t> worked_axis(const Node& node) const {
    const auto is = [&](std::initializer_list<std::string_view> types) {
      return node.domain.empty() && std::ranges::find(types, node.op_type) != types.end();
    };
    if (is({"Softmax", "LogSoftmax", "Hardmax"})) {
      return node.attributes.integer("axis", model_.opset("") >= 13 ? -1 : 1);
    }
    if (is({"TopK"})) return node.attributes.integer("axis", -1);
    if (!is({"CumSum"}) || node.inputs.size() < 2) return std::nullopt;
    const auto& contents = model_.value(node.inputs[1]).contents;
    return contents == nullptr || contents->size() != 1 ? std::nullopt : (*contents)[0].integer();
  }

  const Graph& model_;
  SymbolId batch_;
  IdVector<ValueId, bool> depends_;   ///< values that depend on samples
  IdVector<ValueId, bool> combines_;  ///< results over all samples
  std::vector<NodeId> found_;
};

}  // namespace

std::vector<WhatIfStop> meeting_samples(const Graph& model, SymbolId batch) {
  for (const ValueId id : IdRange<ValueId>(model.values().size())) {
    const Value& value = model.value(id);
    if (!value.type.shape) continue;
    std::int64_t batches = 0;
    for (const Expr& dim : *value.type.shape) batches += power_of(dim, batch);
    if (batches < 2) continue;
    return {{describe(value), "has the batch '" + printable(model.symbols().name(batch), 60) +
                                  "' twice in its shape, so that samples meet each other"}};
  }
  return {};
}

std::vector<std::string> combined_sample_notes(const Graph& model,
                                               const std::vector<ValueId>& samples,
                                               SymbolId batch) {
  const CombinedSamples combined(model, samples, batch);
  if (combined.found().empty()) return {};
  const NodeId first = combined.found().front();
  return {counted(combined.found().size(), "node computes", "nodes compute") +
          " results of each sample from all samples of the micro-batch, so that results may differ "
          "from those of the whole batch; the first is " +
          describe(model.node(first), first)};
}

}  // namespace stashscope
