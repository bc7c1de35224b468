#include "core/run/given_inputs.h"

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
  fail_input(describe(value), "is given as " + given + " where the model wants " + wanted,
             "give data that fits the model");
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

}  // namespace stashscope
