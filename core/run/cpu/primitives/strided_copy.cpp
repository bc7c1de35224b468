#include "core/run/cpu/primitives/strided_copy.h"

#include <cstring>

#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

std::size_t byte_size(const TensorView& tensor) {
  return static_cast<std::size_t>(packed_bytes(tensor.element, tensor.elements()));
}

}  // namespace

StridedPlace whole(const TensorView& tensor) { return {tensor.data, dense_strides(tensor.dims)}; }

void copy_strided(ElementType element, const std::vector<std::int64_t>& sizes,
                  const StridedPlace& from, const StridedPlace& to) {
  const StridedWalk<2> walk(sizes, {from.strides, to.strides});
  with_size(element_size(element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const source = reinterpret_cast<const T*>(from.data) + from.offset;
    T* const target = reinterpret_cast<T*>(to.data) + to.offset;
    walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
      const T* const read = source + at[0];
      T* const write = target + at[1];
      if (step[0] == 1 && step[1] == 1) {
        std::memcpy(write, read, static_cast<std::size_t>(count) * sizeof(T));
      } else {
        for (std::int64_t i = 0; i < count; ++i) write[i * step[1]] = read[i * step[0]];
      }
    });
  });
}

// Tensors without elements may have no data at all.

void fill_zero(const TensorView& tensor) {
  if (tensor.elements() > 0) std::memset(tensor.data, 0, byte_size(tensor));
}

void copy_all(const TensorView& from, const TensorView& to) {
  if (from.data != to.data && from.elements() > 0) {
    std::memcpy(to.data, from.data, byte_size(from));
  }
}

}  // namespace stashscope::cpu
