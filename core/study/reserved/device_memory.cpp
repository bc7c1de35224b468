#include "core/study/reserved/device_memory.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/base/device_bytes.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

OtherMemory& named(std::string_view name, std::vector<OtherMemory>& list) {
  const auto found = std::ranges::find(list, name, &OtherMemory::name);
  if (found != list.end()) return *found;
  std::vector<std::string> names;
  std::ranges::transform(list, std::back_inserter(names), &OtherMemory::name);
  fail_usage("'" + printable(std::string(name)) + "'", "is not known",
             "choose one of " + join(names, ", "));
}

std::int64_t threads_of(const Study& study) {
  const TrainingStep& step = study.prepared->step;
  return step.boundary.known() && step.no_backward.empty() ? 2 : 1;
}

/// Adds one block of `bytes` for each thread; adds none if `bytes` is 0.
void add_blocks(std::int64_t bytes, std::int64_t threads, std::vector<std::int64_t>& blocks) {
  if (bytes > 0) blocks.insert(blocks.end(), static_cast<std::size_t>(threads), bytes);
}

/// One list of blocks for each combination of the lower and upper figures of `others`.
std::vector<std::vector<std::int64_t>> block_lists(const std::vector<OtherMemory>& others,
                                                   std::int64_t threads) {
  std::vector<std::vector<std::int64_t>> lists(1);
  for (const OtherMemory& each : others) {
    if (!each.is_reserved) continue;
    std::vector<std::vector<std::int64_t>> with_upper;
    if (each.high_bytes > each.low_bytes) with_upper = lists;
    for (auto& list : lists) add_blocks(each.low_bytes, threads, list);
    for (auto& list : with_upper) add_blocks(each.high_bytes, threads, list);
    std::ranges::move(with_upper, std::back_inserter(lists));
  }
  return lists;
}

}  // namespace

std::vector<OtherMemory> usual_other_memory() {
  constexpr std::int64_t workspace = (2 * 4096 + 8 * 16) * 1024;
  return {{"context", "CUDA context", 300 * mebibyte, 600 * mebibyte, false},
          {"cublas", "workspaces of cuBLAS", workspace, 32 * mebibyte, true},
          {"cublaslt", "workspaces of cuBLASLt", 0, mebibyte, true},
          {"nccl", "buffers of NCCL", 0, 0, false},
          {"other", "other memory", 0, 0, false}};
}

void change_other_memory(std::string_view text, std::vector<OtherMemory>& list) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    fail_usage("'" + printable(std::string(text)) + "'", "is not of the form NAME=LOW[:HIGH]",
               "for example context=400MiB");
  }
  OtherMemory& other = named(text.substr(0, equals), list);
  const std::string_view figures = text.substr(equals + 1);
  const std::size_t colon = figures.find(':');
  const std::int64_t low = parse_device_bytes(figures.substr(0, colon));
  const std::int64_t high =
      colon == std::string_view::npos ? low : parse_device_bytes(figures.substr(colon + 1));
  if (high < low) {
    fail_usage("'" + printable(std::string(text)) + "'", "has an upper figure below the lower one",
               "write the lower one first");
  }
  other.low_bytes = low;
  other.high_bytes = high;
}

DeviceMemory device_memory(
    const Study& study, const std::vector<OtherMemory>& others,
    const std::function<DeviceMemory(std::span<const std::int64_t>)>& reserved) {
  DeviceMemory memory{std::numeric_limits<std::int64_t>::max(), 0};
  for (const auto& blocks : block_lists(others, threads_of(study))) {
    const DeviceMemory with = reserved(blocks);
    memory.low_bytes = std::min(memory.low_bytes, with.low_bytes);
    memory.high_bytes = std::max(memory.high_bytes, with.high_bytes);
  }
  for (const OtherMemory& each : others) {
    if (each.is_reserved) continue;
    memory.low_bytes += each.low_bytes;
    memory.high_bytes += each.high_bytes;
  }
  return memory;
}

DeviceMemory device_memory(const Study& study, const Timeline& timeline,
                           const AllocatorSettings& settings,
                           const std::vector<OtherMemory>& others) {
  return device_memory(study, others, [&](std::span<const std::int64_t> blocks) {
    const std::int64_t bytes =
        reserved_memory(study.prepared->rules, timeline, settings, nullptr, blocks).reserved_bytes;
    return DeviceMemory{bytes, bytes};
  });
}

}  // namespace stashscope
