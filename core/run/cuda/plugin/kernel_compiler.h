#pragma once

#include <string>
#include <vector>

namespace stashscope::cuda {

/// Code that a device can load; it contains some of the entries of a text.
struct KernelImage {
  std::string code;                  ///< CUBIN; PTX for devices newer than the compiler
  std::vector<std::size_t> entries;  ///< indices of the entries in this image
};

/// Compiles with NVRTC; needs no device and no driver. Long texts are compiled in several parts in
/// parallel. The text before the first `extern "C" __global__` belongs to every part; after that
/// text, the entries are in the order of `entries`. Throws a run Error that quotes the faulty line,
/// or that says that the device is too old.
/// @param architecture compute capability, major * 10 + minor
std::vector<KernelImage> compile_kernels(const std::string& text,
                                         const std::vector<std::string>& entries, int architecture);

/// Version of the compiler, for example `13.0`.
std::string compiler_version();

}  // namespace stashscope::cuda
