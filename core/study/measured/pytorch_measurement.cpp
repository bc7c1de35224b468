#include "core/study/measured/pytorch_measurement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/captured_step.h"
#include "core/study/files/json_fields.h"
#include "core/study/measured/measure.h"

namespace stashscope {

namespace {

using json_fields::read;
using nlohmann::json;

constexpr const char* operators_field = "operators";
constexpr std::string_view domain_prefix = "pytorch.";

/// In a measurement, this name stands for a tensor that Python code makes without an operator. A
/// checkpoint makes such a tensor for the state of the random generator.
constexpr const char* generator_state_operator = "python.tensor.default";

/// The name with namespace and overload, as PyTorch writes it: `aten.mm.default`.
std::string operator_name(const Study& study, const Dataflow& dataflow, NodeId id) {
  if (!dataflow.runs_origin(id)) return generator_state_operator;
  const Node& node = study.graph().node(dataflow.origin(id));
  const std::string space = node.domain.starts_with(domain_prefix)
                                ? node.domain.substr(domain_prefix.size())
                                : node.domain;
  return space + "." + node.op_type + "." + node.attributes.text("overload", "default");
}

std::vector<std::string> operators_of(const Study& study, const Variant& variant) {
  std::vector<std::string> names;
  names.reserve(variant.timeline.order.size());
  for (const NodeId node : variant.timeline.order) {
    names.push_back(operator_name(study, variant.dataflow, node));
  }
  return names;
}

std::vector<std::string> measured_operators(const json& file) {
  std::vector<std::string> names;
  read(file, operators_field, names);
  return names;
}

std::string at(const std::vector<std::string>& names, std::size_t position) {
  return position < names.size() ? "'" + printable(names[position], 60) + "'" : "missing";
}

/// The first operator that differs: `operator 3 is 'a' in the measurement and 'b' in this step`.
std::string difference(const std::vector<std::string>& measured,
                       const std::vector<std::string>& shown) {
  const auto ends = std::mismatch(measured.begin(), measured.end(), shown.begin(), shown.end());
  const auto position = static_cast<std::size_t>(ends.first - measured.begin());
  return "operator " + std::to_string(position) + " is " + at(measured, position) +
         " in the measurement and " + at(shown, position) + " in this step";
}

[[noreturn]] void fail_of_plans(const std::string& what) {
  fail_input("", "was measured " + what + " plans",
             "capture the step in the state in which it was measured, with or without a plan "
             "applied, and open that capture");
}

void check_sizes(const json& file, const Variant& variant) {
  std::int64_t captured = 0;
  read(file, "captured_peak_bytes", captured);
  const std::int64_t shown = predicted_peak_of_tensors(variant);
  if (captured == shown) return;
  fail_input("",
             "was measured with other sizes: the predicted peak is " + with_thousands(captured) +
                 " B for the measured step and " + with_thousands(shown) + " B for this step",
             "set the sizes of the measured step, or capture the step with these sizes and measure "
             "it again");
}

}  // namespace

bool lists_operators(const json& file) { return file.contains(operators_field); }

void check_operators(const json& file, const Study& study) {
  if (!study.graph().data().captured) {
    fail_input("", "was measured in PyTorch, and this model is no captured step",
               "open the captured step of the same script");
  }
  const std::vector<std::string> measured = measured_operators(file);
  const std::vector<std::string> shown = operators_of(study, *study.current);
  if (measured == shown) return check_sizes(file, *study.current);
  if (!study.applied.empty()) {
    if (measured == operators_of(study, *study.baseline)) fail_of_plans("without");
    fail_of_plans("with other");
  }
  fail_input("", "was measured on another step: " + difference(measured, shown),
             "capture and measure the same step, in the same state");
}

bool runs_without_plans(const json& file, const Study& study) {
  return study.applied.empty() || measured_operators(file) == operators_of(study, *study.baseline);
}

}  // namespace stashscope
