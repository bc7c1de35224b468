#include "core/report/pool_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/report/reserved_report.h"

namespace stashscope {

using nlohmann::json;

namespace {

/// Such as `1 GiB without gaps (1,073,741,824 B) to 2 GiB without remapping (2,147,483,648 B)`.
std::string figures_text(const PoolMemory& memory) {
  const std::int64_t low = memory.low_bytes;
  const std::int64_t high = memory.high_bytes;
  if (low == high) return exact_bytes(low);
  return format_bytes_beside(low, high) + " without gaps (" + with_thousands(low) + " B) to " +
         format_bytes_beside(high, low) + " without remapping (" + with_thousands(high) + " B)";
}

const char* position(const MeasuredPools& pools) {
  if (pools.measured_bytes < pools.predicted.low_bytes) return "below";
  return pools.measured_bytes > pools.predicted.high_bytes ? "above" : "within";
}

}  // namespace

PoolReserve pool_reserve(const Study& study, const Variant& variant, const PoolSettings& settings,
                         const std::vector<OtherMemory>& others) {
  return {settings, pool_memory(study, variant, settings),
          device_memory(study, variant, settings, others)};
}

std::string pool_text(const PoolReserve& reserve, const std::vector<OtherMemory>& others) {
  const std::string set = to_string(reserve.settings);
  return "  reserved by a stream-ordered pool of CUDA" + (set.empty() ? "" : " with " + set) +
         ": " + figures_text(reserve.memory) + ", up to " +
         format_bytes(reserve.memory.fragmentation_bytes) + " more than the tensors at the peak\n" +
         device_text(reserve.device, others);
}

json pool_json(const PoolReserve& reserve) {
  return {{"reserved_bytes", reserve.memory.high_bytes},
          {"reserved_low_bytes", reserve.memory.low_bytes},
          {"fragmentation_bytes", reserve.memory.fragmentation_bytes},
          {"device_bytes", device_json(reserve.device)}};
}

MeasuredPools measured_pools(const Study& study, const Variant& variant, const Measurement& run,
                             const PoolSettings& settings) {
  return {plugin_pools(study, pool_memory(study, variant, settings), peak_workspace(run), settings),
          run.peak_reserved_bytes};
}

std::string measured_pools_text(const MeasuredPools& pools) {
  const auto& [low, high] = pools.predicted;
  const std::int64_t beside = std::max(low - pools.measured_bytes, pools.measured_bytes - high);
  return range_text(low, high) +
         " (measured: " + (beside > 0 ? format_bytes(beside) + " " : std::string()) +
         position(pools) + ")";
}

json measured_pools_json(const MeasuredPools& pools) {
  return {{"low_bytes", pools.predicted.low_bytes},
          {"high_bytes", pools.predicted.high_bytes},
          {"position", position(pools)}};
}

}  // namespace stashscope
