#include "core/study/measured/measured_difference.h"

#include <algorithm>
#include <numeric>

#include "core/planner/copy_overlap.h"
#include "core/study/measured/measure.h"
#include "core/study/measured/run_overlap.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

/// CUDA's allocators round sizes up to multiples of this number of bytes.
constexpr std::int64_t device_granularity = 512;

/// By slot, the sum of `share` over the live buffers.
template <class Share>
std::vector<std::int64_t> over_alive(const Timeline& timeline, const Share& share) {
  std::vector<std::int64_t> sum(timeline.order.size() + 1, 0);
  for (const Buffer& buffer : timeline.buffers) {
    const std::int64_t each = share(buffer);
    sum[buffer.first_slot] += each;
    sum[buffer.last_slot + std::size_t{1}] -= each;
  }
  std::partial_sum(sum.begin(), sum.end(), sum.begin());
  return sum;
}

/// The dimensions whose sizes in the run differ from the study's.
class UnlikeSizes {
 public:
  UnlikeSizes(const Study& study, const Variant& variant, const Measurement& measured)
      : graph_(study.graph()), dataflow_(variant.dataflow) {
    for (const auto& [name, size] : sizes_unlike_predicted(study, measured)) {
      if (const auto symbol = graph_.symbols().find(name)) symbols_.push_back(*symbol);
    }
  }

  bool concern(const Buffer& buffer) const {
    if (symbols_.empty()) return false;
    const TensorType type = type_of(graph_, dataflow_, buffer);
    if (!type.shape) return false;
    return std::any_of(type.shape->begin(), type.shape->end(),
                       [this](const Expr& dim) { return mentions(dim); });
  }

 private:
  bool mentions(const Expr& dim) const {
    const std::vector<SymbolId> own = dim.symbols();
    return std::find_first_of(own.begin(), own.end(), symbols_.begin(), symbols_.end()) !=
           own.end();
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  std::vector<SymbolId> symbols_;
};

/// Possible causes of a difference at each slot.
class Causes {
 public:
  Causes(const Study& study, const Variant& variant, const Measurement& measured)
      : variant_(variant), on_device_(measured.device.starts_with("cuda")) {
    const UnlikeSizes unlike(study, variant, measured);
    unlike_ = over_alive(variant.timeline, [&](const Buffer& buffer) -> std::int64_t {
      return unlike.concern(buffer) ? 1 : 0;
    });
    rounding_ = over_alive(variant.timeline, [](const Buffer& buffer) {
      return (device_granularity - buffer.bytes % device_granularity) % device_granularity;
    });
  }

  DifferenceCause of_step(std::size_t step, std::int64_t difference) const {
    if (difference == 0) return DifferenceCause::none;
    if (difference == -of(variant_.bands[step], Band::workspace)) {
      return DifferenceCause::inner_memory;
    }
    if (unlike_[step] > 0) return DifferenceCause::data_dependent;
    const bool may_be_rounding = on_device_ && difference > 0 && difference <= rounding_[step];
    return may_be_rounding ? DifferenceCause::rounding : DifferenceCause::unknown;
  }

 private:
  const Variant& variant_;
  bool on_device_;
  /// By slot, the number of live buffers whose size in the run may differ from the prediction.
  std::vector<std::int64_t> unlike_;
  /// The most bytes that rounding can add to the live buffers, by slot.
  std::vector<std::int64_t> rounding_;
};

}  // namespace

MeasuredDifferences measured_differences(const Study& study, const Variant& variant,
                                         const Measurement& measured) {
  const std::vector<NodeId>& order = variant.timeline.order;
  if (order.empty() || measured.live_bytes.size() != order.size()) return {};
  const NodeTimes predicted = profile_times(study, *study.sizes);
  const NodeTimes seconds =
      seconds_by_node({study.sizes->bytes, predicted, copy_rates(study)}, variant.dataflow);
  const bool is_overlapped = ran_with_overlap(variant, measured);
  const Causes causes(study, variant, measured);
  MeasuredDifferences differences;
  differences.slots.reserve(order.size());
  for (std::size_t step = 0; step < order.size(); ++step) {
    const double took = step < measured.node_seconds.size() ? measured.node_seconds[step] : 0;
    const bool only_starts = is_overlapped && is_copy(variant.dataflow, order[step]);
    StepDifference each{step,
                        order[step],
                        variant.timeline.live_bytes[step],
                        measured.live_bytes[step],
                        only_starts ? 0 : seconds[order[step]],
                        took};
    if (!measured.workspace_bytes.empty()) each.workspace_bytes = measured.workspace_bytes[step];
    each.cause = causes.of_step(step, each.bytes());
    differences.slots.push_back(each);
  }
  if (is_overlapped) {
    differences.waiting_seconds = waiting_seconds(variant.dataflow, order, variant.copies, seconds);
  }
  return differences;
}

std::string_view explanation(DifferenceCause cause) {
  switch (cause) {
    case DifferenceCause::none:
      return "as predicted";
    case DifferenceCause::inner_memory:
      return "memory inside the node is not measured";
    case DifferenceCause::data_dependent:
      return "sizes depend on the data";
    case DifferenceCause::rounding:
      return "the allocator rounds up";
    default:
      return "not explained";
  }
}

}  // namespace stashscope
