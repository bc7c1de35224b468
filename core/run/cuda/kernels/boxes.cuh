// Copies between tensors of different layouts.

/// An axis of a box of elements, with the distance between neighbouring positions in source and
/// target.
template <Int64 size_, Int64 from_, Int64 to_>
struct BoxAxis {
  static constexpr Int64 size = size_;
  static constexpr Int64 from = from_;
  static constexpr Int64 to = to_;
};

/// The offsets of an element in source and target.
template <class Index>
struct Offsets {
  Index from;
  Index to;
};

/// The offsets of the element with index `at` in a box, where the innermost axis advances fastest.
template <class Index>
__device__ inline Offsets<Index> offsets_in_box(Index) {
  return {0, 0};
}
template <class Index, class Axis, class... Outer>
__device__ inline Offsets<Index> offsets_in_box(Index at, Axis, Outer... outer) {
  constexpr bool outermost = sizeof...(Outer) == 0;
  const Index here = outermost ? at : at % Index(Axis::size);
  Offsets<Index> offsets{0, 0};
  if (!outermost) offsets = offsets_in_box<Index>(at / Index(Axis::size), outer...);
  offsets.from += here * Index(Axis::from);
  offsets.to += here * Index(Axis::to);
  return offsets;
}

/// Copies one element per thread. The innermost axis comes first.
template <class T, class Index, Index count, class... Axes>
__device__ inline void copy_box(const T* from, T* to) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Offsets<Index> offsets = offsets_in_box<Index>(at, Axes()...);
  to[offsets.to] = from[offsets.from];
}

/// Copies `width` elements of one row per thread. `Row` is the innermost axis; it is dense in the
/// target.
template <class T, int width, class Index, Index count, class Row, class... Outer>
__device__ inline void gather_box(const T* from, T* to) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Index first = at % Index(Row::size / width) * width;
  const Offsets<Index> offsets = offsets_in_box<Index>(at / Index(Row::size / width), Outer()...);
  const T* const source = from + offsets.from + first * Index(Row::from);
  Pack<T, width> piece;
#pragma unroll
  for (int i = 0; i < width; ++i) piece.items[i] = source[i * Index(Row::from)];
  *reinterpret_cast<Pack<T, width>*>(to + offsets.to + first) = piece;
}

/// Transposes tiles: `Row` is dense in the target, `Column` in the source. A block of 256 threads
/// processes one tile; the block index counts tiles along `Row` first.
template <class T, int tile, class Index, class Row, class Column, class... Outer>
__device__ inline void turn_tiles(const T* from, T* to) {
  constexpr int padding = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
  __shared__ T cells[tile][tile + padding];
  constexpr Index across = Index((Row::size + tile - 1) / tile);
  constexpr Index down = Index((Column::size + tile - 1) / tile);
  const Index block = Index(blockIdx.x);
  const Index row = block % across * tile;
  const Index column = block / across % down * tile;
  const Offsets<Index> offsets = offsets_in_box<Index>(block / (across * down), Outer()...);
  const int fast = int(threadIdx.x) % tile;
  const int slow = int(threadIdx.x) / tile;
  constexpr int step = 256 / tile;
#pragma unroll
  for (int n = 0; n < tile / step; ++n) {
    const int i = slow + n * step;
    if (column + fast < Index(Column::size) && row + i < Index(Row::size)) {
      cells[i][fast] = from[offsets.from + (row + i) * Index(Row::from) + column + fast];
    }
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < tile / step; ++n) {
    const int i = slow + n * step;
    if (row + fast < Index(Row::size) && column + i < Index(Column::size)) {
      to[offsets.to + (column + i) * Index(Column::to) + row + fast] = cells[fast][i];
    }
  }
}
