#include "core/planner/device_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

const DeviceProfile* find_profile(const std::string& name) {
  const auto found = std::ranges::find_if(device_profiles(), [&](const DeviceProfile& each) {
    return lower(each.name) == lower(name);
  });
  return found == device_profiles().end() ? nullptr : &*found;
}

struct RateKey {
  const char* name;
  double PeakRates::*rate;
};

constexpr std::array rate_keys = {
    RateKey{"float64", &PeakRates::float64},   RateKey{"float32", &PeakRates::float32},
    RateKey{"tf32", &PeakRates::tf32},         RateKey{"float16", &PeakRates::float16},
    RateKey{"bfloat16", &PeakRates::bfloat16}, RateKey{"float8", &PeakRates::float8},
    RateKey{"int8", &PeakRates::int8},
};

struct NumberKey {
  const char* name;
  double DeviceProfile::*number;
  bool required;
  double least;
  double most;
};

constexpr std::array number_keys = {
    NumberKey{"bandwidth", &DeviceProfile::bandwidth, true, least_rate, most_rate},
    NumberKey{"link_bandwidth", &DeviceProfile::link_bandwidth, true, least_rate, most_rate},
    NumberKey{"launch_seconds", &DeviceProfile::launch_seconds, false, 0, 1},
    NumberKey{"compute_efficiency", &DeviceProfile::compute_efficiency, false, 1e-6, 1},
    NumberKey{"bandwidth_efficiency", &DeviceProfile::bandwidth_efficiency, false, 1e-6, 1},
};

[[noreturn]] void fail_key(const std::string& key, const std::string& what,
                           const std::string& hint = {}) {
  fail_input("key '" + printable(key) + "'", what, hint);
}

double read_number(const json& value, const std::string& key, double least, double most) {
  if (!value.is_number()) fail_key(key, "is not a number", "write it without quotes");
  const double number = value.get<double>();
  if (number >= least && number <= most) return number;
  fail_key(key, "is " + format_number(number),
           "choose a number from " + format_number(least) + " to " + format_number(most));
}

/// Throws an input Error if an object has a key that is not in `known`.
void check_keys(const json& object, const std::string& where,
                const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      fail_key(where + key, "is unknown", "the known keys are " + join(known, ", "));
    }
  }
}

PeakRates read_rates(const json& object, const std::string& key, bool of_matrices) {
  if (!object.is_object())
    fail_key(key, "is not an object", "write rates such as {\"float32\": 1.95e13}");
  std::vector<std::string> known;
  for (const RateKey& each : rate_keys) {
    if (of_matrices || each.rate != &PeakRates::tf32) known.emplace_back(each.name);
  }
  check_keys(object, key + ".", known);
  PeakRates rates;
  for (const RateKey& each : rate_keys) {
    if (!object.contains(each.name)) continue;
    rates.*each.rate = read_number(object[each.name], key + "." + each.name, least_rate, most_rate);
  }
  return rates;
}

std::vector<std::string> profile_keys() {
  std::vector<std::string> keys = {"name", "memory_bytes", "matrix_flops", "vector_flops"};
  for (const NumberKey& each : number_keys) keys.emplace_back(each.name);
  return keys;
}

void require(const json& object, const char* key) {
  if (!object.contains(key))
    fail_key(key, "is missing", "see the example of a profile in docs/cost_model.md");
}

std::string read_name(const json& value) {
  if (!value.is_string()) fail_key("name", "is not a string", "put the name in quotes");
  if (value.get_ref<const std::string&>().empty()) fail_key("name", "is empty", "name the device");
  return value;
}

DeviceProfile profile_of(const json& object) {
  if (!object.is_object()) {
    fail_input("", "is not a JSON object", "see the example of a profile in docs/cost_model.md");
  }
  check_keys(object, "", profile_keys());
  for (const char* const key : {"name", "memory_bytes", "vector_flops"}) require(object, key);
  DeviceProfile profile;
  profile.name = read_name(object["name"]);
  constexpr double most_bytes = 1LL << 50;
  if (!object["memory_bytes"].is_number_integer()) {
    fail_key("memory_bytes", "is not an integer", "write a number of bytes such as 85899345920");
  }
  profile.memory_bytes =
      static_cast<std::int64_t>(read_number(object["memory_bytes"], "memory_bytes", 1, most_bytes));
  for (const NumberKey& each : number_keys) {
    if (each.required) require(object, each.name);
    if (!object.contains(each.name)) continue;
    profile.*each.number = read_number(object[each.name], each.name, each.least, each.most);
  }
  if (object.contains("matrix_flops")) {
    profile.matrix = read_rates(object["matrix_flops"], "matrix_flops", true);
  }
  profile.vector = read_rates(object["vector_flops"], "vector_flops", false);
  if (profile.vector.float32 == 0)
    fail_key("vector_flops.float32", "is missing", "add the float32 rate of the vector units");
  return profile;
}

