#include "app/compare.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/onnx/model_file.h"
#include "core/run/measurement/difference.h"
#include "core/run/step/random_values.h"

namespace stashscope::app {

namespace {

namespace fs = std::filesystem;

/// The deviations of float32 from float64 by gradient name. In the manifest, each item of `grads`
/// is [name, file, shape, largest, deviation].
std::map<std::string, double> gradient_deviations(const fs::path& folder) {
  std::map<std::string, double> deviations;
  std::ifstream file(fs::absolute(folder).lexically_normal().parent_path() / "manifest.json");
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("grads")) return deviations;
  for (const auto& item : manifest["grads"]) {
    if (item.is_array() && item.size() >= 5 && item[0].is_string() && item[4].is_number()) {
      deviations[item[0].get<std::string>()] = item[4].get<double>();
    }
  }
  return deviations;
}

/// Tells the largest absolute error that a tensor may have.
struct Allowance {
  double tolerance = 0;
  bool in_mixed_precision = false;
  /// Deviations of float32 from float64, by gradient name.
  std::map<std::string, double> deviations = {};

  double of(double largest, const std::string& gradient) const {
    const double relative = tolerance * largest;
    const auto deviation = deviations.find(gradient);
    if (deviation == deviations.end()) return relative;
    return std::min(50 * deviation->second, std::max(relative, 4 * deviation->second));
  }
};

std::string quoted_type(const Tensor& tensor) { return std::string(name_of(tensor.element())); }

/// Why two tensors cannot be compared by value; empty when they can.
std::string fault_of(const Tensor* ours, const Tensor& expected, bool in_mixed_precision) {
  if (ours == nullptr) return "the model has no such output";
  if (ours->dims() != expected.dims()) return "its shape differs from the expected one";
  const bool both_floating = is_floating(ours->element()) && is_floating(expected.element());
  if (ours->element() == expected.element()) return {};
  if (in_mixed_precision && both_floating) return {};
  return "its type is " + quoted_type(*ours) + ", but " + quoted_type(expected) + " is expected";
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const TensorBytes left = a.load();
  const TensorBytes right = b.load();
  return std::ranges::equal(left.bytes, right.bytes);
}

TensorComparison compare(const std::string& name, const Tensor* ours, const Tensor& expected,
                         const Allowance& allowance, const std::string& gradient = "") {
  TensorComparison result;
  result.name = name;
  result.fault = fault_of(ours, expected, allowance.in_mixed_precision);
  if (!result.fault.empty()) return result;
  const std::vector<double> wanted = numbers(expected);
  if (wanted.empty() && expected.elements() > 0) {
    if (!same_bytes(*ours, expected)) result.fault = "its bytes differ from the expected ones";
    return result;
  }
  const Difference found = difference(numbers(*ours), wanted);
  result.largest_error = found.largest;
  result.largest_value = found.largest_value;
  result.allowed = allowance.of(result.largest_value, gradient);
  return result;
}

bool is_gradient(const TensorComparison& each) {
  return each.is_gradient || each.name.ends_with("_grad");
}

/// Marks gradients that are `only_rounding` and allows their errors. A gradient that is zero in
/// exact arithmetic consists only of rounding errors of larger terms, so two programs may compute
/// values that differ in all digits.
void allow_rounding(std::vector<TensorComparison>& compared) {
  double scale = 0;
  for (const TensorComparison& each : compared) {
    if (is_gradient(each)) scale = std::max(scale, each.largest_value);
  }
  const double rounding = scale * std::numeric_limits<float>::epsilon();
  for (TensorComparison& each : compared) {
    each.only_rounding = is_gradient(each) && each.largest_value <= rounding;
    if (each.only_rounding) each.allowed = std::max(each.allowed, rounding);
  }
}

TensorComparison compare_random(const std::string& name, const Tensor* ours,
                                const Tensor& expected) {
  TensorComparison result;
  result.name = name;
  result.fault = fault_of(ours, expected, false);
  result.random = true;
  return result;
}

/// The names of outputs that depend on random numbers.
class RandomOutputs {
 public:
  explicit RandomOutputs(const Results& results) {
    const IdVector<ValueId, bool> random = random_values(results.graph, results.inputs);
    for (const ValueId id : results.graph.data().outputs) {
      if (random[id]) names_.insert(results.graph.value(id).name);
    }
  }

  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::set<std::string> names_;
};

const Tensor* find(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

[[noreturn]] void fail_twice(const fs::path& folder, const std::string& name,
                             const std::string& first, const std::string& second) {
  const auto [low, high] = std::minmax(first, second);
  fail_input(printable(folder.string()),
             "the files " + printable(low) + " and " + printable(high) +
                 " both contain the tensor '" + printable(name) + "'",
             "remove one of these files");
}

}  // namespace

NamedTensors load_tensors(const fs::path& folder, const std::string& prefix) {
  std::error_code status;
  NamedTensors tensors;
  std::map<std::string, std::string> files;
  for (const fs::path& path : paths_in(folder, status)) {
    const std::string file = path.filename().string();
    if (!file.starts_with(prefix) || !file.ends_with(".pb")) continue;
    NamedTensor loaded = load_tensor(path);
    const auto [first, is_new] = files.emplace(loaded.name, file);
    if (!is_new) fail_twice(folder, loaded.name, first->second, file);
    tensors.emplace(std::move(loaded.name), std::move(loaded.tensor));
  }
  if (status) fail_input(printable(folder.string()), "cannot be read as a folder");
  return tensors;
}

std::vector<TensorComparison> compare_outputs(const Results& results, const fs::path& folder,
                                              double tolerance) {
  const RandomOutputs random(results);
  Allowance allowance{tolerance, results.in_mixed_precision};
  if (!results.in_mixed_precision) allowance.deviations = gradient_deviations(folder);
  std::vector<TensorComparison> compared;
  for (const auto& [name, expected] : load_tensors(folder, "output_")) {
    const Tensor* const ours = find(results.outputs, name);
    if (ours == nullptr && results.given_up.contains(name)) {
      compared.push_back({});
      compared.back().name = name;
      compared.back().given_up = true;
      continue;
    }
    compared.push_back(random.contains(name) ? compare_random(name, ours, expected)
                                             : compare(name, ours, expected, allowance));
  }
  for (const auto& [name, expected] : load_tensors(folder, "grad_")) {
    const std::string output = name + "_grad";
    const Tensor* const ours = find(results.outputs, output);
    compared.push_back(random.contains(output) ? compare_random(name, ours, expected)
                                               : compare(name, ours, expected, allowance, name));
    compared.back().is_gradient = true;
  }
  allow_rounding(compared);
  if (compared.empty()) {
    fail_input(printable(folder.string()), "has no output_*.pb or grad_*.pb to compare with");
  }
  return compared;
}

bool print_comparison(const std::vector<TensorComparison>& compared) {
  bool all_pass = true;
  for (const TensorComparison& each : compared) {
    std::cout << (each.passes() ? "ok    " : "FAILS ") << printable(each.name) << ": ";
    if (each.given_up) {
      std::cout << "a pass removed this output; nothing is compared\n";
    } else if (each.random && each.fault.empty()) {
      std::cout << "made from random numbers: only its type and shape are compared\n";
    } else if (each.fault.empty()) {
      const double relative =
          each.largest_value > 0 ? each.largest_error / each.largest_value : each.largest_error;
      std::cout << "largest error " << format_digits(relative, 4) << " of the largest value "
                << format_digits(each.largest_value, 4)
                << (each.only_rounding ? ", rounding only" : "") << "\n";
    } else {
      std::cout << each.fault << "\n";
    }
    all_pass = all_pass && each.passes();
  }
  return all_pass;
}

}  // namespace stashscope::app
