#pragma once

#include <string>
#include <vector>

namespace stashscope::cuda {

/// Code that a device can load, with some of the entries of a text.
struct KernelImage {
  std::string code;                  ///< CUBIN; PTX for devices that are newer than the compiler
  std::vector<std::size_t> entries;  ///< which they are
};

/// Compiles with NVRTC; needs neither a device nor a driver. Much text is compiled in several parts
/// at once, for which all that lies in front of the first `extern "C" __global__` belongs to all
/// entries, and the entries follow in the order of `entries`.
/// @param architecture compute capability, major * 10 + minor
/// Throws a run Error that tells the line of a fault, and one for a device that is too old.
std::vector<KernelImage> compile_kernels(const std::string& text,
                                         const std::vector<std::string>& entries, int architecture);

/// Version of the compiler: `13.0`.
std::string compiler_version();

}  // namespace stashscope::cuda
