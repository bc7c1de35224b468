// What convolutions do beside products: the bias and its gradient.

/// y[image, channel, position] += bias[channel]; `width` positions per thread.
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

/// to[channel] = the sum of dy[image, channel, position]; a block per channel.
template <class T, class Index, Index images, Index channels, Index plane>
__device__ inline void sum_channels(const T* dy, T* to) {
  const Index channel = Index(blockIdx.x);
  double sum = 0;
#pragma unroll 4
  for (Index i = Index(threadIdx.x); i < images * plane; i += Index(blockDim.x)) {
    const Index image = i / plane;
    sum += double(load(dy, (image * channels + channel) * plane + i % plane));
  }
  sum = block_reduce(sum, Plus(), 0.0);
  if (threadIdx.x == 0) store(to, channel, Compute<T>(sum));
}
