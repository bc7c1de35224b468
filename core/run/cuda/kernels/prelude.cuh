// Types and helpers of all kernels. CUDA's run-time compiler reads this file without any header.
// The tests compile this file with the host's compiler, define STASHSCOPE_EMULATED and provide
// CUDA's built-ins.

using Int8 = signed char;
using UInt8 = unsigned char;
using Int16 = short;
using UInt16 = unsigned short;
using Int32 = int;
using UInt32 = unsigned int;
using Int64 = long long;
using UInt64 = unsigned long long;

/// 16-bit floats as stored in memory; arithmetic uses float.
struct Half {
  UInt16 bits;
};
struct BFloat16 {
  UInt16 bits;
};

__device__ inline float float_from_bits(UInt32 bits) {
  union {
    UInt32 bits;
    float value;
  } both = {bits};
  return both.value;
}
__device__ inline UInt32 bits_from_float(float value) {
  union {
    float value;
    UInt32 bits;
  } both = {value};
  return both.bits;
}

__device__ inline float to_compute(Half x) {
#ifdef STASHSCOPE_EMULATED
  return emulated_float_from_half(x.bits);
#else
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
#endif
}
__device__ inline float to_compute(BFloat16 x) { return float_from_bits(UInt32(x.bits) << 16); }
template <class T>
__device__ inline T to_compute(T x) {
  return x;
}

/// The type in which kernels compute with elements that are stored as T.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeType<T>::type;

/// Converts a computed value to T for storing; rounds to nearest, ties to even.
template <class T>
struct Stored {
  __device__ static T from(Compute<T> x) { return x; }
};
template <>
struct Stored<Half> {
  __device__ static Half from(float x) {
#ifdef STASHSCOPE_EMULATED
    return {emulated_half_from_float(x)};
#else
    Half result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
    return result;
#endif
  }
};
template <>
struct Stored<BFloat16> {
  __device__ static BFloat16 from(float x) {
    const UInt32 bits = bits_from_float(x);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return {UInt16((bits >> 16) | 0x40U)};
    return {UInt16((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
  }
};

template <class T>
__device__ inline Compute<T> load(const T* from, Int64 index) {
  return to_compute(from[index]);
}
template <class T>
__device__ inline void store(T* to, Int64 index, Compute<T> value) {
  to[index] = Stored<T>::from(value);
}
/// The value after it was stored as T and read back.
template <class T>
__device__ inline Compute<T> rounded(Compute<T> value) {
  return to_compute(Stored<T>::from(value));
}

/// Elements that are read or written together, as a rule at most 16 bytes.
template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
  T items[count];
};

/// The position of the thread among all threads of the kernel.
__device__ inline Int64 thread_index() {
  return Int64(blockIdx.x) * Int64(blockDim.x) + Int64(threadIdx.x);
}

/// Sum and extremes of two values, for instance to merge the values of threads. The extremes are
/// NaN if one of the values is NaN.
struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Greatest {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b || b != b ? b : a;
  }
};
struct Least {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};

// Like std::max and std::min: a NaN is the result only if it is the first operand.
struct KeepGreater {
  template <class T>
  __device__ T operator()(T old, T update) const {
    return old < update ? update : old;
  }
};
struct KeepLesser {
  template <class T>
  __device__ T operator()(T old, T update) const {
    return update < old ? update : old;
  }
};
