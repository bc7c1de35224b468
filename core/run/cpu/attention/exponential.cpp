#include "core/run/cpu/attention/exponential.h"

namespace stashscope::cpu {

namespace {

using Exponentiate = void (*)(float*, std::int64_t, float);

void exponentiate_plainly(float* row, std::int64_t count, float shift) {
  for (std::int64_t i = 0; i < count; ++i) row[i] = exponential(row[i] - shift);
}

#if defined(__x86_64__)
/// The same loop, compiled for vectors of 8 numbers.
[[gnu::target("avx2,fma")]] void exponentiate_by_eight(float* row, std::int64_t count,
                                                       float shift) {
  for (std::int64_t i = 0; i < count; ++i) row[i] = exponential(row[i] - shift);
}
#endif

Exponentiate fastest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return exponentiate_by_eight;
#endif
  return exponentiate_plainly;
}

}  // namespace

void exponentiate(float* row, std::int64_t count, float shift) {
  static const Exponentiate chosen = fastest();
  chosen(row, count, shift);
}

}  // namespace stashscope::cpu
