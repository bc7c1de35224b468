#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The bytes of a step or of a module that a check can limit.
struct CheckedBytes {
  std::int64_t peak_bytes = 0;     ///< of a module: its tensors that are alive at the peak
  std::int64_t stashed_bytes = 0;  ///< activations that wait for backward
  std::optional<std::int64_t> reserved_bytes;  ///< only of a step

  friend bool operator==(const CheckedBytes&, const CheckedBytes&) = default;
};

/// The memory of a step, as a file keeps it for later checks.
struct MemoryRecord {
  CheckedBytes step;
  std::map<std::string, CheckedBytes> modules;
  std::map<std::string, std::int64_t> tensors;  ///< bytes of the tensors alive at the peak
  /// The allocator's settings, as in PYTORCH_CUDA_ALLOC_CONF; `reserved_bytes` depends on them. Not
  /// set: not recorded.
  std::optional<std::string> allocator;

  friend bool operator==(const MemoryRecord&, const MemoryRecord&) = default;
};

/// The memory of the study's current step.
MemoryRecord record_of(const Study& study, const AllocatorSettings& settings);

/// A record as JSON.
std::string record_text(const MemoryRecord& record);
/// Reads `record_text`. Throws an input Error for other texts.
MemoryRecord parse_record(const std::string& text);

}  // namespace stashscope
