#include "core/report/reserved_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

using nlohmann::json;

namespace {

/// The figures that are not 0, such as `CUDA context 300 MiB to 600 MiB, ...`.
std::string others_text(const std::vector<OtherMemory>& others) {
  std::vector<std::string> parts;
  for (const OtherMemory& each : others) {
    if (each.high_bytes > 0) {
      parts.push_back(each.title + " " + range_text(each.low_bytes, each.high_bytes));
    }
  }
  return join(parts, ", ");
}

}  // namespace

std::optional<ChosenReserve> chosen_reserve(const Study& study, const Variant& variant,
                                            const std::vector<OtherMemory>& others) {
  const auto settings = allocator_settings(study.choices);
  if (!settings) return {};
  return ChosenReserve{*settings, reserved_memory(study, variant, *settings),
                       device_memory(study, variant.timeline, *settings, others)};
}

std::string range_text(std::int64_t low_bytes, std::int64_t high_bytes) {
  if (low_bytes == high_bytes) return format_bytes(low_bytes);
  return format_bytes_beside(low_bytes, high_bytes) + " to " +
         format_bytes_beside(high_bytes, low_bytes);
}

std::string reserved_text(const ChosenReserve& reserve, const std::vector<OtherMemory>& others) {
  const std::string set = to_string(reserve.settings);
  return "  reserved by PyTorch's allocator" + (set.empty() ? "" : " with " + set) + ": " +
         exact_bytes(reserve.memory.reserved_bytes) + ", " +
         format_bytes(reserve.memory.fragmentation_bytes) + " more than the tensors at the peak\n" +
         device_text(reserve.device, others);
}

std::string device_text(const DeviceMemory& device, const std::vector<OtherMemory>& others) {
  const std::string parts = others_text(others);
  return "  needed on the device: " + range_text(device.low_bytes, device.high_bytes) +
         (parts.empty() ? "" : ", with " + parts) + "\n";
}

json reserved_json(const ChosenReserve& reserve) {
  return {{"reserved_bytes", reserve.memory.reserved_bytes},
          {"fragmentation_bytes", reserve.memory.fragmentation_bytes},
          {"device_bytes", device_json(reserve.device)}};
}

std::string on_device_text(const DeviceMemory& device) {
  return range_text(device.low_bytes, device.high_bytes) + " on the device";
}

std::string memory_text(const MemoryAtSize& memory) {
  std::string text = "peak " + exact_bytes(memory.peak);
  if (memory.reserved) text += ", reserved " + format_bytes(*memory.reserved);
  if (memory.device) text += ", " + on_device_text(*memory.device);
  if (memory.on_host > 0) text += ", " + format_bytes(memory.on_host) + " on the host";
  if (memory.later_peak == memory.peak) return text;
  return text + ", peak " + format_bytes(memory.later_peak) + " in later steps";
}

json device_json(const DeviceMemory& device) {
  return {{"low", device.low_bytes}, {"high", device.high_bytes}};
}

json other_memory_json(const std::vector<OtherMemory>& others) {
  json list = json::array();
  for (const OtherMemory& each : others) {
    list.push_back({{"name", each.name},
                    {"low_bytes", each.low_bytes},
                    {"high_bytes", each.high_bytes},
                    {"is_reserved", each.is_reserved}});
  }
  return list;
}

std::string advice_text(const AllocatorAdvice& advice) {
  const auto name = [](const AllocatorTrial& trial) {
    const std::string text = to_string(trial.settings);
    return text.empty() ? std::string("default settings") : text;
  };
  std::string text = "Reserved by PyTorch's allocator, by settings (PYTORCH_CUDA_ALLOC_CONF):\n";
  for (std::size_t i = 0; i < advice.trials.size(); ++i) {
    const AllocatorTrial& trial = advice.trials[i];
    text += "  " + name(trial) + ": " + exact_bytes(trial.reserved_bytes) +
            (i == advice.best ? " (least)\n" : "\n");
  }
  return text + "  " + reason_text(advice) + "\n";
}

json advice_json(const AllocatorAdvice& advice) {
  json trials = json::array();
  for (const AllocatorTrial& trial : advice.trials) {
    trials.push_back({{"settings", to_string(trial.settings)},
                      {"reserved_bytes", trial.reserved_bytes},
                      {"fragmentation_bytes", trial.fragmentation_bytes}});
  }
  return {{"trials", trials},
          {"advised", to_string(advice.trials[advice.best].settings)},
          {"reserved_bytes", advice.trials[advice.best].reserved_bytes},
          {"reason", to_valid_utf8(reason_text(advice))}};
}

}  // namespace stashscope
