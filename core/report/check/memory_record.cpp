#include "core/report/check/memory_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/facts/module_memory.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr const char* version_key = "stashscope_memory";
constexpr int newest_version = 1;

void add_tensors(const Study& study, MemoryRecord& record) {
  const Variant& variant = *study.current;
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_slot)) {
    const Buffer& buffer = variant.timeline.buffers[id];
    record.tensors[to_valid_utf8(name_of(study.graph(), variant.dataflow, buffer))] += buffer.bytes;
  }
}

json bytes_json(const CheckedBytes& bytes) {
  json object = {{"peak_bytes", bytes.peak_bytes}, {"stashed_bytes", bytes.stashed_bytes}};
  if (bytes.reserved_bytes) object["reserved_bytes"] = *bytes.reserved_bytes;
  return object;
}

[[noreturn]] void fail_record(const std::string& why) {
  fail_input("", why, "write the file again with --save-baseline");
}

/// The most bytes that a record may have for a figure, and for all its modules together. The sum of
/// two such numbers fits into 64 bits.
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

std::int64_t number_in(const json& number, const std::string& where) {
  if (!number.is_number_integer() || number.get<std::int64_t>() < 0 ||
      number.get<std::int64_t>() > most_bytes) {
    fail_record("'" + printable(where) + "' is not a number of bytes");
  }
  return number.get<std::int64_t>();
}

CheckedBytes bytes_in(const json& object) {
  if (!object.is_object()) fail_record("has an entry that is no object");
  CheckedBytes bytes{number_in(object.value("peak_bytes", json()), "peak_bytes"),
                     number_in(object.value("stashed_bytes", json()), "stashed_bytes"),
                     {}};
  const auto reserved = object.find("reserved_bytes");
  if (reserved != object.end()) bytes.reserved_bytes = number_in(*reserved, "reserved_bytes");
  return bytes;
}

/// An object in a record; empty if the record does not have it.
json object_in(const json& record, const char* key) {
  json object = record.value(key, json::object());
  if (!object.is_object()) fail_record(std::string("'") + key + "' is no object");
  return object;
}

}  // namespace

MemoryRecord record_of(const Study& study, const AllocatorSettings& settings) {
  MemoryRecord record;
  const TensorHomes homes = tensor_homes(study, *study.current);
  std::vector<ModuleMemory> modules = module_memory(study, homes);
  const ModuleMemory outside = memory_outside(study, homes, modules);
  record.step.stashed_bytes = outside.stashed_bytes;
  for (const ModuleMemory& each : modules) {
    record.step.stashed_bytes += each.stashed_bytes;
    record.modules[to_valid_utf8(each.module)] = {each.peak_bytes, each.stashed_bytes, {}};
  }
  record.step.peak_bytes = study.current->timeline.peak_bytes;
  record.step.reserved_bytes = reserved_memory(study, *study.current, settings).reserved_bytes;
  record.allocator = to_string(settings);
  add_tensors(study, record);
  return record;
}

std::string record_text(const MemoryRecord& record) {
  json modules = json::object();
  for (const auto& [name, bytes] : record.modules) modules[name] = bytes_json(bytes);
  json text = {{version_key, newest_version},
               {"step", bytes_json(record.step)},
               {"modules", modules},
               {"tensors", record.tensors}};
  if (record.allocator) text["allocator"] = *record.allocator;
  return text.dump(1) + "\n";
}

MemoryRecord parse_record(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  const json version = object.is_object() ? object.value(version_key, json()) : json();
  const std::int64_t number = version.is_number_integer() ? version.get<std::int64_t>() : 0;
  if (number < 1) fail_record("is no baseline of a check");
  if (number > newest_version) fail_record("is of a newer version of the program");
  MemoryRecord record{bytes_in(object.value("step", json())), {}, {}, {}};
  const json allocator = object.value("allocator", json());
  if (allocator.is_string()) record.allocator = allocator.get<std::string>();
  const json modules = object_in(object, "modules");
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : modules.items()) {
    const CheckedBytes& module = record.modules[name] = bytes_in(bytes);
    sum += std::max(module.peak_bytes, module.stashed_bytes);
    if (sum > most_bytes) fail_record("'modules' have a sum that is out of range");
  }
  const json tensors = object_in(object, "tensors");
  for (const auto& [name, bytes] : tensors.items()) {
    record.tensors[name] = number_in(bytes, name);
  }
  return record;
}

}  // namespace stashscope
