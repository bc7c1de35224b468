#include "core/study/files/measurement_json.h"

#include <algorithm>

#include "core/run/measurement/measured_limits.h"
#include "core/run/measurement/run_counts.h"
#include "core/study/files/json_fields.h"

namespace stashscope {

namespace {

using json_fields::fail_field;
using json_fields::read;
using nlohmann::json;

void check_bytes(const char* key, const std::vector<std::int64_t>& bytes) {
  if (!std::ranges::all_of(bytes, is_measured_size)) fail_field(key, "has bytes out of range");
}

void check(const Measurement& m) {
  check_bytes("live_bytes", m.live_bytes);
  check_bytes("idle_bytes", m.idle_bytes);
  check_bytes("workspace_bytes", m.workspace_bytes);
  check_bytes("peak_together_bytes", {m.peak_together_bytes});
  check_bytes("peak_reserved_bytes", {m.peak_reserved_bytes});
  check_bytes("peak_bytes", {m.peak_bytes});
  check_bytes("peak_resident_bytes", {m.peak_resident_bytes});
  check_bytes("repeat_difference", {m.repeat_difference});
  if (!m.workspace_bytes.empty() && m.workspace_bytes.size() != m.live_bytes.size()) {
    fail_field("workspace_bytes", "has a different number of slots than 'live_bytes'");
  }
  if (!std::ranges::all_of(m.node_seconds, is_measured_time)) {
    fail_field("node_seconds", "has a time out of range");
  }
  if (!is_measured_time(m.step_seconds)) fail_field("step_seconds", "is out of range");
  for (const auto& [name, size] : m.data_dependent) check_bytes("data_dependent", {size});
  if (m.repeats < 1 || m.repeats > most_runs) fail_field("repeats", "has a value out of range");
}

}  // namespace

json measurement_to_json(const Measurement& m) {
  return {{"device", m.device},
          {"live_bytes", m.live_bytes},
          {"node_seconds", m.node_seconds},
          {"step_seconds", m.step_seconds},
          {"peak_bytes", m.peak_bytes},
          {"peak_resident_bytes", m.peak_resident_bytes},
          {"idle_bytes", m.idle_bytes},
          {"workspace_bytes", m.workspace_bytes},
          {"peak_together_bytes", m.peak_together_bytes},
          {"peak_reserved_bytes", m.peak_reserved_bytes},
          {"remarks", m.remarks},
          {"data_dependent", m.data_dependent},
          {"repeats", m.repeats},
          {"repeat_difference", m.repeat_difference}};
}

std::optional<Measurement> measurement_from(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (!found->is_object()) fail_field(key, "has a wrong type");
  Measurement m;
  read(*found, "device", m.device);
  read(*found, "live_bytes", m.live_bytes);
  read(*found, "node_seconds", m.node_seconds);
  read(*found, "step_seconds", m.step_seconds);
  read(*found, "peak_bytes", m.peak_bytes);
  read(*found, "peak_resident_bytes", m.peak_resident_bytes);
  read(*found, "idle_bytes", m.idle_bytes);
  read(*found, "workspace_bytes", m.workspace_bytes);
  read(*found, "peak_together_bytes", m.peak_together_bytes);
  read(*found, "peak_reserved_bytes", m.peak_reserved_bytes);
  read(*found, "remarks", m.remarks);
  read(*found, "data_dependent", m.data_dependent);
  read(*found, "repeats", m.repeats);
  read(*found, "repeat_difference", m.repeat_difference);
  check(m);
  return m;
}

}  // namespace stashscope
