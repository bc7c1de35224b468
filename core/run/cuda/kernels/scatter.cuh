// Writing to rows and elements by index, where several indices may write to the same place. The
// updates of a place are combined in the order of the indices or in another fixed order.

/// Adds up updates from zero; the sum is rounded only when it is stored.
struct SumUp {
  template <class T>
  __device__ static Compute<T> start(T) {
    return 0;
  }
  template <class T>
  __device__ static Compute<T> combine(Compute<T> sum, Compute<T> update) {
    return sum + update;
  }
};
/// Applies one update after the other and rounds each result as if it were stored as T.
template <class Operation>
struct Change {
  template <class T>
  __device__ static Compute<T> start(T old) {
    return to_compute(old);
  }
  template <class T>
  __device__ static Compute<T> combine(Compute<T> old, Compute<T> update) {
    return rounded<T>(Compute<T>(Operation()(old, update)));
  }
};
struct Replace {
  template <class T>
  __device__ T operator()(T, T update) const {
    return update;
  }
};
struct Times {
  template <class T>
  __device__ T operator()(T old, T update) const {
    return old * update;
  }
};
/// Stores the row to which each index writes; -1 for an index outside of the data. One index per
/// thread.
template <Int32 count, Int64 size, class I>
__device__ inline void number_rows(const I* indices, Int32* rows) {
  const Int32 at = Int32(thread_index());
  if (at < count) rows[at] = Int32(wrapped_index(indices[at], size));
}
/// Like number_rows, but for index tuples as in gather_slices.
template <Int32 count, Int32 per_batch, Int32 batch_slices, class... Axes, class I>
__device__ inline void number_slices(const I* tuples, Int32* rows) {
  const Int32 at = Int32(thread_index());
  if (at >= count) return;
  const Int64 slice = slice_of_tuple(tuples + Int64(at) * Int64(sizeof...(Axes)), Axes()...);
  rows[at] = slice < 0 ? -1 : at / per_batch * batch_slices + Int32(slice);
}

/// Sorts the rows in ascending order and stores the update of each sorted row; equal rows keep the
/// order of their updates. The kernel counts for each row the rows that come before it. The time
/// grows with the square of the number of rows, but is short for the tokens of a batch. A block of
/// 256 threads processes 32 rows.
template <Int32 count>
__device__ inline void sort_rows(const Int32* rows, Int32* sorted, Int32* updates) {
  constexpr int tile = 2048;
  constexpr int share = tile / 8;
  constexpr Int32 behind_all = 0x7FFFFFFF;
  __shared__ Int32 others[tile];
  __shared__ Int32 places[8][32];
  const int lane = int(threadIdx.x) % 32;
  const int warp = int(threadIdx.x) / 32;
  const Int32 own = Int32(blockIdx.x) * 32 + lane;
  const Int32 row = own < count ? rows[own] : 0;
  Int32 place = 0;
  for (Int32 start = 0; start < count; start += tile) {
    __syncthreads();
    for (int i = int(threadIdx.x); i < tile; i += 256) {
      others[i] = start + i < count ? rows[start + i] : behind_all;
    }
    __syncthreads();
#pragma unroll 8
    for (int i = warp * share; i < (warp + 1) * share; ++i) {
      place += Int32(others[i] < row + Int32(start + i < own));
    }
  }
  places[warp][lane] = place;
  __syncthreads();
  if (warp > 0 || own >= count) return;
  for (int i = 1; i < 8; ++i) place += places[i][lane];
  sorted[place] = row;
  updates[place] = own;
}

/// The `width` columns of a row that one thread combines.
template <class T, int width>
struct RowPart {
  Compute<T> items[width];

  template <class Combination>
  __device__ void start(const T* from) {
    const auto pack = *reinterpret_cast<const Pack<T, width>*>(from);
    for (int i = 0; i < width; ++i) items[i] = Combination::template start<T>(pack.items[i]);
  }
  template <class Combination>
  __device__ void combine(const T* from) {
    const auto pack = *reinterpret_cast<const Pack<T, width>*>(from);
    for (int i = 0; i < width; ++i) {
      items[i] = Combination::template combine<T>(items[i], to_compute(pack.items[i]));
    }
  }
  __device__ void store_to(T* to) const {
    Pack<T, width> pack;
    for (int i = 0; i < width; ++i) pack.items[i] = Stored<T>::from(items[i]);
    *reinterpret_cast<Pack<T, width>*>(to) = pack;
  }
};

