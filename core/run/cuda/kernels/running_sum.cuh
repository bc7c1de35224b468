// Running sums along an axis.

/// Each thread computes one of `rows` rows of `columns` elements; neighbouring threads compute
/// neighbouring rows.
template <class T, class S, Int64 rows, int columns, Int64 stride, bool exclusive, bool reverse>
__device__ inline void sum_along(const T* x, T* y) {
  const Int64 row = thread_index();
  if (row >= rows) return;
  const Int64 begin = row / stride * columns * stride + row % stride;
  S total = S(0);
  for (int i = 0; i < columns; ++i) {
    const Int64 at = begin + (reverse ? columns - 1 - i : i) * stride;
    const S next = total + S(load(x, at));
    store(y, at, Compute<T>(exclusive ? total : next));
    total = next;
  }
}

/// Like sum_along, for rows whose elements are adjacent; a warp computes each row.
template <class T, class S, Int64 rows, int columns, bool exclusive, bool reverse>
__device__ inline void sum_rows(const T* x, T* y) {
  const Int64 row = thread_index() / 32;
  if (row >= rows) return;
  const int lane = int(threadIdx.x) % 32;
  S total = S(0);
  for (int first = 0; first < columns; first += 32) {
    const int i = first + lane;
    const Int64 at = row * columns + (reverse ? columns - 1 - i : i);
    const S own = i < columns ? S(load(x, at)) : S(0);
    S sum = own;
    for (int distance = 1; distance < 32; distance *= 2) {
      const S before = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
      if (lane >= distance) sum += before;
    }
    const S up_to_previous = __shfl_up_sync(0xFFFFFFFFU, sum, 1);
    const S result = !exclusive ? sum : lane == 0 ? S(0) : up_to_previous;
    if (i < columns) store(y, at, Compute<T>(total + result));
    total += __shfl_sync(0xFFFFFFFFU, sum, 31);
  }
}
