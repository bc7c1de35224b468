#include "core/run/cuda/codegen/kernel_texts.h"

#include "core/run/cuda/codegen/kernel_library.h"

namespace stashscope::cuda {

namespace {

std::string entry_name(std::size_t place) { return "kernel_" + std::to_string(place); }

}  // namespace

std::size_t KernelTexts::add(const std::string& text, int threads) {
  const std::string bounds = "__launch_bounds__(" + std::to_string(threads) + ") ";
  const auto [found, is_new] = places_.try_emplace(bounds + text, entries_.size());
  if (is_new) {
    entries_.push_back("extern \"C\" __global__ void " + bounds + entry_name(entries_.size()) +
                       text + "\n");
  }
  return found->second;
}

std::string KernelTexts::entries_text() const {
  std::string text;
  for (const std::string& entry : entries_) text += entry;
  return text;
}

std::vector<std::string> KernelTexts::entry_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries_.size(); ++i) names.push_back(entry_name(i));
  return names;
}

std::vector<KernelId> KernelTexts::compile(Device& device) const {
  if (entries_.empty()) return {};
  return device.compile(kernel_library() + entries_text(), entry_names());
}

}  // namespace stashscope::cuda
