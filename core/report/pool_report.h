#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/run/measurement/trace.h"
#include "core/study/reserved/pool_memory.h"

namespace stashscope {

/// The memory that a stream-ordered pool of CUDA reserves for a variant of the step, and all memory
/// that the step takes of the device.
struct PoolReserve {
  PoolSettings settings;
  PoolMemory memory;
  DeviceMemory device;
};
/// @param variant a variant of the study's step
/// @param others memory of the device outside tensors
PoolReserve pool_reserve(const Study& study, const Variant& variant, const PoolSettings& settings,
                         const std::vector<OtherMemory>& others);

/// The reserve as lines of text.
std::string pool_text(const PoolReserve& reserve, const std::vector<OtherMemory>& others);
/// As `reserved_json`, with the upper figure as `reserved_bytes` and the lower one as
/// `reserved_low_bytes`.
nlohmann::json pool_json(const PoolReserve& reserve);

/// The memory that both pools of the CUDA plugin are predicted to reserve together for a run, and
/// the reserved memory that was measured.
struct MeasuredPools {
  DeviceMemory predicted;
  std::int64_t measured_bytes = 0;
};
/// @param variant the variant of the study's step that ran
/// @pre the run has `peak_reserved_bytes`
MeasuredPools measured_pools(const Study& study, const Variant& variant, const Measurement& run,
                             const PoolSettings& settings);
/// Such as `500 MiB to 800 MiB (measured: within)`.
std::string measured_pools_text(const MeasuredPools& pools);
/// `{"low_bytes": 1, "high_bytes": 3, "position": "within"}`; the position is that of the measured
/// bytes: `below`, `within` or `above`.
nlohmann::json measured_pools_json(const MeasuredPools& pools);

}  // namespace stashscope
