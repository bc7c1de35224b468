// Batch, instance and group normalization, and the gradients of the first two. A tensor is seen as
// planes; a plane has the `plane` elements of one channel of one image. Sets of planes are
// normalized together.

/// The difference between an element and the first element of its set, and the square of the
/// difference. Sums of such differences stay accurate even if the mean is far from 0. A Source of
/// kernels/reduce.cuh with one result per set.
/// @tparam start distance between the first elements of neighbouring sets
template <class C, Int64 start, class T>
struct ShiftedMoments {
  using Item = Pair<C>;
  const T* from;

  template <int step, int width>
  __device__ void get(Int64 at, Int64 set, Item (&items)[width]) const {
    C values[width];
    load_pack(from, at, values);
    for (int k = 0; k < width; ++k) {
      const C distance = values[k] - C(load(from, (set + step * k) * start));
      items[k] = {distance, distance * distance};
    }
  }
};

/// Updates the running statistics of a set. A statistic with a null pointer is not updated.
template <class OldMean, class OldVariance, class Mean, class Variance>
struct Running {
  const OldMean* old_mean;
  const OldVariance* old_variance;
  Mean* mean;
  Variance* variance;
  double momentum;

  template <class C>
  __device__ void move(Int64 set, C batch_mean, C batch_variance) const {
    const C kept = C(momentum);
    const C moved = C(1 - momentum);
    if (mean != nullptr) {
      store(mean, set, Compute<Mean>(C(load(old_mean, set)) * kept + batch_mean * moved));
    }
    if (variance != nullptr) {
      store(variance, set,
            Compute<Variance>(C(load(old_variance, set)) * kept + batch_variance * moved));
    }
  }
};

/// Computes the statistics of sets of `count` elements from the sums of ShiftedMoments, and stores
/// them. `spreads` receives the inverse deviations or the variances.
template <class C, Int64 start, Int64 count, bool spread_is_inverse, class T, class Statistics,
          class Mean, class Spread>
struct SetNormals {
  const T* from;
  Statistics running;
  Mean* means;
  Spread* spreads;
  Pair<C>* normals;  ///< mean and inverse deviation
  double epsilon;

  template <int width>
  __device__ void put(Int64 at, const Pair<C> (&sums)[width]) const {
    for (int k = 0; k < width; ++k) put_one(at + k, sums[k]);
  }

 private:
  __device__ void put_one(Int64 set, Pair<C> sums) const {
    const C size = C(count);
    const C distance = sums.first / size;
    const C mean = C(load(from, set * start)) + distance;
    const C spread = sums.second / size - distance * distance;
    const C variance = spread < 0 ? C(0) : spread;
    const C inverse = C(1) / square_root(variance + C(epsilon));
    normals[set] = {mean, inverse};
    running.move(set, mean, variance);
    if (means != nullptr) store(means, set, Compute<Mean>(mean));
    if (spreads != nullptr) {
      store(spreads, set, Compute<Spread>(spread_is_inverse ? inverse : variance));
    }
  }
};

/// Three sources of the mean and inverse deviation of a set: the pairs that SetNormals stored,
/// tensors of means and inverse deviations, or tensors of means and variances.
template <class C>
struct FoundNormals {
  const Pair<C>* normals;
  __device__ Pair<C> of(Int64 set) const { return normals[set]; }
};
template <class C, class Mean, class Inverse>
struct GivenNormals {
  const Mean* means;
  const Inverse* inverses;
  __device__ Pair<C> of(Int64 set) const { return {C(load(means, set)), C(load(inverses, set))}; }
};
template <class C, class Mean, class Variance>
struct FixedNormals {
  const Mean* means;
  const Variance* variances;
  double epsilon;
  __device__ Pair<C> of(Int64 set) const {
    return {C(load(means, set)), C(1) / square_root(C(load(variances, set)) + C(epsilon))};
  }
};

/// How planes form sets. If planes_of_set is 0, a set has all planes of a channel, else
/// planes_of_set consecutive planes. Scale and bias have `groups` elements; each element applies to
/// channels / groups adjacent channels.
template <Int64 element_count, Int64 plane_size, int channel_count, int planes_of_set, int groups,
          int access_width>
