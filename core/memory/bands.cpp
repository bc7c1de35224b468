#include "core/memory/bands.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/memory/last_uses.h"
#include "core/memory/slots_of.h"

namespace stashscope {

namespace {

struct BandNames {
  std::string_view name;
  std::string_view title;
};

constexpr std::array<BandNames, band_count> names = {
    {{"parameters", "parameters"},
     {"gathered_parameters", "gathered parameters"},
     {"constants", "inputs and constants"},
     {"optimizer_states", "optimizer states"},
     {"gradients", "gradients"},
     {"stashed", "stashed activations"},
     {"activations", "other activations"},
     {"workspace", "workspace"}}};

/// A buffer belongs to `band` in the slots [from, until].
struct Claim {
  BufferId buffer;
  Band band = Band::activations;
  std::uint32_t from = 0;
  std::uint32_t until = 0;
};

class BandCounter {
 public:
  BandCounter(const Dataflow& dataflow, const BufferRules& rules, const Timeline& timeline,
              std::size_t forward_slots, NodeId yield)
      : dataflow_(dataflow),
        topology_(dataflow.topology),
        rules_(rules),
        timeline_(timeline),
        first_backward_(forward_slots),
        yield_(yield),
        change_(timeline.order.size() + 1, BandBytes{}) {}

  std::vector<BandBytes> count() {
    if (timeline_.order.empty()) return {};
    const auto all = spans();
    for (const BufferId id : IdRange<BufferId>(all.size())) {
      for (const BandSpan& each : all[id]) {
        add(each.band, timeline_.buffers[id].bytes, each.from, each.until + std::size_t{1});
      }
    }
    return summed_up();
  }

  IdVector<BufferId, std::vector<BandSpan>> spans() {
    find_claims();
    std::stable_sort(claims_.begin(), claims_.end(),
                     [](const Claim& a, const Claim& b) { return a.buffer < b.buffer; });
    IdVector<BufferId, std::vector<BandSpan>> spans(timeline_.buffers.size());
    auto next = claims_.begin();
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      const auto first = next;
      while (next != claims_.end() && next->buffer == id) ++next;
      spans[id] = spans_of(timeline_.buffers[id], {first, next});
    }
    return spans;
  }

  /// @param slot if set, only the claims at this slot count
  IdVector<BufferId, Band> by_buffer(std::optional<std::size_t> slot = std::nullopt) {
    find_claims();
    IdVector<BufferId, Band> bands(timeline_.buffers.size(), Band::activations);
    for (const Claim& each : claims_) {
      if (slot && (*slot < each.from || *slot > each.until)) continue;
      bands[each.buffer] = stronger(bands[each.buffer], each.band);
    }
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      const Buffer& buffer = timeline_.buffers[id];
      if (is_given(buffer)) bands[id] = given_band(buffer);
    }
    return bands;
  }

 private:
  void find_claims() {
    read_until_ = last_uses(dataflow_, rules_, timeline_.order);
    is_stashed_ = IdVector<ValueId, bool>(topology_.values(), false);
    slot_of_ = slots_of(topology_, timeline_.order);
    for (std::size_t slot = 0; slot < timeline_.order.size(); ++slot) claim_outputs(slot);
  }

  void claim_outputs(std::size_t slot) {
    const NodeId node = timeline_.order[slot];
    const auto outputs = topology_.outputs[node];
    if (slot < first_backward_ && node != yield_) {
      for (const ValueId each : outputs) is_stashed_[each] = waits_until(each) >= first_backward_;
    } else if (slot >= first_backward_ && dataflow_.runs_origin(node)) {
      // A view of a stashed value keeps the value alive.
      for (const BufferShare& share : rules_.aliases[dataflow_.origin(node)]) {
        is_stashed_[outputs[share.output]] = is_stashed_[topology_.inputs[node][share.input]];
      }
    }
    for (const ValueId each : outputs) claim(each, static_cast<std::uint32_t>(slot));
  }

