#include "core/snapshot/snapshot_reader.h"

#include "core/base/error.h"
#include "core/snapshot/snapshot_stacks.h"

namespace stashscope {

namespace {

constexpr int deepest_data = 8;
/// Limit on the bytes of a tensor, more than a device has. The sum over all events that can be read
/// fits into 64 bits.
constexpr std::int64_t largest_tensor = std::int64_t{1} << 40;

/// Copies settings and annotations without interpreting them.
class DataReader {
 public:
  DataReader(const PickleDocument& document, MemoryBudget& budget)
      : document_(document), budget_(budget) {}

  SnapshotData read(PickleId value, int depth = 0) {
    if (!value.valid()) return {};
    if (depth > deepest_data) fail_input("", "has settings that are nested too deeply");
    budget_.take(sizeof(SnapshotData::Dict::value_type));
    switch (document_.kind(value)) {
      case PickleKind::none:
        return {};
      case PickleKind::boolean:
        return {document_.integer(value) != 0};
      case PickleKind::integer:
        return {document_.integer(value)};
      case PickleKind::real:
        return {document_.real(value)};
      case PickleKind::text:
      case PickleKind::bytes:
        return text(value);
      case PickleKind::list:
      case PickleKind::tuple:
        return list(value, depth);
      case PickleKind::dict:
        return dict(value, depth);
    }
    return {};
  }

 private:
  SnapshotData text(PickleId value) {
    budget_.take(document_.text(value).size());
    return {document_.text(value)};
  }

  SnapshotData list(PickleId value, int depth) {
    SnapshotData::List list;
    for (const PickleId each : document_.items(value)) list.push_back(read(each, depth + 1));
    return {std::move(list)};
  }

  SnapshotData dict(PickleId value, int depth) {
    SnapshotData::Dict dict;
    const std::vector<PickleId>& items = document_.items(value);
    for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
      if (document_.kind(items[at]) != PickleKind::text) {
        fail_input("", "has settings with a key that is no text");
      }
      budget_.take(document_.text(items[at]).size());
      dict.emplace_back(document_.text(items[at]), read(items[at + 1], depth + 1));
    }
    return {std::move(dict)};
  }

  const PickleDocument& document_;
  MemoryBudget& budget_;
};

/// The keys of segments, blocks and events.
struct Keys {
  explicit Keys(const SnapshotFields& fields)
      : device(fields.key("device")),
        address(fields.key("address")),
        total(fields.key("total_size")),
        allocated(fields.key("allocated_size")),
        active(fields.key("active_size")),
        requested(fields.key("requested_size")),
        stream(fields.key("stream")),
        type(fields.key("segment_type")),
        pool(fields.key("segment_pool_id")),
        expandable(fields.key("is_expandable")),
        frames(fields.key("frames")),
        blocks(fields.key("blocks")),
        size(fields.key("size")),
        state(fields.key("state")),
        history(fields.key("history")),
        real_size(fields.key("real_size")),
        action(fields.key("action")),
        addr(fields.key("addr")),
        device_free(fields.key("device_free")),
        time(fields.key("time_us")),
        context(fields.key("compile_context")),
        metadata(fields.key("user_metadata")),
        category(fields.key("category")) {}

  PickleId device, address, total, allocated, active, requested, stream, type, pool, expandable,
      frames, blocks, size, state, history, real_size, action, addr, device_free, time, context,
      metadata, category;
};

class SnapshotReader {
 public:
  SnapshotReader(const PickleDocument& document, MemoryBudget& budget)
      : document_(document),
        budget_(budget),
        fields_(document),
        keys_(fields_),
        stacks_(document, budget, snapshot_.names) {}

  MemorySnapshot read() {
    const PickleId root = document_.root;
    if (document_.kind(root) == PickleKind::list) {
      read_segments(root);
      return std::move(snapshot_);
    }
    fields_.require(root, PickleKind::dict, "the snapshot");
    read_segments(fields_.find(root, fields_.key("segments")));
    read_traces(fields_.find(root, fields_.key("device_traces")));
    DataReader data(document_, budget_);
    snapshot_.settings = data.read(fields_.find(root, fields_.key("allocator_settings")));
    snapshot_.annotations = data.read(fields_.find(root, fields_.key("external_annotations")));
    return std::move(snapshot_);
  }

