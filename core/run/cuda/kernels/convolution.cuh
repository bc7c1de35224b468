// The bias of convolutions.

/// y[image, channel, position] += bias[channel]; each thread processes `width` positions.
template <class T, int width, class Index, Index threads, Index channels, Index plane>
__device__ inline void add_channel_bias(const T* bias, T* y) {
  const Index at = Index(thread_index());
  if (at >= threads) return;
  Pack<T, width>* const pack = reinterpret_cast<Pack<T, width>*>(y) + at;
  const Compute<T> added = load(bias, at * width / plane % channels);
  Pack<T, width> sums = *pack;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    sums.items[i] = Stored<T>::from(to_compute(sums.items[i]) + added);
  }
  *pack = sums;
}
