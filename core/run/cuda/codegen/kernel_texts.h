#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// Collects the kernels of a program, without duplicates, and compiles them together.
class KernelTexts {
 public:
  /// Adds a kernel if it is new. Returns the index of the kernel in the result of `compile`.
  /// @param text parameter list and body of the entry function
  /// @param threads the number of threads of each block
  std::size_t add(const std::string& text, int threads);

  std::vector<KernelId> compile(Device& device) const;

  /// The text of all entry functions, without the kernel library, which `compile` puts before them.
  std::string entries_text() const;
  std::vector<std::string> entry_names() const;

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> entries_;  ///< launch bounds, name and text, by index
};

}  // namespace stashscope::cuda