 private:
  /// Reads one item after the other; errors name the item.
  template <class Read>
  void read_each(PickleId list, const char* list_name, const char* name, const Read& read) {
    const std::vector<PickleId>& items = fields_.list(list, list_name);
    for (std::size_t at = 0; at < items.size(); ++at) {
      try {
        read(items[at]);
      } catch (const Error& error) {
        throw error.within(std::string(name) + " " + std::to_string(at));
      }
    }
  }

  void read_segments(PickleId list) {
    read_each(list, "the field 'segments'", "segment", [&](PickleId each) {
      budget_.take(2 * sizeof(SnapshotSegment));
      snapshot_.segments.push_back(segment(each));
      total_ += snapshot_.segments.back().total_bytes;
      if (total_ > std::int64_t{1} << 61) fail_field("total_size", "is out of range");
    });
  }

  MemoryPool pool_of(PickleId segment) {
    const SnapshotTextId type = stacks_.text(fields_.find(segment, keys_.type), "segment_type");
    const std::string& name = snapshot_.names.text(type);
    if (name != "small" && name != "large") fail_field("segment_type", "is not small or large");
    return name == "small" ? MemoryPool::small : MemoryPool::large;
  }

  std::pair<std::int64_t, std::int64_t> pool_id_of(PickleId segment) {
    const PickleId value = fields_.find(segment, keys_.pool);
    if (!value.valid() || document_.kind(value) == PickleKind::none) return {0, 0};
    const std::vector<PickleId>& items = fields_.list(value, "the field 'segment_pool_id'");
    const auto is_integer = [&](PickleId each) {
      return document_.kind(each) == PickleKind::integer;
    };
    if (items.size() != 2 || !is_integer(items[0]) || !is_integer(items[1])) {
      fail_field("segment_pool_id", "is not two whole numbers");
    }
    return {document_.integer(items[0]), document_.integer(items[1])};
  }

  bool is_expandable(PickleId segment) {
    const PickleId value = fields_.find(segment, keys_.expandable);
    return value.valid() && document_.kind(value) == PickleKind::boolean &&
           document_.integer(value) != 0;
  }

  SnapshotSegment segment(PickleId value) {
    fields_.require(value, PickleKind::dict, "it");
    SnapshotSegment segment;
    segment.device = fields_.size(value, keys_.device, "device", 0);
    segment.address = fields_.size(value, keys_.address, "address");
    segment.total_bytes = fields_.size(value, keys_.total, "total_size");
    segment.stream = fields_.number(value, keys_.stream, "stream", 0);
    segment.pool = pool_of(value);
    segment.pool_id = pool_id_of(value);
    segment.is_expandable = is_expandable(value);
    segment.stack = stacks_.stack(fields_.find(value, keys_.frames));
    read_blocks(value, segment);
    segment.allocated_bytes =
        fields_.size(value, keys_.allocated, "allocated_size", sum_of(segment, true));
    segment.active_bytes = fields_.size(value, keys_.active, "active_size", sum_of(segment, false));
    segment.requested_bytes =
        fields_.size(value, keys_.requested, "requested_size", requested_in(segment));
    return segment;
  }

  /// The bytes of the allocated blocks or, without `only_allocated`, of all blocks that are not
  /// free.
  std::int64_t sum_of(const SnapshotSegment& segment, bool only_allocated) const {
    std::int64_t bytes = 0;
    for (const SnapshotBlock& block : segment.blocks) {
      const std::string& state = snapshot_.names.text(block.state);
      if (only_allocated ? state == allocated_state : state != inactive_state) bytes += block.bytes;
    }
    return bytes;
  }

  std::int64_t requested_in(const SnapshotSegment& segment) const {
    std::int64_t bytes = 0;
    for (const SnapshotBlock& block : segment.blocks) {
      const bool is_free = snapshot_.names.text(block.state) == inactive_state;
      if (!is_free) bytes += block.requested_bytes;
    }
    return bytes;
  }

  void read_blocks(PickleId value, SnapshotSegment& segment) {
    const std::int64_t segment_end = segment.address + segment.total_bytes;
    std::int64_t end = segment.address;
    read_each(fields_.find(value, keys_.blocks), "the field 'blocks'", "block", [&](PickleId each) {
      budget_.take(2 * sizeof(SnapshotBlock));
      const SnapshotBlock& added = segment.blocks.emplace_back(block(each, end));
      if (added.address < end || added.address + added.bytes > segment_end) {
        fail_input("", "lies outside of its segment or in another block",
                   "record the snapshot once more");
      }
      end = added.address + added.bytes;
    });
  }