struct PlaneLayout {
  static constexpr Int64 plane = plane_size;
  static constexpr int channels = channel_count;

  __device__ static Int64 set_of(Int64 plane_index) {
    if constexpr (planes_of_set == 0) return plane_index % channels;
    return plane_index / (planes_of_set == 0 ? 1 : planes_of_set);
  }
  __device__ static int group_of(Int64 plane_index) {
    return int(plane_index % channels) * groups / channels;
  }

  /// The plane of element `k` of a pack; the pack may extend over several planes.
  __device__ static Int64 plane_of(Int64 at, int k) {
    return (plane % access_width == 0 ? at : at + k) / plane;
  }

  /// Calls `body(Width, position)` for this thread's elements.
  template <class Body>
  __device__ static void for_own(Body body) {
    const Int64 at = thread_index() * access_width;
    if (at + access_width <= element_count) {
      body(Width<access_width>(), at);
    } else if constexpr (element_count % access_width != 0) {
      for (Int64 i = at; i < element_count; ++i) body(Width<1>(), i);
    }
  }
};

/// y = (x - mean) * (scale * inverse deviation) + bias
template <class C, class Layout, class X, class Normals, class Scale, class Bias, class Y>
__device__ inline void normalize_planes(const X* x, Normals normals, const Scale* scale,
                                        const Bias* bias, Y* y) {
  Layout::for_own([&](auto count, Int64 at) {
    constexpr int width = decltype(count)::value;
    C items[width];
    load_pack(x, at, items);
    for (int k = 0; k < width; ++k) {
      const Int64 plane = Layout::plane_of(at, k);
      const Pair<C> normal = normals.of(Layout::set_of(plane));
      const int group = Layout::group_of(plane);
      const C factor = C(load(scale, group)) * normal.second;
      items[k] = (items[k] - normal.first) * factor + C(load(bias, group));
    }
    store_pack(y, at, items);
  });
}

/// The pair (dy * normalized x, dy): a Source of kernels/reduce.cuh with one result per set.
template <class C, class Dy, class X, class Normals>
struct NormalizationTerms {
  using Item = Pair<C>;
  const Dy* dy;
  const X* x;
  Normals normals;

  template <int step, int width>
  __device__ void get(Int64 at, Int64 set, Item (&items)[width]) const {
    C slopes[width];
    C values[width];
    load_pack(dy, at, slopes);
    load_pack(x, at, values);
    for (int k = 0; k < width; ++k) {
      const Pair<C> normal = normals.of(set + step * k);
      items[k] = {slopes[k] * ((values[k] - normal.first) * normal.second), slopes[k]};
    }
  }
};

/// dx = scale * inverse deviation * (dy - mean of dy - normalized x * mean of (dy * normalized x)),
/// where the means come from the sums of NormalizationTerms over sets of `count` elements.
template <class C, class Layout, Int64 count, class Dy, class X, class Normals, class Scale,
          class Dx>
__device__ inline void normalize_planes_back(const Dy* dy, const X* x, Normals normals,
                                             const Pair<C>* sums, const Scale* scale, Dx* dx) {
  Layout::for_own([&](auto size, Int64 at) {
    constexpr int width = decltype(size)::value;
    C slopes[width];
    C values[width];
    load_pack(dy, at, slopes);
    load_pack(x, at, values);
    for (int k = 0; k < width; ++k) {
      const Int64 plane = Layout::plane_of(at, k);
      const Int64 set = Layout::set_of(plane);
      const Pair<C> normal = normals.of(set);
      const Pair<C> of_set = sums[set];
      const C normalized = (values[k] - normal.first) * normal.second;
      const C factor = C(load(scale, Layout::group_of(plane))) * normal.second;
      slopes[k] =
          factor * (slopes[k] - of_set.second / C(count) - normalized * (of_set.first / C(count)));
    }
    store_pack(dx, at, slopes);
  });
}
