#include "app/run_data.h"

#include "app/options.h"
#include "core/base/text.h"
#include "core/run/step/available_memory.h"
#include "core/run/step/given_inputs.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/random_inputs.h"

namespace stashscope::app {

namespace {

/// The sizes of the model's dimensions that the given inputs determine.
class InputDims {
 public:
  InputDims(const Graph& model, const NamedTensors& inputs) : model_(model) {
    for (const ValueId id : model.data().inputs) {
      const Value& value = model.value(id);
      const auto given = inputs.find(value.name);
      if (given == inputs.end()) continue;
      check_given(model, value, given->second);
      if (value.type.shape) take(value, given->second.dims());
    }
  }

  const std::map<std::string, std::int64_t>& dims() const { return dims_; }

  /// A list of the given tensors with their sizes.
  std::string text() const { return join(tensors_, ", "); }

 private:
  void take(const Value& value, const std::vector<std::int64_t>& dims) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : dims) sizes.push_back(std::to_string(size));
    tensors_.push_back(describe(value) + " is [" + join(sizes, ", ") + "]");
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Expr& dim = (*value.type.shape)[i];
      const std::vector<SymbolId> used = dim.symbols();
      if (used.size() == 1 && dim == Expr::symbol(used[0])) set(used[0], dims[i]);
    }
  }

  void set(SymbolId symbol, std::int64_t size) {
    const std::string& name = model_.symbols().name(symbol);
    const auto [known, is_new] = dims_.try_emplace(name, size);
    if (is_new || known->second == size) return;
    fail_input("the given tensors", "contradict each other: " + text(),
               "dimension '" + printable(name) + "' cannot be both " +
                   std::to_string(known->second) + " and " + std::to_string(size));
  }

  const Graph& model_;
  std::map<std::string, std::int64_t> dims_;
  std::vector<std::string> tensors_;
};

/// Bytes of the random data. The step works on a copy, so the data takes memory in addition to the
/// memory of the step.
std::int64_t random_bytes(const Study& study) {
  const GraphData& graph = study.graph().data();
  std::int64_t bytes = 0;
  for (const ValueId id : graph.inputs) {
    const bool is_split = is_split_input(study.graph(), id);
    const bool is_given = gradient_sum_in(study.graph(), id) == nullptr;
    if (is_given) bytes += study.sizes->bytes[id] * (is_split ? runs_in_step(study.graph()) : 1);
  }
  for (const Initializer& each : graph.initializers) {
    if (!each.tensor.has_data()) bytes += study.sizes->bytes[each.value];
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const Study> study_with(LoadedModel& loaded, const NamedTensors& inputs) {
  const InputDims given(*loaded.model, inputs);
  const Choices chosen = loaded.session.choices;
  for (const auto& [name, size] : given.dims()) loaded.session.choices.dims[name] = size;
  try {
    return study_of(loaded);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || given.dims().empty()) throw;
    loaded.session.choices = chosen;
    study_of(loaded);
    fail_input("the given tensors", "have sizes at which the step cannot run: " + given.text(),
               error.what());
  }
}

NamedTensors random_inputs(const Study& study, std::int64_t step_bytes, std::uint64_t seed) {
  require_memory(step_bytes + random_bytes(study));
  return with_random_inputs(study.graph(), study.sizes->dims.bindings, {}, seed);
}

}  // namespace stashscope::app