  /// @param address used if the block states no address, as before PyTorch 2.1
  SnapshotBlock block(PickleId value, std::int64_t address) {
    fields_.require(value, PickleKind::dict, "it");
    SnapshotBlock block;
    block.address = fields_.size(value, keys_.address, "address", address);
    block.bytes = fields_.size(value, keys_.size, "size");
    block.state = stacks_.text(fields_.find(value, keys_.state), "a block's state");
    block.stack = stacks_.stack(fields_.find(value, keys_.frames));
    block.user_metadata = stacks_.text(fields_.find(value, keys_.metadata), "user_metadata");
    block.category = stacks_.text(fields_.find(value, keys_.category), "category");
    const PickleId history = last_use(value);
    const bool is_free = snapshot_.names.text(block.state) == inactive_state;
    std::int64_t requested = is_free ? 0 : block.bytes;
    if (history.valid()) {
      block.stack = stacks_.stack(fields_.find(history, keys_.frames));
      requested = fields_.size(history, keys_.real_size, "real_size", requested);
    }
    block.requested_bytes = fields_.size(value, keys_.requested, "requested_size", requested);
    if (!is_free && block.requested_bytes > block.bytes) {
      fail_field("requested_size", "is larger than the block");
    }
    return block;
  }

  /// The first entry in a block's history, which is the latest. Invalid without a history: only
  /// PyTorch 2.0 records it.
  PickleId last_use(PickleId block) {
    const PickleId history = fields_.find(block, keys_.history);
    if (!history.valid()) return {};
    const std::vector<PickleId>& entries = fields_.list(history, "a block's history");
    if (entries.empty()) return {};
    fields_.require(entries.front(), PickleKind::dict, "a block's history");
    return entries.front();
  }

  void read_traces(PickleId list) {
    if (!list.valid()) return;
    read_each(list, "the field 'device_traces'", "the trace of device", [&](PickleId trace) {
      budget_.take(4 * sizeof(snapshot_.traces[0]));
      snapshot_.traces.emplace_back();
      std::vector<SnapshotEvent>& events = snapshot_.traces.back();
      const std::size_t count = fields_.list(trace, "it").size();
      budget_.take(count * sizeof(SnapshotEvent));
      events.reserve(count);
      read_each(trace, "it", "event", [&](PickleId each) { events.push_back(event(each)); });
    });
  }

  SnapshotEvent event(PickleId value) {
    fields_.require(value, PickleKind::dict, "it");
    SnapshotEvent event;
    event.action = stacks_.text(fields_.find(value, keys_.action), "the field 'action'");
    if (!event.action.valid()) fail_field("action", "is missing");
    const bool is_oom = snapshot_.names.text(event.action) == "oom";
    event.address = is_oom ? fields_.size(value, keys_.device_free, "device_free", 0)
                           : fields_.size(value, keys_.addr, "addr", 0);
    event.bytes = fields_.size(value, keys_.size, "size", 0);
    if (!is_oom && event.bytes > largest_tensor) fail_field("size", "is out of range");
    event.stream = fields_.number(value, keys_.stream, "stream", 0);
    event.time = fields_.number(value, keys_.time, "time_us", 0);
    event.stack = stacks_.stack(fields_.find(value, keys_.frames));
    event.compile_context = stacks_.text(fields_.find(value, keys_.context), "compile_context");
    event.user_metadata = stacks_.text(fields_.find(value, keys_.metadata), "user_metadata");
    event.category = stacks_.text(fields_.find(value, keys_.category), "category");
    return event;
  }

  const PickleDocument& document_;
  MemoryBudget& budget_;
  MemorySnapshot snapshot_;
  SnapshotFields fields_;
  Keys keys_;
  SnapshotStacks stacks_;
  std::int64_t total_ = 0;
};

}  // namespace

MemorySnapshot snapshot_in(const PickleDocument& document, MemoryBudget& budget) {
  return SnapshotReader(document, budget).read();
}

}  // namespace stashscope
