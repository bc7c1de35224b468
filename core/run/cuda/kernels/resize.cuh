// Resizing along axes.

/// The taps of each position of a resized axis: offsets in the source, and weights. Each position
/// has `fixed` taps. If `fixed` is 0, a position has the taps from its own start to the start of
/// the next position.
template <class C, class Index, int fixed, bool weighted>
struct TapTable {
  const Int32* starts;
  const Index* offsets;
  const C* weights;

  /// The weighted sum of the elements at the taps of position `at`.
  /// @param empty the value of positions without taps
  /// @param read returns the element at an offset
  template <class Read>
  __device__ C sum(Index at, C empty, Read read) const {
    const Int32 begin = fixed > 0 ? Int32(at) * fixed : starts[at];
    const Int32 end = fixed > 0 ? begin + fixed : starts[at + 1];
    if (begin == end) return empty;
    C total = 0;
    for (Int32 tap = begin; tap < end; ++tap) {
      const C value = read(offsets[tap]);
      total += weighted ? weights[tap] * value : value;
    }
    return total;
  }
};
