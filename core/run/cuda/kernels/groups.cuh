// Functions with which neighbouring threads work together: they move packs of elements, process
// rows, and merge results.

template <int count>
struct Width {
  static constexpr int value = count;
};

/// Loads `width` elements from position `at` on.
/// @pre `at` is a multiple of `width`
template <class C, int width, class T>
__device__ inline void load_pack(const T* from, Int64 at, C (&values)[width]) {
  const Pack<T, width> pack = *reinterpret_cast<const Pack<T, width>*>(from + at);
  for (int k = 0; k < width; ++k) values[k] = C(to_compute(pack.items[k]));
}
template <class T>
__device__ inline UInt32 bits_of(T x) {
  return UInt16(x);
}
__device__ inline UInt32 bits_of(Half x) { return x.bits; }
__device__ inline UInt32 bits_of(BFloat16 x) { return x.bits; }

template <class C, int width, class T>
__device__ inline void store_pack(T* to, Int64 at, const C (&values)[width]) {
  Pack<T, width> pack;
  for (int k = 0; k < width; ++k) pack.items[k] = Stored<T>::from(Compute<T>(values[k]));
  // Combines 16-bit elements into words, because the compiler would store the elements one by one.
  if constexpr (sizeof(T) == 2 && width > 1) {
    Pack<UInt32, width / 2> words;
    for (int k = 0; k < width / 2; ++k) {
      words.items[k] = bits_of(pack.items[2 * k]) | bits_of(pack.items[2 * k + 1]) << 16;
    }
    *reinterpret_cast<Pack<UInt32, width / 2>*>(to + at) = words;
  } else {
    *reinterpret_cast<Pack<T, width>*>(to + at) = pack;
  }
}

template <class A, class B = A>
struct Pair {
  A first;
  B second;
};

/// The `value` of the thread whose index differs from this thread's in the bit `distance`.
template <class T>
__device__ inline T exchanged(T value, int distance) {
  return T(__shfl_xor_sync(0xFFFFFFFFU, value, distance));
}
template <class A, class B>
__device__ inline Pair<A, B> exchanged(Pair<A, B> value, int distance) {
  return {exchanged(value.first, distance), exchanged(value.second, distance)};
}

/// Merges the values of `threads` neighbouring threads, always in the same order; each of these
/// threads gets the result. `threads` is a power of two: up to 32, or all threads of the block. All
/// threads of the block must call this function.
/// @param merge a function that is symmetric in its operands
template <int threads, class T, class Merge>
__device__ inline T group_merge(T value, Merge merge) {
  constexpr int lanes = threads < 32 ? threads : 32;
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = merge(value, exchanged(value, distance));
  }
  if constexpr (threads > 32) {
    constexpr int warps = threads / 32;
    __shared__ T of_warps[warps];
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warps[threadIdx.x % warps];
    for (int distance = warps / 2; distance > 0; distance /= 2) {
      value = merge(value, exchanged(value, distance));
    }
  }
  return value;
}

/// Divides the `count` elements from `begin` on among `threads` threads. Calls `body(Width,
/// position)` for aligned packs of `width` elements and for the single elements before and after
/// these packs. Positions are counted from `begin`.
template <int threads, int width, class Body>
__device__ inline void for_each_pack(Int64 begin, Int64 count, int thread, Body body) {
  if constexpr (width == 1) {
#pragma unroll 4
    for (Int64 i = thread; i < count; i += threads) body(Width<1>(), i);
  } else {
    const Int64 before = (width - begin % width) % width;
    const Int64 head = before < count ? before : count;
    const Int64 tail = head + (count - head) / width * width;
    for (Int64 i = thread; i < head; i += threads) body(Width<1>(), i);
#pragma unroll 4
    for (Int64 i = head + thread * width; i < tail; i += threads * width) body(Width<width>(), i);
    for (Int64 i = tail + thread; i < count; i += threads) body(Width<1>(), i);
  }
}

