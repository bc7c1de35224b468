#pragma once

#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

/// result[i] = apply(left[i], right[i]) over one run whose result is contiguous. Frequent
/// combinations of `left_step` and `right_step` have separate loops, because compilers vectorize
/// only loops with constant steps.
template <class T, class U, class Apply>
void apply_run(const T* left, std::int64_t left_step, const T* right, std::int64_t right_step,
               U* result, std::int64_t count, Apply apply) {
  using C = Compute<T>;
  if (left_step == 1 && right_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = static_cast<U>(apply(static_cast<C>(left[i]), static_cast<C>(right[i])));
    }
  } else if (left_step == 1 && right_step == 0) {
    const auto same = static_cast<C>(*right);
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = static_cast<U>(apply(static_cast<C>(left[i]), same));
    }
  } else if (left_step == 0 && right_step == 1) {
    const auto same = static_cast<C>(*left);
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = static_cast<U>(apply(same, static_cast<C>(right[i])));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = static_cast<U>(
          apply(static_cast<C>(left[i * left_step]), static_cast<C>(right[i * right_step])));
    }
  }
}

/// out[i] = apply(a[i], b[i]) with broadcasting; operands have type T, results type U.
template <class T, class U, class Apply>
void broadcast_binary(const TensorView& a, const TensorView& b, const TensorView& out,
                      Apply apply) {
  const T* const left = a.as<T>().data();
  const T* const right = b.as<T>().data();
  U* const result = out.as<U>().data();
  const StridedWalk<3> walk(out.dims, {dense_strides(out.dims), broadcast_strides(out.dims, a.dims),
                                       broadcast_strides(out.dims, b.dims)});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    apply_run(left + at[1], step[1], right + at[2], step[2], result + at[0], count, apply);
  });
}

/// out[i] = apply(in[i]) for tensors of equal dims; operands have type T, results type U.
template <class T, class U, class Apply>
void map_elements(const TensorView& in, const TensorView& out, Apply apply) {
  const auto from = in.as<T>();
  const auto to = out.as<U>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<U>(apply(static_cast<Compute<T>>(from[i])));
  }
}

}  // namespace stashscope::cpu
