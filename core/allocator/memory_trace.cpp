#include "core/allocator/memory_trace.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::pair<std::string_view, AllocatorAction> actions[] = {
    {"alloc", AllocatorAction::alloc},
    {"free_requested", AllocatorAction::free_requested},
    {"free_completed", AllocatorAction::free_completed},
    {"segment_alloc", AllocatorAction::segment_alloc},
    {"segment_free", AllocatorAction::segment_free},
    {"segment_map", AllocatorAction::segment_map},
    {"segment_unmap", AllocatorAction::segment_unmap},
    {"snapshot", AllocatorAction::other},
    {"oom", AllocatorAction::other},
    {"workspace_snapshot", AllocatorAction::other},
};

[[noreturn]] void fail_line(std::size_t line, const std::string& why, const std::string& hint) {
  fail_input("line " + std::to_string(line), why, hint);
}

constexpr const char* name_columns = "the events need the columns action, addr and size";
constexpr const char* record_again = "give the events as PyTorch recorded them";

constexpr std::int64_t most_address = std::int64_t{1} << 60;
/// Limit on a size: more than the memory of any device.
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
/// Limit on the sum of the sizes of all segments, and on the sum over all events of the size plus
/// one large segment. For each event, a replay reserves at most twice the size, rounded up to a
/// segment. So the bytes that it reserves fit 64 bits.
constexpr std::int64_t most_sum = std::int64_t{1} << 58;

/// The places of the columns that are read.
struct Columns {
  std::size_t action = 0;
  std::size_t address = 0;
  std::size_t bytes = 0;
  std::optional<std::size_t> stream;
};

std::optional<std::size_t> column(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Columns columns_in(std::string_view header) {
  std::vector<std::string> names = split(header, ',');
  for (std::string& name : names) name = trimmed(name);
  const auto action = column(names, "action");
  const auto address = column(names, "addr");
  const auto bytes = column(names, "size");
  if (!action || !address || !bytes) fail_line(1, "lacks a needed column", name_columns);
  return {*action, *address, *bytes, column(names, "stream")};
}

/// A field as a number; an empty field is 0.
std::int64_t number_in(std::string_view field, std::size_t line, std::int64_t most = most_address) {
  if (field.empty()) return 0;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size() || number < 0) {
    fail_line(line, "has '" + printable(std::string(field)) + "' in the place of a number",
              record_again);
  }
  if (number > most) {
    fail_line(line, "has the number " + printable(std::string(field)) + ", which is out of range",
              record_again);
  }
  return number;
}

/// Splits a line at each comma; quotes have no meaning.
void split_into(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    const auto comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

AllocatorEvent event_in(const std::vector<std::string_view>& fields, const Columns& columns,
                        std::size_t line) {
  const std::size_t last = std::max({columns.action, columns.address, columns.bytes});
  if (fields.size() <= last) fail_line(line, "has too few fields", name_columns);
  const std::string name(fields[columns.action]);
  const auto action = action_named(name);
  if (!action) fail_line(line, "has the unknown action '" + printable(name) + "'", record_again);
  AllocatorEvent event{*action, number_in(fields[columns.address], line),
                       number_in(fields[columns.bytes], line, most_bytes), 0};
  if (columns.stream && *columns.stream < fields.size()) {
    event.stream = number_in(fields[*columns.stream], line);
  }
  return event;
}

std::int64_t size_field(const json& object, const char* key, std::int64_t most = most_bytes) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) {
    fail_input("", std::string("the field '") + key + "' is not a whole number");
  }
  const auto number = found->get<std::int64_t>();
  if (number < 0 || number > most) {
    fail_input("", std::string("the field '") + key + "' is out of range");
  }
  return number;
}

std::string state_field(const json& state) {
  return state.is_string() ? state.get<std::string>() : "";
}

/// A block as an object, or as a list of address, size, requested size and state.
RecordedBlock block_in(const json& block) {
  if (block.is_array() && block.size() >= 4) {
    return block_in({{"address", block[0]},
                     {"size", block[1]},
                     {"requested_size", block[2]},
                     {"state", block[3]}});
  }
  if (!block.is_object()) fail_input("", "a block is neither an object nor a list of 4 entries");
  const bool is_free = state_field(block.value("state", json())) == "inactive";
  const std::int64_t bytes = size_field(block, "size");
  std::int64_t requested = is_free ? 0 : bytes;
  if (block.contains("requested_size")) requested = size_field(block, "requested_size");
  if (!is_free && requested > bytes) {
    fail_input("", "a block has a 'requested_size' that is larger than its size");
  }
  return {size_field(block, "address", most_address), bytes, requested, is_free};
}

/// Fails unless the blocks fill the segment one after the other. A segment without blocks is right.
void check_blocks(const RecordedSegment& segment) {
  std::int64_t end = segment.address;
  for (const RecordedBlock& block : segment.blocks) {
    if (block.address != end || block.bytes <= 0) fail_input("", "its blocks do not fill it");
    end += block.bytes;
  }
  if (!segment.blocks.empty() && end != segment.address + segment.bytes) {
    fail_input("", "its blocks do not fill it");
  }
}

