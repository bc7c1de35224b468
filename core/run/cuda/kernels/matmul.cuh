// Initial values of matrix products.

/// d = factor * addend, broadcast to d. The innermost axis comes first.
template <class T, class Index, Index count, class... Axes>
__device__ inline void scale_addend(const T* addend, Compute<T> factor, T* d) {
  const Index at = Index(thread_index());
  if (at >= count) return;
  const Offsets<Index> offsets = offsets_in_box<Index>(at, Axes()...);
  store(d, offsets.to, factor * load(addend, offsets.from));
}
