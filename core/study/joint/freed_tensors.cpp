#include "core/study/joint/freed_tensors.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// The operator that makes a value; empty for values that no node makes.
std::string maker_of(const Graph& graph, ValueId value) {
  const NodeId maker = graph.value(value).producer;
  return maker.valid() ? graph.node(maker).op_type : "";
}

/// The name of a tensor, the operator that makes it, and its size.
struct NamedBuffer {
  std::string name;
  std::string maker;
  std::int64_t bytes = 0;
};

NamedBuffer named(const Study& study, const Variant& variant, BufferId id) {
  const Buffer& buffer = variant.timeline.buffers[id];
  return {name_of(study.graph(), variant.dataflow, buffer),
          buffer.state ? "" : maker_of(study.graph(), variant.dataflow.origin(buffer.root)),
          buffer.bytes};
}

/// The bytes of the tensors at the peak, by name.
std::map<std::string, std::int64_t> bytes_at_peak(const Study& study, const Variant& variant) {
  std::map<std::string, std::int64_t> bytes;
  for (const BufferId id : alive_at(variant.timeline, variant.timeline.peak_slot)) {
    const NamedBuffer each = named(study, variant, id);
    bytes[each.name] = each.bytes;
  }
  return bytes;
}

std::set<std::string> names_in(const Study& study, const Variant& variant) {
  std::set<std::string> names;
  for (const BufferId id : IdRange<BufferId>(variant.timeline.buffers.size())) {
    names.insert(name_of(study.graph(), variant.dataflow, variant.timeline.buffers[id]));
  }
  return names;
}

/// The first of the tensors that shrink most, with the number of other tensors like it.
std::optional<FreedTensor> first_of(const std::vector<NamedBuffer>& freed,
                                    const std::map<std::string, std::int64_t>& after) {
  const auto left = [&](const NamedBuffer& each) {
    const auto found = after.find(each.name);
    return found == after.end() ? 0 : found->second;
  };
  const auto gain = [&](const NamedBuffer& each) { return each.bytes - left(each); };
  const auto largest = std::ranges::max_element(freed, {}, gain);
  if (largest == freed.end() || gain(*largest) <= 0) return std::nullopt;
  const auto alike = std::ranges::count_if(freed, [&](const NamedBuffer& each) {
    return each.maker == largest->maker && gain(each) == gain(*largest);
  });
  return FreedTensor{largest->name, largest->bytes, left(*largest), true,
                     static_cast<std::size_t>(alike) - 1};
}

}  // namespace

std::optional<FreedTensor> largest_freed(const Study& study, const Variant& before,
                                         const Study& other, const Variant& after,
                                         std::int64_t least_bytes) {
  std::vector<NamedBuffer> alive;
  for (const BufferId id : alive_at(before.timeline, before.timeline.peak_slot)) {
    if (!before.timeline.buffers[id].persistent) alive.push_back(named(study, before, id));
  }
  auto at_peak = first_of(alive, bytes_at_peak(other, after));
  if (at_peak && at_peak->bytes - at_peak->bytes_after >= least_bytes) return at_peak;
  const std::set<std::string> kept = names_in(other, after);
  std::vector<NamedBuffer> gone;
  for (const BufferId id : IdRange<BufferId>(before.timeline.buffers.size())) {
    NamedBuffer each = named(study, before, id);
    if (!kept.contains(each.name)) gone.push_back(std::move(each));
  }
  auto freed = first_of(gone, {});
  if (freed) freed->was_at_peak = false;
  return freed;
}

std::optional<FreedTensor> largest_of(const Study& study, const Timeline& timeline,
                                      const std::vector<ValueId>& values) {
  std::vector<NamedBuffer> alive;
  std::vector<NamedBuffer> all;
  std::set<BufferId> seen;
  for (const ValueId value : values) {
    const BufferId id = timeline.buffer_of[value];
    if (!id.valid() || !seen.insert(id).second) continue;
    const Buffer& buffer = timeline.buffers[id];
    NamedBuffer each{study.graph().value(value).name, maker_of(study.graph(), value), buffer.bytes};
    const bool is_at_peak = is_alive(buffer, timeline.peak_slot);
    if (is_at_peak) alive.push_back(each);
    all.push_back(std::move(each));
  }
  return first_of(alive.empty() ? all : alive, {});
}

std::string words_of(const FreedTensor& tensor) {
  std::string text = printable(tensor.name) + " (" + format_bytes(tensor.bytes);
  if (tensor.alike > 0) text += ", and " + std::to_string(tensor.alike) + " more like it";
  return text + ")";
}

}  // namespace stashscope
