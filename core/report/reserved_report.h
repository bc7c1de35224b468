#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_advice.h"
#include "core/study/reserved/device_memory.h"

namespace stashscope {

/// The memory that the chosen allocator reserves for a variant of the step, and all memory that the
/// step takes of the device.
struct ChosenReserve {
  AllocatorSettings settings;
  ReservedMemory memory;
  DeviceMemory device;
};
/// Nothing if no allocator is chosen.
/// @param variant a variant of the study's step
/// @param others memory of the device outside tensors
std::optional<ChosenReserve> chosen_reserve(const Study& study, const Variant& variant,
                                            const std::vector<OtherMemory>& others);

/// The reserve as lines of text.
std::string reserved_text(const ChosenReserve& reserve, const std::vector<OtherMemory>& others);

/// A line about all memory that the step takes of the device.
std::string device_text(const DeviceMemory& device, const std::vector<OtherMemory>& others);
/// Such as `5.1 GiB to 5.4 GiB on the device`.
std::string on_device_text(const DeviceMemory& device);

/// The memory of a step at some size, in bytes.
struct MemoryAtSize {
  std::int64_t peak = 0;
  std::optional<std::int64_t> reserved;
  std::optional<DeviceMemory> device;
  std::int64_t on_host = 0;
  std::int64_t later_peak = 0;  ///< of later steps of a captured step; else `peak`
};
/// Such as `peak 1.00 MiB (1,048,576 B), reserved 2.00 MiB, peak 3.00 MiB in later steps`.
std::string memory_text(const MemoryAtSize& memory);
/// The figures as `low` and `high`, in bytes.
nlohmann::json device_json(const DeviceMemory& device);

/// Such as `500 MiB to 800 MiB`.
std::string range_text(std::int64_t low_bytes, std::int64_t high_bytes);

/// `{"reserved_bytes": 2, "fragmentation_bytes": 1, "device_bytes": {"low": 3, "high": 4}}`
nlohmann::json reserved_json(const ChosenReserve& reserve);
nlohmann::json other_memory_json(const std::vector<OtherMemory>& others);

/// A table of the tried settings that marks the best ones, and the reason why these are the best.
std::string advice_text(const AllocatorAdvice& advice);
nlohmann::json advice_json(const AllocatorAdvice& advice);

}  // namespace stashscope
