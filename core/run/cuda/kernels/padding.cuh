// Padding along axes and its gradient.

// For each mode, a function from position `i` of a padded axis to the data's position that is
// copied there; -1 if no data is copied. `i` is relative to the first element of the data.
struct ConstantPadding {
  template <class Index>
  __device__ static Index source(Index i, Index size) {
    return i >= 0 && i < size ? i : Index(-1);
  }
};
struct EdgePadding {
  template <class Index>
  __device__ static Index source(Index i, Index size) {
    return i < 0 ? 0 : i < size ? i : size - 1;
  }
};
struct WrapPadding {
  template <class Index>
  __device__ static Index source(Index i, Index size) {
    return (i % size + size) % size;
  }
};
struct ReflectPadding {
  template <class Index>
  __device__ static Index source(Index i, Index size) {
    const Index period = size > 1 ? 2 * (size - 1) : 1;
    const Index folded = (i % period + period) % period;
    return folded < size ? folded : period - folded;
  }
};

/// An axis: its size without and with padding, the number of elements padded before the data, and
/// the strides in the data and in the padded tensor.
template <Int64 size_, Int64 padded_, Int64 before_, Int64 stride_, Int64 padded_stride_>
struct PaddedAxis {
  static constexpr Int64 size = size_;
  static constexpr Int64 padded = padded_;
  static constexpr Int64 before = before_;
  static constexpr Int64 stride = stride_;
  static constexpr Int64 padded_stride = padded_stride_;
};

/// The offset in the data of the element that is copied to position `at` of the padded tensor; -1
/// if no element is copied.
template <class Mode, class Index>
__device__ inline Index source_of_padded(Index) {
  return 0;
}
template <class Mode, class Index, class Axis, class... Inner>
__device__ inline Index source_of_padded(Index at, Axis, Inner... inner) {
  const Index i = at / Index(Axis::padded_stride) % Index(Axis::padded) - Index(Axis::before);
  const Index source = Mode::source(i, Index(Axis::size));
  const Index rest = source_of_padded<Mode, Index>(at, inner...);
  return source < 0 || rest < 0 ? Index(-1) : source * Index(Axis::stride) + rest;
}

/// Copies `width` elements per thread. The outermost axis comes first; positions and strides count
/// packs of `width` elements.
template <class T, int width, class Index, Index count, class Mode, class... Axes>
__device__ inline void pad_box(const T* from, T value, T* to) {
  using Piece = Pack<T, width>;
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Index source = source_of_padded<Mode, Index>(at, Axes()...);
  Piece piece;
#pragma unroll
  for (int i = 0; i < width; ++i) piece.items[i] = value;
  if (source >= 0) piece = reinterpret_cast<const Piece*>(from)[source];
  reinterpret_cast<Piece*>(to)[at] = piece;
}

/// Adds the gradients of all copies of position `at` of the data, in the order of the copies.
template <class Mode, class T, class Index>
__device__ inline void add_arrived(const T* dy, Index, Compute<T>& sum) {
  sum += load(dy, 0);
}
template <class Mode, class T, class Index, class Axis, class... Inner>
__device__ inline void add_arrived(const T* dy, Index at, Compute<T>& sum, Axis, Inner... inner) {
  constexpr Index before = Index(Axis::before);
  constexpr Index padded = Index(Axis::padded);
  constexpr Index size = Index(Axis::size);
  constexpr Index behind = before + size > 0 ? before + size : 0;
  const Index own = at / Index(Axis::stride) % size;
  const auto visit = [&](Index i) {
    add_arrived<Mode>(dy + i * Index(Axis::padded_stride), at, sum, inner...);
  };
  for (Index i = 0; i < before && i < padded; ++i) {
    if (Mode::source(i - before, size) == own) visit(i);
  }
  if (own + before >= 0 && own + before < padded) visit(own + before);
  for (Index i = behind; i < padded; ++i) {
    if (Mode::source(i - before, size) == own) visit(i);
  }
}

template <class T, class Index, Index count, class Mode, class... Axes>
__device__ inline void pad_gradient(const T* dy, T* dx) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  Compute<T> sum = 0;
  add_arrived<Mode>(dy, at, sum, Axes()...);
  store(dx, at, sum);
}

/// Copies the elements on and above (or below) the k-th diagonal of the last two axes; all other
/// elements become 0.
template <class T, class Index, Index count, Index rows, Index columns, Int64 k, bool upper>
__device__ inline void keep_triangle(const T* from, T* to) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Int64 diagonal = Int64(at % columns) - Int64(at / columns % rows);
  const bool kept = upper ? diagonal >= k : diagonal <= k;
  to[at] = kept ? from[at] : T(0);
}
