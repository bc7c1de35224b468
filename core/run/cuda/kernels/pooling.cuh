// Pooling over windows and over all positions, and the gradients. The gradient of a position of the
// data is a sum over the windows that contain the position.

/// An axis along which a window slides, as in kernels::SlidingWindow.
template <Int64 in_, Int64 out_, Int64 kernel_, Int64 stride_, Int64 dilation_, Int64 pad_,
          Int64 pad_after_>
struct WindowAxis {
  static constexpr Int64 in = in_;
  static constexpr Int64 out = out_;
  static constexpr int kernel = int(kernel_);
  static constexpr Int64 dilation = dilation_;

  template <class Index>
  __device__ static Index start(Index window) {
    return window * Index(stride_) - Index(pad_);
  }
  /// The first (last) window that may contain `position`.
  template <class Index>
  __device__ static Index first_window(Index position) {
    const Index behind = position + Index(pad_) - Index((kernel_ - 1) * dilation_);
    return behind <= 0 ? 0 : (behind + Index(stride_) - 1) / Index(stride_);
  }
  template <class Index>
  __device__ static Index last_window(Index position) {
    const Index last = (position + Index(pad_)) / Index(stride_);
    return last < Index(out_) ? last : Index(out_) - 1;
  }
  template <class Index>
  __device__ static bool holds(Index window, Index position) {
    return (position - start(window)) % Index(dilation_) == 0;
  }
  /// The number of positions of a window that lie on data or, if `padded`, on data or padding.
  template <bool padded, class Index>
  __device__ static Index count(Index window) {
    constexpr Index dilation = Index(dilation_);
    const Index begin = start(window);
    const Index low = padded ? -Index(pad_) : 0;
    const Index high = padded ? Index(in_ + pad_after_) : Index(in_);
    const Index first = begin >= low ? 0 : (low - begin + dilation - 1) / dilation;
    const Index room = high - begin;
    const Index behind = room <= 0 ? 0 : (room + dilation - 1) / dilation;
    const Index last = behind < Index(kernel_) ? behind : Index(kernel_);
    return last > first ? last - first : 0;
  }
};

/// A position on a plane of three axes.
template <class Index>
struct PlanePosition {
  Index plane;
  Index a;
  Index b;
  Index c;
};
template <class Index>
__device__ inline PlanePosition<Index> plane_position(Index at, Index a, Index b, Index c) {
  return {at / (a * b * c), at / (b * c) % a, at / c % b, at % c};
}

/// Calls `body(offset in the data's plane)` for all data that a window covers, in the order of the
/// window's positions.
template <class A, class B, class C, class Index, class Body>
__device__ inline void for_each_met(const PlanePosition<Index>& window, Body body) {
  for (int i = 0; i < A::kernel; ++i) {
    const Index a = A::start(window.a) + Index(i) * Index(A::dilation);
    if (a < 0 || a >= Index(A::in)) continue;
    for (int k = 0; k < B::kernel; ++k) {
      const Index b = B::start(window.b) + Index(k) * Index(B::dilation);
      if (b < 0 || b >= Index(B::in)) continue;
      for (int m = 0; m < C::kernel; ++m) {
        const Index c = C::start(window.c) + Index(m) * Index(C::dilation);
        if (c >= 0 && c < Index(C::in)) body((a * Index(B::in) + b) * Index(C::in) + c);
      }
    }
  }
}

/// Calls `body(a, b, c)` for all windows that contain a position, from the last window to the
/// first.
template <class A, class B, class C, class Index, class Body>
__device__ inline void for_each_window(const PlanePosition<Index>& at, Body body) {
  for (Index a = A::last_window(at.a); a >= A::first_window(at.a); --a) {
    if (!A::holds(a, at.a)) continue;
    for (Index b = B::last_window(at.b); b >= B::first_window(at.b); --b) {
      if (!B::holds(b, at.b)) continue;
      for (Index c = C::last_window(at.c); c >= C::first_window(at.c); --c) {
        if (C::holds(c, at.c)) body(a, b, c);
      }
    }
  }
}

template <class T>
struct LowestNumber {
  __device__ static T value() { return T(-1) < T(0) ? T(UInt64(1) << (8 * sizeof(T) - 1)) : T(0); }
};
template <>
struct LowestNumber<float> {
  __device__ static float value() { return float_from_bits(0xFF7FFFFFU); }
};
template <>
struct LowestNumber<double> {
  __device__ static double value() { return -1.7976931348623157e308; }
};

