#include "core/report/reserved_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

using nlohmann::json;

std::optional<ChosenReserve> chosen_reserve(const Study& study, const Variant& variant) {
  const auto settings = allocator_settings(study.choices);
  if (!settings) return {};
  return ChosenReserve{*settings, reserved_memory(study, variant, *settings)};
}

std::string reserved_text(const ChosenReserve& reserve) {
  const std::string set = to_string(reserve.settings);
  return "  reserved by PyTorch's allocator" + (set.empty() ? "" : " with " + set) + ": " +
         exact_bytes(reserve.memory.reserved_bytes) + ", " +
         format_bytes(reserve.memory.fragmentation_bytes) + " of it for no tensor of the peak\n";
}

json reserved_json(const ChosenReserve& reserve) {
  return {{"reserved_bytes", reserve.memory.reserved_bytes},
          {"fragmentation_bytes", reserve.memory.fragmentation_bytes}};
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