json rates_json(const PeakRates& rates) {
  json object = json::object();
  for (const RateKey& each : rate_keys) {
    if (rates.*each.rate != 0) object[each.name] = rates.*each.rate;
  }
  return object;
}

json in_full(const DeviceProfile& profile) {
  json object = {{"name", profile.name},
                 {"memory_bytes", profile.memory_bytes},
                 {"matrix_flops", rates_json(profile.matrix)},
                 {"vector_flops", rates_json(profile.vector)}};
  for (const NumberKey& each : number_keys) object[each.name] = profile.*each.number;
  return object;
}

/// The rates to try for a type: first the type's own rate, then the rates of wider types. Every
/// list ends with float32.
std::span<double PeakRates::*const> rates_for(ElementType element) {
  using R = double PeakRates::*;
  static constexpr std::array<R, 1> single = {&PeakRates::float32};
  static constexpr std::array<R, 2> dual = {&PeakRates::float64, &PeakRates::float32};
  static constexpr std::array<R, 2> half = {&PeakRates::float16, &PeakRates::float32};
  static constexpr std::array<R, 2> brain = {&PeakRates::bfloat16, &PeakRates::float32};
  static constexpr std::array<R, 3> quarter = {&PeakRates::float8, &PeakRates::float16,
                                               &PeakRates::float32};
  static constexpr std::array<R, 2> byte = {&PeakRates::int8, &PeakRates::float32};
  switch (element) {
    case ElementType::float64:
      return dual;
    case ElementType::float16:
      return half;
    case ElementType::bfloat16:
      return brain;
    case ElementType::float8e4m3fn:
    case ElementType::float8e4m3fnuz:
    case ElementType::float8e5m2:
    case ElementType::float8e5m2fnuz:
      return quarter;
    case ElementType::int8:
    case ElementType::uint8:
      return byte;
    default:
      return single;
  }
}

/// The peak rate of the matrix units for one type; 0 if no matrix unit supports the type.
double matrix_rate(const PeakRates& matrix, double PeakRates::*rate) {
  const double own = matrix.*rate;
  return rate == &PeakRates::float32 ? std::max(own, matrix.tf32) : own;
}

double peak_rate(const DeviceProfile& profile, ComputeUnit unit, ElementType element) {
  for (double PeakRates::*const rate : rates_for(element)) {
    const double matrix = unit == ComputeUnit::matrix ? matrix_rate(profile.matrix, rate) : 0;
    const double peak = std::max(matrix, profile.vector.*rate);
    if (peak > 0) return peak;
  }
  return profile.vector.float32;
}

}  // namespace

DeviceProfile parse_profile(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded())
    fail_input("", "is not JSON", "see the example of a profile in docs/cost_model.md");
  return profile_of(object);
}

DeviceProfile load_profile(const std::string& name_or_file) {
  if (const DeviceProfile* const bundled = find_profile(name_or_file)) return *bundled;
  if (!std::filesystem::exists(name_or_file)) {
    std::vector<std::string> names;
    for (const DeviceProfile& each : device_profiles()) names.push_back(each.name);
    fail_usage("profile '" + printable(name_or_file) + "'",
               "is neither a bundled profile nor a file",
               "pass a JSON file or one of these names: " + join(names, ", "));
  }
  try {
    return parse_profile(read_file(name_or_file));
  } catch (const Error& error) {
    throw error.within(printable(name_or_file));
  }
}

void save_profile(const DeviceProfile& profile, const std::filesystem::path& path) {
  write_file_atomically(path, in_full(profile).dump(2) + "\n");
}

json profile_to_json(const DeviceProfile& profile) {
  const DeviceProfile* const bundled = find_profile(profile.name);
  if (bundled != nullptr && *bundled == profile) return profile.name;
  return in_full(profile);
}

std::map<std::string, double> profile_figures(const DeviceProfile& profile) {
  std::map<std::string, double> figures;
  const json full = in_full(profile);
  for (const auto& [key, value] : full.items()) {
    if (value.is_number()) figures[key] = value;
    if (!value.is_object()) continue;
    for (const auto& [type, rate] : value.items()) figures[key + "." + type] = rate;
  }
  return figures;
}

DeviceProfile profile_from_json(const json& value) {
  if (!value.is_string()) return profile_of(value);
  const DeviceProfile* const bundled = find_profile(value.get_ref<const std::string&>());
  if (bundled == nullptr) {
    fail_input("", "names an unknown device profile",
               option_hint({Advice::Action::choose_profile}));
  }
  return *bundled;
}

double PeakRates::*figure_for(ElementType element) { return rates_for(element).front(); }

double operations_per_second(const DeviceProfile& profile, ComputeUnit unit, ElementType element) {
  return peak_rate(profile, unit, element) * profile.compute_efficiency;
}

double memory_bandwidth(const DeviceProfile& profile) {
  return profile.bandwidth * profile.bandwidth_efficiency;
}

}  // namespace stashscope
