#include "core/run/cuda/codegen/call_text.h"

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/run/cuda/codegen/element_text.h"

namespace stashscope::cuda {

std::string CallText::pointer(const std::string& type, Operand operand) {
  const std::string name = "p" + std::to_string(parameters_.size());
  parameters_.emplace_back(type + "* " + name, operand);
  return name;
}

std::string CallText::reads(const OperandType& type, Operand operand) {
  if (!type.present()) return "static_cast<const float*>(nullptr)";
  return pointer("const " + device_type(type.element), operand);
}

std::string CallText::writes(const OperandType& type, Operand operand) {
  if (!type.present()) return "static_cast<float*>(nullptr)";
  return pointer(device_type(type.element), operand);
}

std::string CallText::reads(const LoweringContext& context, std::size_t index) {
  return reads(context.has_input(index) ? context.in(index) : OperandType(), input(index));
}

std::string CallText::writes(const LoweringContext& context, std::size_t index) {
  return writes(context.has_output(index) ? context.out(index) : OperandType(), output(index));
}

KernelCall CallText::call(const std::string& body, const LaunchShape& shape) const {
  KernelCall call;
  std::vector<std::string> declarations;
  for (const auto& [declaration, operand] : parameters_) {
    declarations.push_back(declaration);
    call.operands.push_back(operand);
  }
  call.text = "(" + join(declarations, ", ") + ") {\n  " + body + ";\n}\n";
  call.shape = shape;
  return call;
}

std::string with_arguments(const std::string& name, const std::vector<std::string>& arguments) {
  return name + "<" + join(arguments, ", ") + ">";
}

std::string invocation(const std::string& name, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& operands) {
  return with_arguments(name, arguments) + "(" + join(operands, ", ") + ")";
}

std::string compute_type(ElementType element) { return device_type(compute_element(element)); }

std::string sum_type(ElementType element) {
  if (is_floating(element)) return compute_type(element);
  return device_type(element).starts_with("U") ? "UInt64" : "Int64";
}

std::string type_or_float(const OperandType& type) {
  return type.present() ? device_type(type.element) : "float";
}

std::int64_t widest_access(const std::vector<ElementType>& elements) {
  std::int64_t bytes = 1;
  for (const ElementType each : elements) bytes = std::max(bytes, element_bytes(each));
  return 16 / bytes;
}

std::int64_t even_width(std::int64_t width, const std::vector<std::int64_t>& counts) {
  const auto divides = [&](std::int64_t count) { return count % width == 0; };
  while (!std::all_of(counts.begin(), counts.end(), divides)) width /= 2;
  return width;
}

void require_int(std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
  if (count > most) {
    fail_run("",
             "an index range of " + std::to_string(count) + " exceeds " + std::to_string(most) +
                 ", the most that kernels on CUDA devices support",
             "run the step with a smaller batch");
  }
}

}  // namespace stashscope::cuda
