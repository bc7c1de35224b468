// Packs of elements, and the functions of operators, for generated pointwise kernels. The functions
// compute in float, double or integers; most of them map NaN to NaN.

/// Loads elements [index, index + count), at most `width`; the rest of the pack is 0.
template <int width, class T>
__device__ inline Pack<T, width> load_pack(const T* from, UInt64 index, int count) {
  if (count == width) return *reinterpret_cast<const Pack<T, width>*>(from + index);
  Pack<T, width> pack = {};
  for (int k = 0; k < width; ++k) {
    if (k < count) pack.items[k] = from[index + k];
  }
  return pack;
}

template <class T, int width>
__device__ inline void store_pack(T* to, UInt64 index, const Pack<T, width>& pack, int count) {
  if (count == width) {
    *reinterpret_cast<Pack<T, width>*>(to + index) = pack;
    return;
  }
  for (int k = 0; k < width; ++k) {
    if (k < count) to[index + k] = pack.items[k];
  }
}

/// A pack of equal elements.
template <class T>
struct SameItem {
  T value;
  __device__ T operator[](int) const { return value; }
};
template <class T>
struct SameItems {
  SameItem<T> items;
};
template <class T>
__device__ inline SameItems<T> same_items(T value) {
  return {{value}};
}

__device__ inline double infinity() { return double(float_from_bits(0x7F800000U)); }

template <class T>
__device__ inline T absolute(T x) {
  return x < T(0) ? T(T(0) - x) : x;
}
template <class T>
__device__ inline T negated(T x) {
  return T(T(0) - x);
}
template <class T>
__device__ inline T sign(T x) {
  return x != x ? x : T(T(x > T(0)) - T(x < T(0)));
}
template <class T>
__device__ inline T relu(T x) {
  return x < T(0) ? T(0) : x;
}

/// The sigmoid function. Never exponentiates a large positive number, which would overflow.
template <class T>
__device__ inline T logistic(T x) {
  const T e = exp(-fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
template <class T>
__device__ inline T softplus(T x) {
  return log1p(exp(-fabs(x))) + (x < T(0) ? T(0) : x);
}
template <class T>
__device__ inline T softsign(T x) {
  return x / (1 + fabs(x));
}
template <class T>
__device__ inline T mish(T x) {
  return x * tanh(softplus(x));
}
template <class T>
__device__ inline T swish(T x, double alpha) {
  return x / (1 + exp(T(-alpha) * x));
}

constexpr double square_root_of_2 = 1.41421356237309504880;
constexpr double inverse_square_root_of_pi = 0.564189583547756286948;

/// Phi(x) of the GELU x * Phi(x). (Hendrycks and Gimpel, arXiv 1606.08415)
template <class T>
__device__ inline T normal_distribution(T x) {
  return (1 + erf(x * T(square_root_of_2 / 2))) / 2;
}
template <class T>
__device__ inline T gelu(T x) {
  return x * normal_distribution(x);
}
template <class T>
__device__ inline T gelu_slope(T x) {
  constexpr double density_at_zero = inverse_square_root_of_pi / square_root_of_2;
  return normal_distribution(x) + x * T(density_at_zero) * exp(-x * x / 2);
}

/// The argument of the tanh that approximates GELU: sqrt(2 / pi) * (x + 0.044715 x^3).
template <class T>
__device__ inline T tanh_argument(T x) {
  constexpr double scale = square_root_of_2 * inverse_square_root_of_pi;
  return T(scale) * (x + T(0.044715) * x * x * x);
}
template <class T>
__device__ inline T fast_gelu(T x) {
  return x * (1 + tanh(tanh_argument(x))) / 2;
}
template <class T>
__device__ inline T fast_gelu_slope(T x) {
  constexpr double scale = square_root_of_2 * inverse_square_root_of_pi;
  const T t = tanh(tanh_argument(x));
  const T inner = T(scale) * (1 + T(3 * 0.044715) * x * x);
  return (1 + t) / 2 + x * (1 - t * t) * inner / 2;
}
template <class T>
__device__ inline T quick_gelu(T x, double alpha) {
  return x * logistic(T(alpha) * x);
}
template <class T>
__device__ inline T quick_gelu_gradient(T dy, T x, double alpha) {
  const T gate = logistic(T(alpha) * x);
  return dy * gate * (1 + T(alpha) * x * (1 - gate));
}

template <class T>
__device__ inline T leaky_relu(T x, double alpha) {
  return x < 0 ? T(alpha) * x : x;
}
template <class T>
__device__ inline T elu(T x, double alpha) {
  return x < 0 ? T(alpha) * expm1(x) : x;
}
template <class T>
__device__ inline T celu(T x, double alpha) {
  return x < 0 ? T(alpha) * expm1(x / T(alpha)) : x;
}
template <class T>
__device__ inline T selu(T x, double alpha, double gamma) {
  return T(gamma) * (x > 0 ? x : T(alpha) * expm1(x));
}
template <class T>
__device__ inline T thresholded_relu(T x, double alpha) {
  return T(alpha) < x ? x : T(0);
}
template <class T>
__device__ inline T ramp(T x, double alpha, double beta) {
  const T line = T(alpha) * x + T(beta);
  return line < 0 ? T(0) : line > 1 ? T(1) : line;
}
template <class T>
__device__ inline T hard_swish(T x) {
  return x * ramp(x, 1.0 / 6, 0.5);
}
template <class T>
__device__ inline T parametric_relu(T x, T slope) {
  return x < T(0) ? T(slope * x) : x;
}
/// 0 for x in [-band, band]; other x move towards 0 by `bias`.
template <class T>
__device__ inline T shrink(T x, double bias, double band) {
  const double item = double(x);
  return T(item < -band ? item + bias : item > band ? item - bias : 0);
}
/// @param y the forward operator's output
template <class T>
__device__ inline T relu_gradient(T dy, T y) {
  return T(0) < y ? dy : T(0);
}
template <class T>
__device__ inline bool is_infinite(T x, bool positive, bool negative) {
  return isinf(x) && (x > 0 ? positive : negative);
}

template <class T>
__device__ inline T quiet_nan() {
  return T(float_from_bits(0x7FC00000U));
}
template <class T>
__device__ inline T least(T a, T b) {
  if (a != a || b != b) return quiet_nan<T>();
  return b < a ? b : a;
}
template <class T>
__device__ inline T greatest(T a, T b) {
  if (a != a || b != b) return quiet_nan<T>();
  return a < b ? b : a;
}
template <class T>
__device__ inline T at_least(T x, T low) {
  return x < low ? low : x;
}
template <class T>
__device__ inline T at_most(T x, T high) {
  return x > high ? high : x;
}

template <class T>
constexpr bool is_whole = T(0.5) == T(0);
template <class T>
constexpr bool is_signed = T(-1) < T(0);

/// An integer division by 0 cannot raise an error on the device, so its result is 0. The only
/// quotient that overflows (the least number divided by -1) wraps, as in two's complement.
template <class T>
__device__ inline T divided(T a, T b) {
  if constexpr (is_whole<T>) {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == T(-1)) return T(T(0) - a);
    }
  }
  return T(a / b);
}

