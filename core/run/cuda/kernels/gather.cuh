// Reading and writing by index. The CPU runner reports an index outside of the data as an error.
// Here, reading with such an index gives NaN (0 for integers and 8-bit floats), whose bits are in
// `outside`, and writing has no effect.

/// The position that an index names; a negative index counts from the end. -1 if the index is
/// outside of `size` elements.
template <class Index>
__device__ inline Int64 wrapped_index(Index index, Int64 size) {
  const Int64 at = index < 0 ? Int64(index) + size : Int64(index);
  return at < size ? (at < 0 ? -1 : at) : -1;
}

/// A value of type T whose bits come from `pattern`, which repeats the bits of one element.
template <class T>
struct Filled {
  __device__ static T with(UInt64 pattern) { return T(pattern); }
};
template <>
struct Filled<Pack<UInt64, 2>> {
  __device__ static Pack<UInt64, 2> with(UInt64 pattern) { return {{pattern, pattern}}; }
};

/// to[outer, k, column] = from[outer, indices[k], column]; each thread copies one element.
template <class T, class Index, Index threads, Index size, Index count, Index columns, class I>
__device__ inline void gather_rows(const T* from, const I* indices, T* to, UInt64 outside) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  const Index column = at % columns;
  const Index row = at / columns;
  const Int64 index = wrapped_index(indices[row % count], size);
  const Index source = (row / count * size + Index(index)) * columns + column;
  to[at] = index < 0 ? Filled<T>::with(outside) : from[source];
}

/// to[indices[row], column] = from[row, column]; each thread copies one element. No two rows have
/// the same index.
template <class T, class Index, Index threads, Index size, Index columns, class I>
__device__ inline void place_rows(const T* from, const I* indices, T* to) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  const Int64 index = wrapped_index(indices[at / columns], size);
  if (index >= 0) to[Index(index) * columns + at % columns] = from[at];
}

/// Reads one element per index along one axis of the data; this axis has `size` elements that lie
/// `stride` apart. `Axes` are the axes of the indices, innermost first, each with the stride of
/// the data along the same axis, or 0 for the axis that is indexed.
template <class T, class Index, Index count, Index size, Index stride, class... Axes, class I>
__device__ inline void gather_elements(const T* from, const I* indices, T* to, UInt64 outside) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Int64 index = wrapped_index(indices[at], size);
  const Index source = offsets_in_box<Index>(at, Axes()...).from + Index(index) * stride;
  to[at] = index < 0 ? Filled<T>::with(outside) : from[source];
}

/// The axis of the data that an entry of an index tuple addresses; the stride is counted in slices.
template <Int64 size_, Int64 stride_>
struct TupleAxis {
  static constexpr Int64 size = size_;
  static constexpr Int64 stride = stride_;
};

/// The index of the slice that a tuple addresses; -1 if the tuple is outside of the data.
template <class I>
__device__ inline Int64 slice_of_tuple(const I*) {
  return 0;
}
template <class I, class Axis, class... Others>
__device__ inline Int64 slice_of_tuple(const I* tuple, Axis, Others... others) {
  const Int64 index = wrapped_index(*tuple, Axis::size);
  const Int64 rest = slice_of_tuple(tuple + 1, others...);
  return index < 0 || rest < 0 ? Int64(-1) : index * Axis::stride + rest;
}

/// to[tuple, column] = from[slice of the tuple, column]; each thread copies one element. Each batch
/// item has `per_batch` tuples, which address the item's `batch_slices` slices.
template <class T, class Index, Index threads, Index columns, Index per_batch, Index batch_slices,
          class... Axes, class I>
__device__ inline void gather_slices(const T* from, const I* tuples, T* to, UInt64 outside) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  const Index tuple = at / columns;
  const Int64 slice = slice_of_tuple(tuples + tuple * Index(sizeof...(Axes)), Axes()...);
  const Index source = (tuple / per_batch * batch_slices + Index(slice)) * columns + at % columns;
  to[at] = slice < 0 ? Filled<T>::with(outside) : from[source];
}

/// Makes one element of the one-hot output per thread. The new axis has `size` positions of
/// `columns` inner elements each.
template <class T, class Index, Index threads, Index size, Index columns, class I>
__device__ inline void one_hot(const I* indices, const T* values, T* to) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  const Index row = at / columns;
  const Int64 index =
      wrapped_index(Int64(to_compute(indices[row / size * columns + at % columns])), Int64(size));
  to[at] = values[index == Int64(row % size) ? 1 : 0];
}
