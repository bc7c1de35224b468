#include "core/study/measured/measurement_file.h"

#include <nlohmann/json.hpp>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/study/files/json_fields.h"
#include "core/study/files/json_texts.h"
#include "core/study/files/measurement_json.h"
#include "core/study/measured/pytorch_measurement.h"
#include "core/study/step/step_identity.h"

namespace stashscope {

namespace {

using json_fields::fail_field;
using json_fields::read;
using nlohmann::json;

const json_fields::Format& file_format() {
  static const std::string hint = option_hint({Advice::Action::write_measurement});
  static const json_fields::Format format = {"stashscope_measurement", 1, "measurement file",
                                             hint.c_str()};
  return format;
}

constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t most_differences = 4;

struct MeasuredStep {
  StepIdentity identity;
  std::map<std::string, std::int64_t>
      dims;  ///< only named in messages; steps of other sizes have other identities
};

MeasuredStep step_of(const Study& study) {
  MeasuredStep step{identity_of(study), {}};
  for (const Dimension& each : study.sizes->dims.dimensions) step.dims[each.name] = each.value;
  return step;
}

json to_json(const MeasuredStep& step) {
  return {{"graph", step.identity.graph},
          {"baseline", step.identity.baseline},
          {"current", step.identity.current},
          {"dims", step.dims}};
}

MeasuredStep step_from(const json& object) {
  const auto found = object.find("step");
  if (found == object.end() || !found->is_object()) fail_field("step", "is missing");
  MeasuredStep step;
  read(*found, "graph", step.identity.graph);
  read(*found, "baseline", step.identity.baseline);
  read(*found, "current", step.identity.current);
  read(*found, "dims", step.dims);
  return step;
}

std::string other_sizes(const MeasuredStep& measured, const MeasuredStep& step) {
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

void check_step(const MeasuredStep& measured, const MeasuredStep& step) {
  if (measured.identity == step.identity) return;
  if (measured.identity.graph != step.identity.graph) {
    fail_input("", "was measured on another model, or with other passes",
               "open the measured model, or run this model");
  }
  const std::string sizes = other_sizes(measured, step);
  if (!sizes.empty()) {
    fail_input("", "was measured with other sizes: " + sizes,
               "set the measured sizes, or run the step again");
  }
  fail_input("", "was measured with other plans, another order or another optimizer",
             "choose the measured plans, order and optimizer, or run the step again");
}

std::optional<Measurement> measurement_of(const json& object, const char* key,
                                          const Variant& variant) {
  auto measured = measurement_from(object, key);
  if (!measured) return measured;
  const std::size_t steps = variant.timeline.order.size();
  if (measured->live_bytes.size() != steps || measured->node_seconds.size() != steps) {
    fail_field(key, "does not have " + std::to_string(steps) + " slots");
  }
  return measured;
}

}  // namespace

std::string measurements_text(const Study& study, const StudyMeasurements& measured) {
  json object = {{file_format().field, file_format().version},
                 {"step", to_json(step_of(study))},
                 {"current", measurement_to_json(measured.current)}};
  if (measured.baseline) object["baseline"] = measurement_to_json(*measured.baseline);
  return with_encoded_texts(object).dump() + "\n";
}

StudyMeasurements parse_measurements(const std::string& text, const Study& study) {
  const json object = json_fields::parse_file(text, file_format());
  const bool is_of_pytorch = lists_operators(object);
  if (is_of_pytorch) {
    check_operators(object, study);
  } else {
    check_step(step_from(object), step_of(study));
  }
  const auto current = measurement_of(object, "current", *study.current);
  if (!current) fail_field("current", "is missing");
  if (!is_of_pytorch) return {measurement_of(object, "baseline", *study.baseline), *current};
  if (runs_without_plans(object, study)) return {current, *current};
  return without_baseline(*current, "the measured step had a plan applied in PyTorch");
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