/// The row (one of `rows`) on which this thread and its neighbours work. It has `columns` elements
/// that lie `stride` apart; `stride` rows are interleaved. `threads` threads work on a row and read
/// `width` elements at once. If rows are kept, each of these threads keeps `slots` packs of its row
/// in registers, and `columns` is a multiple of `width`.
template <int row_threads, Int64 rows, int row_columns, Int64 stride, int row_width, bool is_kept>
struct RowLayout {
  static constexpr int threads = row_threads;
  static constexpr int columns = row_columns;
  static constexpr int width = row_width;
  static constexpr bool kept = is_kept;
  static constexpr int slots = kept ? (columns + threads * width - 1) / (threads * width) : 1;

  Int64 row;
  Int64 begin;  ///< position of the row's first element
  int thread;   ///< index among the threads of the row

  __device__ RowLayout()
      : row(thread_index() / threads),
        begin(stride == 1 ? row * columns : row / stride * columns * stride + row % stride),
        thread(int(threadIdx.x) % threads) {}

  /// Threads without a row must still call `merge`.
  __device__ bool has_row() const { return row < rows; }
  __device__ bool is_first() const { return has_row() && thread == 0; }
  __device__ Int64 position(Int64 column) const { return begin + column * stride; }

  /// Calls `body(Width, slot, column)` for each pack of this thread's part of the row.
  template <class Body>
  __device__ void for_each(Body body) const {
    if (!has_row()) return;
    if constexpr (kept) {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot) {
        const int column = (slot * threads + thread) * width;
        if (column < columns) body(Width<width>(), slot, column);
      }
    } else {
      const Int64 start = stride == 1 ? begin : 0;
      for_each_pack<threads, width>(start, columns, thread,
                                    [&](auto count, Int64 column) { body(count, 0, int(column)); });
    }
  }

  template <class T, class Merge>
  __device__ T merge(T value, Merge how) const {
    return group_merge<threads>(value, how);
  }
};

/// This thread's part of a row. It is read once if rows are kept, else at every use. `Source` has
/// `get(position, C (&values)[width])`.
template <class C, class Layout, class Source>
struct RowValues {
  const Layout& row;
  Source source;
  C kept[Layout::slots][Layout::width];

  __device__ RowValues(const Layout& of, Source from) : row(of), source(from) {
    if constexpr (Layout::kept) {
      row.for_each(
          [&](auto, int slot, int column) { source.get(row.position(column), kept[slot]); });
    }
  }

  template <int width>
  __device__ void get(int slot, int column, C (&values)[width]) const {
    if constexpr (Layout::kept) {
      for (int k = 0; k < width; ++k) values[k] = kept[slot][k];
    } else {
      source.get(row.position(column), values);
    }
  }

  /// Merges `term(value, column)` of all elements of the row; `start` is the identity of `merge`.
  template <class S, class Term, class Merge>
  __device__ S merged(S start, Term term, Merge merge) const {
    S result = start;
    row.for_each([&](auto count, int slot, int column) {
      C values[decltype(count)::value];
      get(slot, column, values);
      for (int k = 0; k < decltype(count)::value; ++k) {
        result = merge(result, term(values[k], column + k));
      }
    });
    return row.merge(result, merge);
  }
};

/// The elements of a tensor.
template <class T>
struct Elements {
  const T* from;

  template <class C, int width>
  __device__ void get(Int64 at, C (&values)[width]) const {
    load_pack(from, at, values);
  }
};

/// Maps a position of a box to an offset in a tensor. Each axis is given by its size and its stride
/// in the tensor; the innermost axis comes first.
template <Int64... axes>
struct Walk {
  template <class Position>
  __device__ static Int64 offset(Position) {
    return 0;
  }
};
template <Int64 size, Int64 stride, Int64... outer>
struct Walk<size, stride, outer...> {
  template <class Position>
  __device__ static Int64 offset(Position position) {
    if constexpr (sizeof...(outer) == 0) return Int64(position) * stride;
    return Int64(position % Position(size)) * stride +
           Walk<outer...>::offset(position / Position(size));
  }
};

__device__ inline float exponential(float x) { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }
__device__ inline float square_root(float x) { return sqrtf(x); }
__device__ inline double square_root(double x) { return sqrt(x); }

template <class C>
__device__ inline C minus_infinity() {
  return C(float_from_bits(0xFF800000U));
}