  /// The state of a random generator is an activation, whatever the role of its origin.
  ValueRole role_of(ValueId value) const {
    const bool is_state = dataflow_.form(value).fixed_bytes.has_value();
    return is_state ? ValueRole::activation : rules_.role[dataflow_.origin(value)];
  }

  /// The last slot in which the step itself needs the value. A variable of the training script may
  /// hold the value longer.
  std::uint32_t waits_until(ValueId value) const {
    const ValueId origin = dataflow_.origin(value);
    const bool is_of_script = !rules_.held_by_script.empty() && rules_.held_by_script[origin];
    if (!is_of_script) return read_until_[value];
    std::uint32_t last = 0;
    for (const NodeId reader : topology_.readers[value]) last = std::max(last, slot_of_[reader]);
    return last;
  }

  void claim(ValueId value, std::uint32_t made) {
    const BufferId id = timeline_.buffer_of[value];
    if (!id.valid()) return;
    const Buffer& buffer = timeline_.buffers[id];
    const std::uint32_t until = buffer.returned ? buffer.last_slot : read_until_[value];
    const ValueRole role = role_of(value);
    if (role == ValueRole::gradient) {
      claims_.push_back({id, Band::gradients, made, until});
    } else if (role == ValueRole::optimizer_state) {
      claims_.push_back({id, Band::optimizer_states, made, until});
    } else if (role == ValueRole::gathered_parameter) {
      claims_.push_back({id, Band::gathered_parameters, made, until});
    } else if (is_stashed_[value]) {
      claims_.push_back({id, Band::stashed, made, read_until_[value]});
    }
  }

  /// Whether the buffer exists before the step.
  bool is_given(const Buffer& buffer) const {
    return buffer.persistent || rules_.is_given[dataflow_.origin(buffer.root)];
  }

  Band given_band(const Buffer& buffer) const {
    if (buffer.state) return Band::optimizer_states;
    switch (rules_.role[buffer.root]) {
      case ValueRole::parameter:
        return Band::parameters;
      case ValueRole::gradient:
        return Band::gradients;
      case ValueRole::optimizer_state:
        return Band::optimizer_states;
      default:
        return Band::constants;
    }
  }

  void add(Band band, std::int64_t bytes, std::size_t from, std::size_t until) {
    of(change_[from], band) += bytes;
    of(change_[until], band) -= bytes;
  }

  std::vector<BandSpan> spans_of(const Buffer& buffer, std::span<const Claim> claims) const {
    if (is_given(buffer)) return {{given_band(buffer), buffer.first_slot, buffer.last_slot}};
    const std::size_t end = buffer.last_slot + std::size_t{1};
    std::vector<BandSpan> spans;
    const auto add_span = [&](Band band, std::size_t from, std::size_t until) {
      if (!spans.empty() && spans.back().band == band) {
        spans.back().until = static_cast<std::uint32_t>(until - 1);
      } else {
        spans.push_back(
            {band, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(until - 1)});
      }
    };
    struct Edge {
      std::size_t slot;
      Band band;
      int count;
    };
    std::vector<Edge> edges;
    for (const Claim& each : claims) {
      edges.push_back({each.from, each.band, 1});
      edges.push_back({each.until + std::size_t{1}, each.band, -1});
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.slot < b.slot; });
    std::array<int, band_count> claimed{};
    std::size_t done = buffer.first_slot;
    for (const Edge& edge : edges) {
      if (edge.slot > done) add_span(strongest(claimed), done, edge.slot);
      done = edge.slot;
      claimed[static_cast<std::size_t>(edge.band)] += edge.count;
    }
    if (end > done) add_span(strongest(claimed), done, end);
    return spans;
  }

  /// The band of a buffer that two values use at one slot. A gradient that is written over the
  /// stashed activation from which it was computed counts as a gradient.
  static Band stronger(Band a, Band b) {
    for (const Band band :
         {Band::gradients, Band::optimizer_states, Band::gathered_parameters, Band::stashed}) {
      if (a == band || b == band) return band;
    }
    return Band::activations;
  }
  static Band strongest(const std::array<int, band_count>& claimed) {
    Band found = Band::activations;
    for (std::size_t band = 0; band < band_count; ++band) {
      if (claimed[band] > 0) found = stronger(found, static_cast<Band>(band));
    }
    return found;
  }

  std::vector<BandBytes> summed_up() {
    for (std::size_t slot = 1; slot < change_.size(); ++slot) {
      for (std::size_t band = 0; band < band_count; ++band) {
        change_[slot][band] += change_[slot - 1][band];
      }
    }
    change_.pop_back();
    return std::move(change_);
  }

  const Dataflow& dataflow_;
  const Topology& topology_;
  const BufferRules& rules_;
  const Timeline& timeline_;
  std::size_t first_backward_;
  NodeId yield_;
  IdVector<ValueId, std::uint32_t> read_until_;
  IdVector<NodeId, std::uint32_t> slot_of_;
  IdVector<ValueId, bool> is_stashed_;
  std::vector<Claim> claims_;
  std::vector<BandBytes> change_;  ///< difference from the previous slot
};

}  // namespace