RecordedSegment segment_in(const json& object) {
  if (!object.is_object()) fail_input("", "is not an object");
  RecordedSegment segment;
  segment.address = size_field(object, "address", most_address);
  segment.bytes = size_field(object, "total_size");
  if (object.contains("stream")) segment.stream = size_field(object, "stream", most_address);
  const std::string type = state_field(object.value("segment_type", json()));
  if (type != "small" && type != "large")
    fail_input("", "its segment_type is neither small nor large");
  segment.pool = type == "small" ? MemoryPool::small : MemoryPool::large;
  const json expandable = object.value("is_expandable", json(false));
  segment.is_expandable = expandable.is_boolean() && expandable.get<bool>();
  for (const json& block : object.value("blocks", json::array())) {
    segment.blocks.push_back(block_in(block));
  }
  check_blocks(segment);
  return segment;
}

AllocatorSettings settings_in(const json& object) {
  if (!object.is_object()) return {};
  const json split = object.value("max_split_size", json(-1));
  const json expandable = object.value("expandable_segments", json(false));
  return recorded_settings(state_field(object.value("PYTORCH_CUDA_ALLOC_CONF", json())),
                           split.is_number_integer() ? split.get<std::int64_t>() : -1,
                           expandable.is_boolean() && expandable.get<bool>());
}

json parsed(const std::string& text) {
  json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("segments") || !parsed["segments"].is_array()) {
    fail_input("", "is not JSON with a list of segments", "give the segments of a memory snapshot");
  }
  return parsed;
}

[[noreturn]] void fail_expandable(const std::string& where) {
  fail_input(where, "has expandable segments, whose pages a replay does not map",
             "record the step with expandable_segments:False");
}

}  // namespace

std::optional<AllocatorAction> action_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(actions, name, &std::pair<std::string_view, AllocatorAction>::first);
  return found == std::end(actions) ? std::nullopt : std::optional(found->second);
}

AllocatorSettings recorded_settings(const std::string& variable, std::int64_t max_split_bytes,
                                    bool expandable_segments) {
  AllocatorSettings settings;
  try {
    settings = parse_allocator_settings(variable);
  } catch (const Error& error) {
    fail_input("the recorded settings: " + error.where(), error.reason(), error.hint());
  }
  if (max_split_bytes > 0) settings.max_split_bytes = max_split_bytes;
  if (expandable_segments) settings.expandable_segments = true;
  return settings;
}

std::int64_t RecordedState::reserved_bytes() const {
  std::int64_t bytes = 0;
  for (const RecordedSegment& segment : segments) bytes += segment.bytes;
  return bytes;
}

std::vector<AllocatorEvent> parse_trace_events(std::string_view csv) {
  std::vector<AllocatorEvent> events;
  std::optional<Columns> columns;
  std::vector<std::string_view> fields;
  std::int64_t sum = 0;
  for (std::size_t line = 1; !csv.empty(); ++line) {
    const auto end = csv.find('\n');
    std::string_view text = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    if (!columns) {
      columns = columns_in(text);
      continue;
    }
    split_into(text, fields);
    events.push_back(event_in(fields, *columns, line));
    sum += events.back().bytes + large_segment_bytes;
    if (sum > most_sum)
      fail_line(line, "has a size that makes the sum of all sizes too large", record_again);
  }
  if (!columns) fail_line(1, "lacks a needed column", name_columns);
  return events;
}

RecordedState parse_recorded_state(const std::string& json_text) {
  const json object = parsed(json_text);
  RecordedState state;
  const char* const key = object.contains("allocator_settings") ? "allocator_settings" : "settings";
  state.settings = settings_in(object.value(key, json::object()));
  std::int64_t sum = 0;
  for (const json& each : object["segments"]) {
    const std::size_t index = state.segments.size();
    try {
      state.segments.push_back(segment_in(each));
      sum += state.segments.back().bytes;
      if (sum > most_sum) fail_input("", "the field 'total_size' is out of range");
    } catch (const Error& error) {
      throw error.within("segment " + std::to_string(index));
    }
  }
  std::ranges::sort(state.segments, {}, &RecordedSegment::address);
  return state;
}

bool begins_release(std::span<const AllocatorEvent> events, std::size_t index) {
  const auto gives_back = [&](std::size_t at) {
    return events[at].action == AllocatorAction::segment_free;
  };
  return gives_back(index) && (index == 0 || !gives_back(index - 1));
}

void check_replayable(std::span<const AllocatorEvent> events, const RecordedState& end) {
  const bool is_expandable = end.settings.expandable_segments ||
                             std::ranges::any_of(end.segments, &RecordedSegment::is_expandable);
  if (is_expandable) fail_expandable("the recording");
  for (std::size_t index = 0; index < events.size(); ++index) {
    const AllocatorAction action = events[index].action;
    if (action == AllocatorAction::segment_map || action == AllocatorAction::segment_unmap) {
      fail_expandable("event " + std::to_string(index));
    }
  }
}

[[noreturn]] void fail_unknown_tensor(const AllocatorEvent& event, std::size_t index) {
  fail_input("event " + std::to_string(index),
             "frees memory at address " + std::to_string(event.address) + ", where no tensor is",
             "give the segments of the same recording as the events");
}

}  // namespace stashscope
