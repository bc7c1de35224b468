#pragma once

#include <cstdint>

namespace stashscope {

/// The attribute with the pads of Pad, which versions before 11 have. (ONNX, Pad)
inline const char* pads_attribute(std::int64_t version) {
  return version < 2 ? "paddings" : "pads";
}

}  // namespace stashscope