std::int64_t& of(BandBytes& bytes, Band band) { return bytes[static_cast<std::size_t>(band)]; }
std::int64_t of(const BandBytes& bytes, Band band) { return bytes[static_cast<std::size_t>(band)]; }

std::string_view name_of(Band band) { return names[static_cast<std::size_t>(band)].name; }
std::string_view title_of(Band band) { return names[static_cast<std::size_t>(band)].title; }

std::size_t forward_slots(const std::vector<NodeId>& order, std::span<const NodeId> forward_ends) {
  const std::unordered_set<std::size_t> ends = [&] {
    std::unordered_set<std::size_t> indices;
    for (const NodeId each : forward_ends) indices.insert(each.index());
    return indices;
  }();
  const auto last = std::find_if(order.rbegin(), order.rend(),
                                 [&](NodeId node) { return ends.contains(node.index()); });
  return last == order.rend() ? order.size() : static_cast<std::size_t>(order.rend() - last);
}

std::vector<BandBytes> bands_by_slot(const Dataflow& dataflow, const BufferRules& rules,
                                     const Timeline& timeline, std::size_t forward_slots,
                                     NodeId yield) {
  return BandCounter(dataflow, rules, timeline, forward_slots, yield).count();
}

IdVector<BufferId, Band> band_of_buffers(const Dataflow& dataflow, const BufferRules& rules,
                                         const Timeline& timeline, std::size_t forward_slots,
                                         NodeId yield) {
  return BandCounter(dataflow, rules, timeline, forward_slots, yield).by_buffer();
}

IdVector<BufferId, Band> bands_at(const Dataflow& dataflow, const BufferRules& rules,
                                  const Timeline& timeline, std::size_t forward_slots, NodeId yield,
                                  std::size_t slot) {
  return BandCounter(dataflow, rules, timeline, forward_slots, yield).by_buffer(slot);
}

IdVector<BufferId, std::vector<BandSpan>> band_spans(const Dataflow& dataflow,
                                                     const BufferRules& rules,
                                                     const Timeline& timeline,
                                                     std::size_t forward_slots, NodeId yield) {
  return BandCounter(dataflow, rules, timeline, forward_slots, yield).spans();
}

Band band_at(std::span<const BandSpan> spans, std::size_t slot) {
  const auto found = std::ranges::find_if(
      spans, [&](const BandSpan& span) { return span.from <= slot && slot <= span.until; });
  return found == spans.end() ? Band::activations : found->band;
}

std::vector<std::int64_t> stacked(const std::vector<BandBytes>& bands, Band band) {
  std::vector<std::int64_t> edge;
  edge.reserve(bands.size());
  for (const BandBytes& each : bands) {
    const auto end = each.begin() + static_cast<std::ptrdiff_t>(band) + 1;
    edge.push_back(std::accumulate(each.begin(), end, std::int64_t{0}));
  }
  return edge;
}

}  // namespace stashscope
