#include "core/run/step/planned_size.h"

#include <algorithm>

#include "core/base/advice.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

bool varies(const Graph& graph, SymbolId symbol) {
  const auto& dependent = graph.data().data_dependent;
  return graph.symbols().is_fresh(symbol) ||
         std::ranges::find(dependent, symbol, &DataDependentDim::symbol) != dependent.end();
}

/// @param bytes planned bytes; also 0 if the size of a dim is unknown
bool has_known_size(const Graph& graph, const TensorType& type, std::int64_t bytes) {
  if (!type.shape) return false;
  for (const Expr& dim : *type.shape) {
    for (const SymbolId symbol : dim.symbols()) {
      if (bytes == 0 || varies(graph, symbol)) return false;
    }
  }
  return true;
}

std::string text_of(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> numbers;
  for (const std::int64_t dim : dims) numbers.push_back(std::to_string(dim));
  return "[" + join(numbers, ", ") + "]";
}

}  // namespace

void require_planned_size(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                          ValueId value, const std::vector<std::int64_t>& dims,
                          std::int64_t bytes) {
  const BufferId buffer = timeline.buffer_of[value];
  if (!buffer.valid() || timeline.buffers[buffer].bytes == bytes) return;
  const Value& planned = graph.value(dataflow.origin(value));
  // The plan gives a buffer the size of its root, which may be another value. The sizes are
  // compared only if the sizes of both values are known.
  for (const ValueId id : {value, timeline.buffers[buffer].root}) {
    const TensorType& type = graph.value(dataflow.origin(id)).type;
    if (!has_known_size(graph, type, timeline.buffers[buffer].bytes)) return;
  }
  fail_run("",
           "its output '" + printable(planned.name, 60) + "' has dims " + text_of(dims) +
               " in this run and takes " + with_thousands(bytes) + " B instead of the " +
               with_thousands(timeline.buffers[buffer].bytes) +
               " B that the model's declared shapes give",
           option_hint({Advice::Action::give_inputs}));
}

}  // namespace stashscope
