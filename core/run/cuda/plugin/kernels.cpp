#include "core/run/cuda/plugin/kernels.h"

#include "core/run/cuda/plugin/driver.h"
#include "core/run/cuda/plugin/kernel_compiler.h"

namespace stashscope::cuda {

Kernels::~Kernels() {
  for (const CUmodule module : modules_) Driver::get().unload_module(module);
}

CUmodule Kernels::load(const std::string& code) {
  CUmodule module = nullptr;
  const Driver& driver = Driver::get();
  driver.check(driver.load_module(&module, code.data()), "loading kernels");
  modules_.push_back(module);
  return module;
}

std::vector<KernelId> Kernels::compile(const std::string& text,
                                       const std::vector<std::string>& entries) {
  const Driver& driver = Driver::get();
  std::vector<KernelId> kernels(entries.size());
  for (const KernelImage& image : compile_kernels(text, entries, architecture_)) {
    const CUmodule module = load(image.code);
    for (const std::size_t entry : image.entries) {
      CUfunction function = nullptr;
      driver.check(driver.get_function(&function, module, entries[entry].c_str()),
                   ("finding kernel '" + entries[entry] + "'").c_str());
      kernels[entry] = functions_.push_back(function);
    }
  }
  return kernels;
}

void Kernels::launch(KernelId kernel, const LaunchShape& shape,
                     std::span<const DevicePointer> operands, CUstream stream) const {
  if (shape.blocks == 0) return;
  std::vector<void*> parameters;
  parameters.reserve(operands.size());
  for (const DevicePointer& operand : operands) {
    parameters.push_back(const_cast<DevicePointer*>(&operand));
  }
  const Driver& driver = Driver::get();
  driver.check(driver.launch(functions_[kernel], static_cast<unsigned>(shape.blocks), 1, 1,
                             static_cast<unsigned>(shape.threads), 1, 1, 0, stream,
                             parameters.data(), nullptr),
               "starting a kernel");
}

}  // namespace stashscope::cuda
