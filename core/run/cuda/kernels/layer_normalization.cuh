// Layer normalization with its simplified (root mean square) and fused forms, and the gradients.

/// The scale or bias of a row: one element per column (step 1) or one for all columns (step 0);
/// `otherwise` if the pointer is null.
template <class T, int step>
struct PerColumn {
  const T* from;
  float otherwise;

  template <class C, int width>
  __device__ void get(int column, C (&values)[width]) const {
    if (from == nullptr) {
      for (int k = 0; k < width; ++k) values[k] = C(otherwise);
    } else if constexpr (step == 0) {
      for (int k = 0; k < width; ++k) values[k] = C(load(from, 0));
    } else {
      load_pack(from, column, values);
    }
  }
};

/// x + skip + bias. `skip` repeats after `skip_count` elements, `bias` after `bias_count`.
template <class X, class S, class B, Int64 skip_count, Int64 bias_count>
struct SkippedElements {
  const X* x;
  const S* skip;
  const B* bias;

  template <class C, int width>
  __device__ void get(Int64 at, C (&values)[width]) const {
    C added[width];
    load_pack(x, at, values);
    load_pack(skip, at % skip_count, added);
    for (int k = 0; k < width; ++k) values[k] += added[k];
    if (bias == nullptr) return;
    load_pack(bias, at % bias_count, added);
    for (int k = 0; k < width; ++k) values[k] += added[k];
  }
};

/// Mean and inverse deviation of a row; in the simplified form (Zhang and Sennrich, arXiv
/// 1910.07467) the mean is taken as 0.
template <bool simplified, class C, class Layout, class Values>
__device__ inline Pair<C> row_normal(const Values& values, C epsilon) {
  const C count = C(Layout::columns);
  C mean = 0;
  if constexpr (!simplified) {
    mean = values.merged(
               C(0), [](C x, int) { return x; }, Plus()) /
           count;
  }
  const C squares = values.merged(
      C(0), [&](C x, int) { return (x - mean) * (x - mean); }, Plus());
  return {mean, C(1) / square_root(squares / count + epsilon)};
}

/// y = normalized x * scale + bias.
/// @param sums receives x before normalization; null: not stored
template <class C, class Layout, bool simplified, class Source, class Scale, class Bias, class Y,
          class M, class I, class Sum>
__device__ inline void normalize_rows(Source x, Scale scale, Bias bias, Y* y, M* means, I* inverses,
                                      Sum* sums, double epsilon) {
  const Layout row;
  const RowValues<C, Layout, Source> values(row, x);
  const Pair<C> normal = row_normal<simplified, C, Layout>(values, C(epsilon));
  row.for_each([&](auto count, int slot, int column) {
    constexpr int width = decltype(count)::value;
    C items[width];
    C factors[width];
    C shifts[width];
    values.get(slot, column, items);
    if (sums != nullptr) store_pack(sums, row.position(column), items);
    scale.get(column, factors);
    bias.get(column, shifts);
    for (int k = 0; k < width; ++k) {
      items[k] = (items[k] - normal.first) * normal.second * factors[k] + shifts[k];
    }
    store_pack(y, row.position(column), items);
  });
  if (!row.is_first()) return;
  if (means != nullptr) store(means, row.row, Compute<M>(normal.first));
  if (inverses != nullptr) store(inverses, row.row, Compute<I>(normal.second));
}

/// dx = (g - mean(g) - n * mean(g * n)) * inverse, where g = dy * scale and n is the normalized x.
/// The term mean(g) is left out if `simplified`.
template <class C, class Layout, bool simplified, class Dy, class X, class Scale, class M, class I,
          class Dx>
__device__ inline void normalize_rows_back(const Dy* dy, const X* x, Scale scale, const M* means,
                                           const I* inverses, Dx* dx) {
  const Layout row;
  const RowValues<C, Layout, Elements<Dy>> slopes(row, {dy});
  const RowValues<C, Layout, Elements<X>> values(row, {x});
  const Int64 own = row.has_row() ? row.row : 0;
  const C mean = simplified ? C(0) : C(load(means, own));
  const C inverse = C(load(inverses, own));
  const auto for_each = [&](auto body) {
    row.for_each([&](auto count, int slot, int column) {
      constexpr int width = decltype(count)::value;
      C g[width];
      C normalized[width];
      C factors[width];
      slopes.get(slot, column, g);
      values.get(slot, column, normalized);
      scale.get(column, factors);
      for (int k = 0; k < width; ++k) {
        g[k] *= factors[k];
        normalized[k] = (normalized[k] - mean) * inverse;
      }
      body(column, g, normalized);
    });
  };
  Pair<C> sums = {0, 0};
  for_each([&](int, const auto& g, const auto& normalized) {
    for (int k = 0; k < int(sizeof(g) / sizeof(C)); ++k) {
      if (!simplified) sums.first += g[k];
      sums.second += g[k] * normalized[k];
    }
  });
  sums = row.merge(sums, [](Pair<C> a, Pair<C> b) {
    return Pair<C>{a.first + b.first, a.second + b.second};
  });
  const C mean_slope = sums.first / C(Layout::columns);
  const C slope = sums.second / C(Layout::columns);
  for_each([&](int column, auto& g, const auto& normalized) {
    for (int k = 0; k < int(sizeof(g) / sizeof(C)); ++k) {
      g[k] = (g[k] - mean_slope - normalized[k] * slope) * inverse;
    }
    store_pack(dx, row.position(column), g);
  });
}

/// The contribution of each element to the gradients of scale and bias: a Source of
/// kernels/reduce.cuh. A pack never extends over two rows.
template <class C, bool simplified, Int64 columns, class Dy, class X, class M, class I>
struct AffineTerms {
  using Item = Pair<C>;
  const Dy* dy;
  const X* x;
  const M* means;
  const I* inverses;

  template <int step, int width>
  __device__ void get(Int64 at, Int64, Item (&items)[width]) const {
    C slopes[width];
    C values[width];
    load_pack(dy, at, slopes);
    load_pack(x, at, values);
    const C mean = simplified ? C(0) : C(load(means, at / columns));
    const C inverse = C(load(inverses, at / columns));
    for (int k = 0; k < width; ++k) {
      items[k] = {slopes[k] * ((values[k] - mean) * inverse), slopes[k]};
    }
  }
};
