#include "core/study/reserved/device_memory.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::int64_t figure_in(std::string_view text) {
  const std::int64_t bytes = parse_bytes(text);
  // The sum of all figures and what is reserved must fit 64 bits.
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (bytes > most)
    fail_usage(printable(std::string(text)), "is more than 1 PiB", "give a smaller size");
  return bytes;
}

OtherMemory& named(std::string_view name, std::vector<OtherMemory>& list) {
  const auto found = std::ranges::find(list, name, &OtherMemory::name);
  if (found != list.end()) return *found;
  std::vector<std::string> names;
  for (const OtherMemory& each : list) names.push_back(each.name);
  fail_usage("'" + printable(std::string(name)) + "'", "is not known",
             "choose one of " + join(names, ", "));
}

std::int64_t threads_of(const Study& study) {
  const TrainingStep& step = study.prepared->step;
  return step.boundary.known() && step.no_backward.empty() ? 2 : 1;
}

/// @param figure the lower or the upper one
std::int64_t with_figures(const Study& study, const Variant& variant,
                          const AllocatorSettings& settings, const std::vector<OtherMemory>& others,
                          std::int64_t OtherMemory::*figure) {
  std::vector<std::int64_t> blocks;
  std::int64_t outside = 0;
  for (const OtherMemory& each : others) {
    if (!each.is_reserved) outside += each.*figure;
    if (!each.is_reserved || each.*figure == 0) continue;
    blocks.insert(blocks.end(), static_cast<std::size_t>(threads_of(study)), each.*figure);
  }
  const ReservedMemory reserved =
      reserved_memory(study.prepared->rules, variant.timeline, settings, nullptr, blocks);
  return reserved.reserved_bytes + outside;
}

}  // namespace

std::vector<OtherMemory> usual_other_memory() {
  constexpr std::int64_t workspace = (2 * 4096 + 8 * 16) * 1024;
  return {{"context", "CUDA context", 300 * mebibyte, 600 * mebibyte, false},
          {"cublas", "workspaces of cuBLAS", workspace, 32 * mebibyte, true},
          {"cublaslt", "workspaces of cuBLASLt", 0, 32 * mebibyte, true},
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
  const std::int64_t low = figure_in(figures.substr(0, colon));
  const std::int64_t high =
      colon == std::string_view::npos ? low : figure_in(figures.substr(colon + 1));
  if (high < low) {
    fail_usage("'" + printable(std::string(text)) + "'", "has an upper figure below the lower one",
               "write the lower one first");
  }
  other.low_bytes = low;
  other.high_bytes = high;
}

DeviceMemory device_memory(const Study& study, const Variant& variant,
                           const AllocatorSettings& settings,
                           const std::vector<OtherMemory>& others) {
  return {with_figures(study, variant, settings, others, &OtherMemory::low_bytes),
          with_figures(study, variant, settings, others, &OtherMemory::high_bytes)};
}

}  // namespace stashscope
