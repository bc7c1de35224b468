// Sums of the exponentials of rows, without overflow or underflow.

/// The greatest element of a row and the sum of exp(x - greatest).
template <class C>
struct SoftmaxScale {
  C greatest;
  C sum;
};

/// Computes the SoftmaxScale in one pass over a row that is not kept in registers; the sum is
/// relative to the greatest element so far. (Milakov and Gimelshein, arXiv 1805.02867)
template <class C, class Layout, class Values>
__device__ inline SoftmaxScale<C> streamed_scale(const Layout& row, const Values& values) {
  C greatest = minus_infinity<C>();
  C sum = 0;
  row.for_each([&](auto count, int slot, int column) {
    constexpr int width = decltype(count)::value;
    C items[width];
    values.get(slot, column, items);
    C next = greatest;
    for (int k = 0; k < width; ++k) next = Greatest()(next, items[k]);
    if (next == minus_infinity<C>()) return;
    if (sum != 0) sum *= exponential(greatest - next);
    for (int k = 0; k < width; ++k) sum += exponential(items[k] - next);
    greatest = next;
  });
  const C of_row = row.merge(greatest, Greatest());
  if (sum != 0) sum *= exponential(greatest - of_row);
  return {of_row, row.merge(sum, Plus())};
}

template <class C, class Layout, class Values>
__device__ inline SoftmaxScale<C> softmax_scale(const Layout& row, const Values& values) {
  if constexpr (!Layout::kept) return streamed_scale<C>(row, values);
  const C greatest = values.merged(
      minus_infinity<C>(), [](C x, int) { return x; }, Greatest());
  const C sum = values.merged(
      C(0), [&](C x, int) { return exponential(x - greatest); }, Plus());
  return {greatest, sum};
}