/// The remainder has the sign of the divisor, as with Python's %; with `like_c` it has the sign of
/// the dividend. The remainder of an integer division by 0 is 0.
template <class T>
__device__ inline T remainder_of(T a, T b, bool like_c) {
  T rest;
  if constexpr (is_whole<T>) {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == T(-1)) return 0;
    }
    rest = T(a % b);
  } else {
    rest = fmod(a, b);
  }
  return !like_c && rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
}

/// The type in which powers of T are computed.
template <class T, bool whole = is_whole<T>>
struct Raised {
  using type = T;
};
template <class T>
struct Raised<T, true> {
  using type = double;
};
template <class T, class U>
__device__ inline T power(T x, U exponent) {
  using C = typename Raised<T>::type;
  return T(pow(C(x), C(exponent)));
}
/// Squares and cubes are computed as products, and powers of 0.5 as square roots. These powers are
/// frequent, and pow() may be less exact.
template <class T, class U>
__device__ inline T power_by_scalar(T x, U exponent) {
  using C = typename Raised<T>::type;
  if (C(exponent) == C(2)) return T(x * x);
  if (C(exponent) == C(3)) return T(x * x * x);
  if (C(exponent) == C(0.5)) return T(sqrt(C(x)));
  return power(x, exponent);
}

/// Converts a number; floating-point numbers become integers by truncation towards zero. An integer
/// outside of To's range wraps. As on x86 processors, NaN and a floating-point number outside of
/// the range of Int64 first become the smallest Int64. UInt64 differs: numbers from 2^63 to below
/// 2^64 are converted as they are, and larger numbers become 0.
template <class To, class From>
__device__ inline To converted(From x) {
  if constexpr (is_whole<To> && !is_whole<From>) {
    constexpr From limit = From(9223372036854775808.0);
    if constexpr (sizeof(To) == 8 && !is_signed<To>) {
      if (x >= limit) return x < 2 * limit ? To(x) : To(0);
    }
    const bool fits = x >= -limit && x < limit;
    return To(fits ? Int64(x) : Int64(1ULL << 63));
  } else {
    return To(x);
  }
}

/// A shift by at least the type's number of bits, or by a negative number, gives 0.
template <class T>
__device__ inline T shifted_left(T x, T by) {
  return by < T(0) || by >= T(8 * sizeof(T)) ? T(0) : T(x << by);
}
template <class T>
__device__ inline T shifted_right(T x, T by) {
  return by < T(0) || by >= T(8 * sizeof(T)) ? T(0) : T(x >> by);
}