/// The index after the last element of the ascending list `sorted` that equals sorted[start].
__device__ inline Int32 end_of_row(const Int32* sorted, Int32 start, Int32 count) {
  Int32 end = count;
  const Int32 row = sorted[start];
  for (Int32 first = start; first < end;) {
    const Int32 middle = first + (end - first) / 2;
    if (sorted[middle] == row) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return end;
}

/// Rows in ascending order, their updates, and the columns on which this thread works.
template <class T, int width, class Index, Index columns, Int32 count>
struct RowUpdates {
  const Int32* sorted;
  const Int32* updates;
  const T* from;  ///< this thread's columns in the first update
  T* to;          ///< this thread's columns in the first row
  bool works;     ///< whether this thread has columns

  template <class Combination>
  __device__ void combine(RowPart<T, width>& part, Int32 place) const {
    part.template combine<Combination>(from + Index(updates[place]) * columns);
  }
  __device__ T* row_at(Int32 place) const { return to + Index(sorted[place]) * columns; }

  /// Combines all updates of the row that starts at `first`, by one warp.
  template <class Combination>
  __device__ void combine_alone(Int32 first) const {
    if (!works) return;
    RowPart<T, width> part;
    part.template start<Combination>(row_at(first));
    for (Int32 place = first; place < count && sorted[place] == sorted[first]; ++place) {
      combine<Combination>(part, place);
    }
    part.store_to(row_at(first));
  }

  /// Like combine_alone, but for sums only and by all 8 warps of a block.
  __device__ void sum_together(Int32 first) const {
    constexpr int warps = 8;
    __shared__ RowPart<T, width> parts[warps][32];
    const int lane = int(threadIdx.x) % 32;
    const int warp = int(threadIdx.x) / 32;
    const Int32 end = end_of_row(sorted, first, count);
    RowPart<T, width> part;
    for (int i = 0; i < width; ++i) part.items[i] = 0;
#pragma unroll 4
    for (Int32 place = first + warp; place < end; place += warps) {
      if (works) combine<SumUp>(part, place);
    }
    parts[warp][lane] = part;
    __syncthreads();
    if (warp > 0 || !works) return;
    for (int other = 1; other < warps; ++other) {
      for (int i = 0; i < width; ++i) part.items[i] += parts[other][lane].items[i];
    }
    part.store_to(row_at(first));
  }
};

/// Combines to[outer, sorted[p], column] with from[outer, updates[p], column] for all p. Blocks
/// have 8 warps; a warp processes one p, and each of its threads `width` columns. With `sums`, all
/// warps of the block together add up a row of more than `many` updates. (At most one such row
/// starts within 8 positions.)
template <class T, class Combination, bool sums, int width, class Index, Index outer, Index size,
          Int32 count, Index columns>
__device__ inline void combine_rows(const Int32* sorted, const Int32* updates, const T* from,
                                    T* to) {
  constexpr Int32 many = 32;
  constexpr Index all_columns = outer * columns;
  constexpr Index chunks = (all_columns + 32 * width - 1) / (32 * width);
  const int lane = int(threadIdx.x) % 32;
  const Int32 place = Int32(Index(blockIdx.x) / chunks) * 8 + Int32(threadIdx.x) / 32;
  const Index at = (Index(blockIdx.x) % chunks * 32 + lane) * width;
  const RowUpdates<T, width, Index, columns, count> rows = {
      sorted, updates, from + at / columns * count * columns + at % columns,
      to + at / columns * size * columns + at % columns, at < all_columns};
  __shared__ Int32 row_of_many;
  if (sums && threadIdx.x == 0) row_of_many = -1;
  if (sums) __syncthreads();
  const Int32 row = place < count ? sorted[place] : -1;
  if (row >= 0 && (place == 0 || sorted[place - 1] != row)) {
    if (sums && place + many < count && sorted[place + many] == row) {
      row_of_many = place;
    } else {
      rows.template combine_alone<Combination>(place);
    }
  }
  if constexpr (sums) {
    __syncthreads();
    if (row_of_many >= 0) rows.sum_together(row_of_many);
  }
}

/// Combines one element of `to` per index along one axis, as in gather_elements. The axis has
/// `line` indices, which lie `step` apart. The thread of the first of several equal indices
/// combines the updates of all these indices.
template <class T, class Combination, class Index, Index count, Index line, Index step, Index size,
          Index stride, class... Axes, class I>
__device__ inline void combine_elements(const I* indices, const T* from, T* to) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Int64 own = wrapped_index(indices[at], size);
  const Index nth = at / step % line;
  if (own < 0) return;
  for (Index i = 1; i <= nth; ++i) {
    if (wrapped_index(indices[at - i * step], size) == own) return;
  }
  T* const target = to + offsets_in_box<Index>(at, Axes()...).from + Index(own) * stride;
  Compute<T> value = Combination::template start<T>(*target);
  value = Combination::template combine<T>(value, to_compute(from[at]));
  for (Index i = 1; i < line - nth; ++i) {
    if (wrapped_index(indices[at + i * step], size) != own) continue;
    value = Combination::template combine<T>(value, to_compute(from[at + i * step]));
  }
  store(target, 0, value);
}
