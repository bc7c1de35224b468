#include "core/study/measurement_file.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/fnv_hash.h"
#include "core/base/text.h"
#include "core/study/json_fields.h"
#include "core/study/json_texts.h"
#include "core/study/measurement_json.h"

namespace stashscope {

namespace {

using json_fields::fail_field;
using json_fields::read;
using nlohmann::json;

constexpr json_fields::Format format = {
    "stashscope_measurement", 1, "file of measurements",
    "write one with stashscope-run --write-measurement FILE, or export one"};
constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t most_differences = 4;

/// Equal for variants that run the same nodes in the same order with the same predicted memory.
std::uint64_t fingerprint(const Variant& variant) {
  FnvHash hash;
  for (const NodeId node : variant.timeline.order) hash.add_number(node.index());
  for (const std::int64_t bytes : variant.timeline.live_bytes) {
    hash.add_number(static_cast<std::uint64_t>(bytes));
  }
  return hash.value();
}

/// What a measurement belongs to.
struct StepIdentity {
  std::uint64_t graph = 0;
  std::uint64_t baseline = 0;
  std::uint64_t current = 0;
  std::map<std::string, std::int64_t> dims;  ///< for the user; the others tell all
};

StepIdentity identity_of(const Study& study) {
  StepIdentity step{
      study.prepared->fingerprint, fingerprint(*study.baseline), fingerprint(*study.current), {}};
  for (const Dimension& each : study.sizes->dims.dimensions) step.dims[each.name] = each.value;
  return step;
}

json to_json(const StepIdentity& step) {
  return {{"graph", step.graph},
          {"baseline", step.baseline},
          {"current", step.current},
          {"dims", step.dims}};
}

StepIdentity identity_from(const json& object) {
  const auto found = object.find("step");
  if (found == object.end() || !found->is_object()) fail_field("step", "is not there");
  StepIdentity step;
  read(*found, "graph", step.graph);
  read(*found, "baseline", step.baseline);
  read(*found, "current", step.current);
  read(*found, "dims", step.dims);
  return step;
}

std::string other_sizes(const StepIdentity& measured, const StepIdentity& step) {
  std::vector<std::string> differences;
  for (const auto& [name, size] : step.dims) {
    const auto other = measured.dims.find(name);
    if (other == measured.dims.end() || other->second == size) continue;
    differences.push_back(printable(name, 60) + " was " + std::to_string(other->second) +
                          " and is " + std::to_string(size));
  }
  if (differences.size() > most_differences) differences.resize(most_differences);
  return join(differences, ", ");
}

void check_identity(const StepIdentity& measured, const StepIdentity& step) {
  if (measured.graph == step.graph && measured.baseline == step.baseline &&
      measured.current == step.current) {
    return;
  }
  if (measured.graph != step.graph) {
    fail_input("", "was measured on another model, or with other passes",
               "open that model, or run this one");
  }
  const std::string sizes = other_sizes(measured, step);
  if (!sizes.empty()) {
    fail_input("", "was measured with other sizes: " + sizes, "set these sizes, or run again");
  }
  fail_input("", "was measured with other plans, another order or another optimizer",
             "choose those, or run again");
}

Measurement measurement_of(const json& object, const char* key, const Variant& variant) {
  const auto measured = measurement_from(object, key);
  if (!measured) fail_field(key, "is not there");
  const std::size_t steps = variant.timeline.order.size();
  if (measured->live_bytes.size() != steps || measured->node_seconds.size() != steps) {
    fail_field(key, "is not of " + std::to_string(steps) + " steps");
  }
  return *measured;
}

}  // namespace

std::string measurements_text(const Study& study, const StudyMeasurements& measured) {
  const json object = {{format.field, format.version},
                       {"step", to_json(identity_of(study))},
                       {"baseline", measurement_to_json(measured.baseline)},
                       {"current", measurement_to_json(measured.current)}};
  return with_encoded_texts(object).dump() + "\n";
}

StudyMeasurements parse_measurements(const std::string& text, const Study& study) {
  const json object = json_fields::parse_file(text, format);
  check_identity(identity_from(object), identity_of(study));
  return {measurement_of(object, "baseline", *study.baseline),
          measurement_of(object, "current", *study.current)};
}

void save_measurements(const Study& study, const StudyMeasurements& measured,
                       const std::filesystem::path& path) {
  write_file_atomically(path, measurements_text(study, measured));
}

StudyMeasurements load_measurements(const std::filesystem::path& path, const Study& study) {
  try {
    if (MappedFile::open(path)->bytes().size() > most_bytes) {
      fail_input("", "is larger than " + format_bytes(most_bytes));
    }
    return parse_measurements(read_file(path), study);
  } catch (const Error& error) {
    if (error.where().find(printable(path.string())) != std::string::npos) throw;
    throw error.within(printable(path.string()));
  }
}

}  // namespace stashscope