/// Stores the greatest element of a window and, if `places` is not null, its position in the data;
/// -1 if the window covers no data. Among equal elements the first is chosen; NaN is chosen only if
/// it comes first. Each thread processes one window.
/// @tparam by_columns whether positions within a plane are column-major: the first axis advances
/// fastest
template <class T, class Index, Index count, bool by_columns, class A, class B, class C>
__device__ inline void max_pool(const T* x, T* y, Int64* places) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const auto window = plane_position(at, Index(A::out), Index(B::out), Index(C::out));
  constexpr Index plane = Index(A::in * B::in * C::in);
  const T* const from = x + window.plane * plane;
  Index best = -1;
  Compute<T> greatest = LowestNumber<Compute<T>>::value();
  for_each_met<A, B, C>(window, [&](Index offset) {
    const Compute<T> value = load(from, offset);
    if (best >= 0 && !(value > greatest)) return;
    best = offset;
    greatest = value;
  });
  store(y, at, greatest);
  if (places == nullptr) return;
  const auto found = plane_position(best, Index(A::in), Index(B::in), Index(C::in));
  const Index turned = (found.c * Index(B::in) + found.b) * Index(A::in) + found.a;
  places[at] = best < 0 ? Int64(-1) : Int64(window.plane * plane + (by_columns ? turned : best));
}

template <class T, class Index, Index count, class A, class B, class C>
__device__ inline void max_pool_gradient(const T* dy, const Int64* places, T* dx) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const auto position = plane_position(at, Index(A::in), Index(B::in), Index(C::in));
  constexpr Index plane = Index(A::out * B::out * C::out);
  Compute<T> sum = 0;
  for_each_window<A, B, C>(position, [&](Index a, Index b, Index c) {
    const Index window = position.plane * plane + (a * Index(B::out) + b) * Index(C::out) + c;
    if (places[window] == Int64(at)) sum += load(dy, window);
  });
  store(dx, at, sum);
}

/// The divisor of a window's mean.
template <bool padded, class A, class B, class C, class Index>
__device__ inline double mean_count(Index a, Index b, Index c) {
  return double(A::template count<padded>(a)) * double(B::template count<padded>(b)) *
         double(C::template count<padded>(c));
}

template <class T, class Index, Index count, bool padded, class A, class B, class C>
__device__ inline void average_pool(const T* x, T* y) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const auto window = plane_position(at, Index(A::out), Index(B::out), Index(C::out));
  const T* const from = x + window.plane * Index(A::in * B::in * C::in);
  Compute<T> sum = 0;
  for_each_met<A, B, C>(window, [&](Index offset) { sum += load(from, offset); });
  const double elements = mean_count<padded, A, B, C>(window.a, window.b, window.c);
  store(y, at, Compute<T>(double(sum) / elements));
}

template <class T, class Index, Index count, bool padded, class A, class B, class C>
__device__ inline void average_pool_gradient(const T* dy, T* dx) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const auto position = plane_position(at, Index(A::in), Index(B::in), Index(C::in));
  const T* const from = dy + position.plane * Index(A::out * B::out * C::out);
  Compute<T> sum = 0;
  for_each_window<A, B, C>(position, [&](Index a, Index b, Index c) {
    const double arrived = double(load(from, (a * Index(B::out) + b) * Index(C::out) + c));
    sum += Compute<T>(arrived / mean_count<padded, A, B, C>(a, b, c));
  });
  store(dx, at, sum);
}

/// Computes the mean of each plane of `elements` elements; a warp or a block of `threads` threads
/// works on a plane.
template <class T, class Index, Index planes, Index elements, int threads>
__device__ inline void global_average_pool(const T* x, T* y) {
  const Index plane = Index(thread_index() / threads);
  const int lane = int(threadIdx.x) % threads;
  double sum = 0;
  if (plane < planes) {
    for (Index i = lane; i < elements; i += threads) sum += double(load(x, plane * elements + i));
  }
  sum = group_merge<threads>(sum, Plus());
  if (plane < planes && lane == 0) store(y, plane, Compute<T>(sum / double(elements)));
}

/// Like global_average_pool, but computes the maximum. NaN is the result only if it comes first.
template <class T, class Index, Index planes, Index elements, int threads>
__device__ inline void global_max_pool(const T* x, T* y) {
  const Index plane = Index(thread_index() / threads);
  const int lane = int(threadIdx.x) % threads;
  Compute<T> greatest = 0;
  if (plane < planes) {
    greatest = load(x, plane * elements);
    for (Index i = lane; i < elements; i += threads) {
      greatest = KeepGreater()(greatest, load(x, plane * elements + i));
    }
  }
  greatest = group_merge<threads>(greatest, KeepGreater());
  if (plane < planes && lane == 0) store(y, plane, greatest);
}

/// Gives every position an equal share of its plane's gradient; each thread writes `width`
/// positions.
template <class T, int width, class Index, Index threads, Index elements>
__device__ inline void share_evenly(const T* dy, T* dx) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  const Compute<T> share = load(dy, at * width / elements) / Compute<T>(elements);
  Pack<T, width> pack;
  for (int i = 0; i < width; ++i) pack.items[i] = Stored<T>::from(share);
  reinterpret_cast<Pack<T, width>*>(dx)[at] = pack;
}
