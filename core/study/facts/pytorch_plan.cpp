#include "core/study/facts/pytorch_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/graph/captured_step.h"
#include "core/recompute/regions.h"

namespace stashscope {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool is_plain(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

/// Whether the value has only numbers and plain names. Users paste the options of a capture into
/// their scripts, so no other text of a file may pass.
/// @param depth how many lists or objects the value may have inside each other
bool is_plain(const json& value, int depth) {
  if (value.is_string()) return is_plain(value.get<std::string>());
  if (!value.is_structured()) return value.is_number_integer();
  if (depth == 0) return false;
  for (const auto& [name, inner] : value.items()) {
    if ((value.is_object() && !is_plain(name)) || !is_plain(inner, depth - 1)) return false;
  }
  return true;
}

/// Gives `dims` the sizes of the study. If `dims` lists several sizes for a dimension, the size of
/// the study is put before them, because the first size is that of the captured file.
void set_sizes(const Study& study, json& options) {
  for (const CapturedSize& each : captured_sizes(study)) {
    if (each.chosen == each.captured) continue;
    json& dims = options["dims"];
    if (dims.is_null()) dims = json::object();
    if (!dims.is_object()) return;
    json& size = dims[each.name];
    if (!size.is_array()) {
      size = each.chosen;
      continue;
    }
    json sizes = {each.chosen};
    for (const json& other : size) {
      if (other != sizes.front()) sizes.push_back(other);
    }
    size = std::move(sizes);
  }
}

}  // namespace

std::vector<CapturedSize> captured_sizes(const Study& study) {
  std::vector<CapturedSize> sizes;
  const Graph& model = *study.model;
  if (model.data().captured == nullptr) return sizes;
  for (const CapturedDimension& each : model.data().captured->dimensions) {
    const std::int64_t chosen = study.sizes->dims.bindings[each.symbol].value_or(each.value);
    sizes.push_back({model.symbols().name(each.symbol), each.value, chosen});
  }
  return sizes;
}

std::string pytorch_plan(const Study& study) {
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured == nullptr) {
    fail_usage("the plan for PyTorch", "needs a captured step; this is a model for ONNX Runtime",
               "capture the step with stashscope.capture of the Python package");
  }
  ordered_json regions = ordered_json::array();
  // The lowest version that can state the plan, so that older packages can read the plan.
  int version = 1;
  for (const NodePlan* const plan : study.applied) {
    ordered_json save = ordered_json::array();
    for (const KeptOperator& kept : plan->region->kept)
      save.push_back({kept.name, kept.occurrence});
    regions.push_back({{"module", plan->region->module}, {"save", std::move(save)}});
    if (plan->region->frees_outputs) {
      regions.back()["free_outputs"] = true;
      version = std::max(version, 2);
    }
    if (plan->region->skipped.empty()) continue;
    version = 3;
    for (const KeptOperator& skipped : plan->region->skipped) {
      regions.back()["skip"].push_back({skipped.name, skipped.occurrence});
    }
  }
  const ordered_json content = {
      {"stashscope.plan", version}, {"torch", captured->torch}, {"regions", regions}};
  return content.dump(1) + "\n";
}

std::optional<std::string> capture_options(const Study& study) {
  const auto& metadata = study.graph().data().metadata;
  const auto found = metadata.find("stashscope.capture_options");
  if (found == metadata.end()) return std::nullopt;
  json options = json::parse(found->second, nullptr, false);
  if (!options.is_object()) return std::nullopt;
  set_sizes(study, options);
  constexpr int depth_of_dims = 2;
  std::string text;
  for (const auto& [name, value] : options.items()) {
    if (!is_plain(name) || !(value.is_boolean() || is_plain(value, depth_of_dims))) {
      return std::nullopt;
    }
    // Numbers, strings, lists and objects are written alike in JSON and in Python.
    const bool is_true = value.is_boolean() && value.get<bool>();
    text += ", " + name + "=" + (value.is_boolean() ? (is_true ? "True" : "False") : value.dump());
  }
  return text;
}

}  // namespace stashscope
