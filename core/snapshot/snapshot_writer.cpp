#include "core/base/text.h"
#include "core/snapshot/pickle_writer.h"
#include "core/snapshot/snapshot_file.h"

namespace stashscope {

namespace {

class SnapshotWriter {
 public:
  explicit SnapshotWriter(const MemorySnapshot& snapshot)
      : snapshot_(snapshot),
        frames_(snapshot.names.frames(), not_written),
        stacks_(snapshot.names.stacks(), not_written) {}

  std::string write() {
    out_.begin_dict();
    list("segments", snapshot_.segments, [&](const auto& each) { segment(each); });
    list("device_traces", snapshot_.traces, [&](const auto& each) { trace(each); });
    data("allocator_settings", snapshot_.settings);
    data("external_annotations", snapshot_.annotations);
    out_.end_dict();
    return std::move(out_).finish();
  }

 private:
  static constexpr std::uint32_t not_written = ~std::uint32_t{0};

  void integer(const char* key, std::int64_t value) {
    out_.text(key);
    out_.integer(value);
  }

  void text(const char* key, SnapshotTextId value) {
    if (!value.valid()) return;
    out_.text(key);
    out_.text(snapshot_.names.text(value));
  }

  template <class Items, class Write>
  void list(const char* key, const Items& items, const Write& write) {
    out_.text(key);
    this->list(items, write);
  }

  template <class Items, class Write>
  void list(const Items& items, const Write& write) {
    constexpr std::size_t piece = 1000;
    out_.begin_list();
    std::size_t written = 0;
    for (const auto& each : items) {
      if (written > 0 && written % piece == 0) out_.next_piece();
      write(each);
      ++written;
    }
    out_.end_list();
  }

  void data(const char* key, const SnapshotData& data) {
    if (std::holds_alternative<std::monostate>(data.value)) return;
    out_.text(key);
    this->data(data);
  }

  void data(const SnapshotData& data) {
    std::visit([&](const auto& value) { datum(value); }, data.value);
  }

  void datum(std::monostate /*none*/) { out_.none(); }
  void datum(bool value) { out_.boolean(value); }
  void datum(std::int64_t value) { out_.integer(value); }
  void datum(double value) { out_.real(value); }
  void datum(const std::string& value) { out_.text(value); }

  void datum(const SnapshotData::List& list) {
    this->list(list, [&](const SnapshotData& each) { data(each); });
  }

  void datum(const SnapshotData::Dict& dict) {
    out_.begin_dict();
    for (const auto& [key, value] : dict) {
      out_.text(key);
      data(value);
    }
    out_.end_dict();
  }

  void frame(SnapshotFrameId id) {
    if (frames_[id] != not_written) return out_.recall(frames_[id]);
    const SnapshotFrame& frame = snapshot_.names.frame(id);
    out_.begin_dict();
    text("filename", frame.file);
    integer("line", frame.line);
    text("name", frame.name);
    out_.end_dict();
    frames_[id] = out_.remember();
  }

  void stack(SnapshotStackId id) {
    if (!id.valid()) return;
    out_.text("frames");
    if (stacks_[id] != not_written) return out_.recall(stacks_[id]);
    list(snapshot_.names.stack(id), [&](SnapshotFrameId each) { frame(each); });
    stacks_[id] = out_.remember();
  }

  void block(const SnapshotBlock& block) {
    out_.begin_dict();
    integer("address", block.address);
    integer("size", block.bytes);
    integer("requested_size", block.requested_bytes);
    text("state", block.state);
    stack(block.stack);
    text("user_metadata", block.user_metadata);
    text("category", block.category);
    out_.end_dict();
  }

  void segment(const SnapshotSegment& segment) {
    out_.begin_dict();
    integer("device", segment.device);
    integer("address", segment.address);
    integer("total_size", segment.total_bytes);
    integer("allocated_size", segment.allocated_bytes);
    integer("active_size", segment.active_bytes);
    integer("requested_size", segment.requested_bytes);
    integer("stream", segment.stream);
    out_.text("segment_type");
    out_.text(segment.pool == MemoryPool::small ? "small" : "large");
    out_.text("segment_pool_id");
    out_.begin_tuple();
    out_.integer(segment.pool_id.first);
    out_.integer(segment.pool_id.second);
    out_.end_tuple();
    out_.text("is_expandable");
    out_.boolean(segment.is_expandable);
    stack(segment.stack);
    list("blocks", segment.blocks, [&](const auto& each) { block(each); });
    out_.end_dict();
  }

  void trace(const std::vector<SnapshotEvent>& events) {
    list(events, [&](const SnapshotEvent& each) { event(each); });
  }

  void event(const SnapshotEvent& event) {
    out_.begin_dict();
    text("action", event.action);
    const bool is_oom = snapshot_.names.text(event.action) == "oom";
    integer(is_oom ? "device_free" : "addr", event.address);
    integer("size", event.bytes);
    integer("stream", event.stream);
    integer("time_us", event.time);
    stack(event.stack);
    text("compile_context", event.compile_context);
    text("user_metadata", event.user_metadata);
    text("category", event.category);
    out_.end_dict();
  }

  const MemorySnapshot& snapshot_;
  PickleWriter out_;
  IdVector<SnapshotFrameId, std::uint32_t> frames_;  ///< number by which the pickle recalls each
  IdVector<SnapshotStackId, std::uint32_t> stacks_;
};

}  // namespace

std::string snapshot_pickle(const MemorySnapshot& snapshot) {
  return SnapshotWriter(snapshot).write();
}

}  // namespace stashscope
