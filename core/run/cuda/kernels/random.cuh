// Random numbers that depend on a seed and a position, and the elements that a dropout keeps.

/// Draws the same numbers as the CPU runner: applies the output function of SplitMix64 (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) to seed and position.
class PositionalRandom {
 public:
  __device__ explicit PositionalRandom(UInt64 seed) : seed_(mixed(seed + increment)) {}

  __device__ UInt64 bits(UInt64 position) const {
    return mixed(seed_ + (position + 1) * increment);
  }

  /// A number from the uniform distribution over [0, 1).
  __device__ double uniform(UInt64 position) const {
    return double(bits(position) >> 11) * 1.1102230246251565e-16;
  }

  /// A number from the normal distribution with mean 0 and standard deviation 1. (Box and Muller,
  /// 1958)
  __device__ double normal(UInt64 position) const {
    const double radius = sqrt(-2 * log(1 - uniform(2 * position)));
    return radius * cos(2 * 3.141592653589793238 * uniform(2 * position + 1));
  }

  /// Whether the uniform number at `position` is at least `threshold` / 2^53.
  __device__ bool keeps(UInt64 position, UInt64 threshold) const {
    return bits(position) >> 11 >= threshold;
  }

 private:
  static constexpr UInt64 increment = 0x9E3779B97F4A7C15;

  __device__ static UInt64 mixed(UInt64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  UInt64 seed_;
};

/// Stores one bit for each element: bit i % 32 of word i / 32 is set if element i is kept. Each
/// thread stores one word.
__device__ inline void write_kept_bits(UInt32* words, UInt64 elements, PositionalRandom random,
                                       UInt64 threshold) {
  const UInt64 word = UInt64(thread_index());
  const UInt64 first = word * 32;
  if (first >= elements) return;
  UInt32 bits = 0;
  for (UInt32 i = 0; i < 32 && first + i < elements; ++i) {
    bits |= UInt32(random.keeps(first + i, threshold)) << i;
  }
  words[word] = bits;
}

/// dx = dy * scale where the element's bit is set, else 0.
template <int width, class T>
__device__ inline void bitmask_gradient(const T* dy, const UInt32* words, T* dx, UInt64 elements,
                                        Compute<T> scale) {
  const UInt64 first = UInt64(thread_index()) * width;
  if (first >= elements) return;
  const int count = elements - first < width ? int(elements - first) : width;
  Pack<T, width> pack = load_pack<width>(dy, first, count);
  const UInt32 bits = words[first / 32] >> (first % 32);
  for (int k = 0; k < width; ++k) {
    const bool kept = (bits >> k & 1U) != 0;
    pack.items[k] = Stored<T>::from(kept ? to_compute(pack.items[k]) * scale : Compute<T>(0));
  }
  store_pack(dx, first, pack, count);
}
