#include "core/study/exports/perfetto_trace.h"

#include <cmath>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/exports/protobuf_writer.h"
#include "core/study/exports/slot_times.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

namespace {

// Numbers of fields in protos/perfetto/trace of google/perfetto.
namespace trace_field {
constexpr std::uint32_t packet = 1;
}
namespace packet_field {
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence = 10;
constexpr std::uint32_t event = 11;
constexpr std::uint32_t flags = 13;
constexpr std::uint32_t descriptor = 60;
}  // namespace packet_field
namespace descriptor_field {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t parent = 5;
constexpr std::uint32_t counter = 8;
}  // namespace descriptor_field
namespace counter_field {
constexpr std::uint32_t unit = 3;
}
namespace event_field {
constexpr std::uint32_t annotation = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t track = 11;
constexpr std::uint32_t name = 23;
constexpr std::uint32_t counter_value = 30;
}  // namespace event_field
namespace annotation_field {
constexpr std::uint32_t text = 6;
constexpr std::uint32_t name = 10;
}  // namespace annotation_field

constexpr std::int64_t slice_begin = 1;
constexpr std::int64_t slice_end = 2;
constexpr std::int64_t counter = 4;
constexpr std::int64_t unit_bytes = 3;
constexpr std::int64_t sequence_id = 1;
constexpr std::int64_t state_cleared = 1;

/// The uuids of tracks.
enum class Track : std::uint8_t { step = 1, nodes = 2, live = 3, reserved = 4 };

std::int64_t uuid_of(Track track) { return static_cast<std::int64_t>(track); }

class PerfettoTrace {
 public:
  void add_track(Track track, std::string_view name) {
    ProtobufWriter descriptor;
    descriptor.number(descriptor_field::uuid, uuid_of(track));
    descriptor.bytes(descriptor_field::name, name);
    if (track != Track::step) descriptor.number(descriptor_field::parent, uuid_of(Track::step));
    if (track == Track::live || track == Track::reserved) {
      ProtobufWriter bytes;
      bytes.number(counter_field::unit, unit_bytes);
      descriptor.message(descriptor_field::counter, bytes);
    }
    ProtobufWriter packet = new_packet();
    packet.message(packet_field::descriptor, descriptor);
    trace_.message(trace_field::packet, packet);
  }

  /// @param details names and texts
  void begin_slice(std::int64_t time, const std::string& name,
                   const std::vector<std::pair<const char*, std::string>>& details) {
    ProtobufWriter event = new_event(slice_begin, Track::nodes);
    event.bytes(event_field::name, to_valid_utf8(name));
    for (const auto& [key, text] : details) {
      if (text.empty()) continue;
      ProtobufWriter annotation;
      annotation.bytes(annotation_field::text, to_valid_utf8(text));
      annotation.bytes(annotation_field::name, key);
      event.message(event_field::annotation, annotation);
    }
    add_event(time, event);
  }

  void end_slice(std::int64_t time) { add_event(time, new_event(slice_end, Track::nodes)); }

  void count(std::int64_t time, Track track, std::int64_t value) {
    ProtobufWriter event = new_event(counter, track);
    event.number(event_field::counter_value, value);
    add_event(time, event);
  }

  const std::string& text() const { return trace_.text(); }

 private:
  ProtobufWriter new_packet() {
    ProtobufWriter packet;
    packet.number(packet_field::sequence, sequence_id);
    if (is_first_) packet.number(packet_field::flags, state_cleared);
    is_first_ = false;
    return packet;
  }

  static ProtobufWriter new_event(std::int64_t type, Track track) {
    ProtobufWriter event;
    event.number(event_field::type, type);
    event.number(event_field::track, uuid_of(track));
    return event;
  }

  void add_event(std::int64_t time, const ProtobufWriter& event) {
    ProtobufWriter packet = new_packet();
    packet.number(packet_field::timestamp, time);
    packet.message(packet_field::event, event);
    trace_.message(trace_field::packet, packet);
  }

  ProtobufWriter trace_;
  bool is_first_ = true;
};

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

}  // namespace

std::string perfetto_trace(const Study& study, const std::optional<AllocatorSettings>& allocator) {
  const Variant& variant = *study.current;
  const Timeline& timeline = variant.timeline;
  const std::vector<double> starts = slot_starts(study, variant);
  std::vector<std::int64_t> reserved;
  if (allocator) reserved = reserved_memory(study, variant, *allocator).by_slot;
  PerfettoTrace trace;
  trace.add_track(Track::step, "training step");
  trace.add_track(Track::nodes, "nodes");
  trace.add_track(Track::live, "live bytes");
  if (allocator) trace.add_track(Track::reserved, "reserved bytes");
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    const NodeId node = timeline.order[slot];
    const NodeId origin = variant.dataflow.origin(node);
    const std::int64_t begin = nanoseconds(starts[slot]);
    trace.count(begin, Track::live, timeline.live_bytes[slot]);
    if (allocator) trace.count(begin, Track::reserved, reserved[slot]);
    trace.begin_slice(begin, shown_name(study.graph(), variant.dataflow, node),
                      {{"operator", study.graph().node(origin).op_type},
                       {"module", layer_of(study.graph(), origin)}});
    const std::int64_t end = nanoseconds(starts[slot + 1]);
    trace.end_slice(end);
    trace.count(end, Track::live, timeline.idle_bytes[slot + 1]);
  }
  return trace.text();
}

}  // namespace stashscope
