#include "core/run/step/given_inputs.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

std::string shape_text(const Shape& shape, const SymbolTable& symbols) {
  std::vector<std::string> dims;
  for (const Expr& dim : shape) dims.push_back(printable(to_string(dim, symbols)));
  return "[" + join(dims, ", ") + "]";
}

bool fits(const std::vector<std::int64_t>& dims, const Shape& shape) {
  if (dims.size() != shape.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto wanted = shape[i].integer();
    if (wanted && *wanted != dims[i]) return false;
  }
  return true;
}

[[noreturn]] void fail_given(const Value& value, const std::string& given,
                             const std::string& wanted) {
  fail_input(describe(value), "is given as " + given + ", but the model requires " + wanted,
             "give data that fits the model");
}

void check_tensor(const Value& value) {
  if (!value.type.opaque.empty()) {
    fail_input(describe(value), "is not a tensor; the runners support only tensors");
  }
  if (value.type.element == ElementType::string) {
    fail_input(describe(value), "has elements of type string, which no runner supports");
  }
}

}  // namespace

void check_given(const Graph& graph, const Value& value, const Tensor& tensor) {
  const TensorType& type = value.type;
  if (type.element != tensor.element()) {
    fail_given(value, std::string(name_of(tensor.element())), std::string(name_of(type.element)));
  }
  if (!type.shape || fits(tensor.dims(), *type.shape)) return;
  const Shape given(tensor.dims().begin(), tensor.dims().end());
  fail_given(value, shape_text(given, graph.symbols()), shape_text(*type.shape, graph.symbols()));
}

void check_all_tensors(const Graph& graph) {
  for (const ValueId id : graph.data().inputs) check_tensor(graph.value(id));
  for (const ValueId id : graph.data().outputs) check_tensor(graph.value(id));
}

}  // namespace stashscope
