// Softmax, its logarithm and their gradients, row by row. Every thread reads its part of a row
// before it writes there, so results may overwrite operands.

/// Replaces the elements of a kept row by exp(x - greatest) and returns their sum. Computes each
/// exponential once.
template <class C, class Layout, class Values>
__device__ inline C raise(const Layout& row, Values& values) {
  const C greatest = values.merged(
      minus_infinity<C>(), [](C x, int) { return x; }, Greatest());
  C sum = 0;
  row.for_each([&](auto count, int slot, int) {
    for (int k = 0; k < decltype(count)::value; ++k) {
      values.kept[slot][k] = exponential(values.kept[slot][k] - greatest);
      sum += values.kept[slot][k];
    }
  });
  return row.merge(sum, Plus());
}

/// y = exp(x - greatest) / sum
template <class T, class Layout, class Source>
__device__ inline void softmax_rows(Source x, T* y) {
  using C = Compute<T>;
  const Layout row;
  RowValues<C, Layout, Source> values(row, x);
  SoftmaxScale<C> scale = {0, 0};
  if constexpr (Layout::kept) scale.sum = raise<C>(row, values);
  if constexpr (!Layout::kept) scale = streamed_scale<C>(row, values);
  const C factor = C(1) / scale.sum;
  row.for_each([&](auto count, int slot, int column) {
    constexpr int width = decltype(count)::value;
    C items[width];
    values.get(slot, column, items);
    for (int k = 0; k < width; ++k) {
      const C power = Layout::kept ? items[k] : exponential(items[k] - scale.greatest);
      items[k] = power * factor;
    }
    store_pack(y, row.position(column), items);
  });
}

/// y = x - greatest - log(sum)
template <class T, class Layout, class Source>
__device__ inline void log_softmax_rows(Source x, T* y) {
  using C = Compute<T>;
  const Layout row;
  const RowValues<C, Layout, Source> values(row, x);
  const SoftmaxScale<C> scale = softmax_scale<C>(row, values);
  const C log_sum = logarithm(scale.sum);
  row.for_each([&](auto count, int slot, int column) {
    constexpr int width = decltype(count)::value;
    C items[width];
    values.get(slot, column, items);
    for (int k = 0; k < width; ++k) items[k] = items[k] - scale.greatest - log_sum;
    store_pack(y, row.position(column), items);
  });
}

/// Computes dx of an element from dy, y and the sum of the row's terms.
struct SoftmaxSlope {
  template <class C>
  __device__ static C term(C dy, C y) {
    return dy * y;
  }
  template <class C>
  __device__ static C result(C dy, C y, C sum) {
    return y * (dy - sum);
  }
};
struct LogSoftmaxSlope {
  template <class C>
  __device__ static C term(C dy, C) {
    return dy;
  }
  template <class C>
  __device__ static C result(C dy, C y, C sum) {
    return dy - exponential(y) * sum;
  }
};

template <class Slope, class Layout, class T>
__device__ inline void softmax_gradient_rows(const T* dy, const T* y, T* dx) {
  using C = Compute<T>;
  const Layout row;
  const RowValues<C, Layout, Elements<T>> slopes(row, {dy});
  const RowValues<C, Layout, Elements<T>> results(row, {y});
  C sum = 0;
  row.for_each([&](auto count, int slot, int column) {
    C of_dy[decltype(count)::value];
    C of_y[decltype(count)::value];
    slopes.get(slot, column, of_dy);
    results.get(slot, column, of_y);
    for (int k = 0; k < decltype(count)::value; ++k) sum += Slope::term(of_dy[k], of_y[k]);
  });
  sum = row.merge(sum, Plus());
  row.for_each([&](auto count, int slot, int column) {
    C of_dy[decltype(count)::value];
    C of_y[decltype(count)::value];
    slopes.get(slot, column, of_dy);
    results.get(slot, column, of_y);
    for (int k = 0; k < decltype(count)::value; ++k) {
      of_dy[k] = Slope::result(of_dy[k], of_y[k], sum);
    }
    store_pack(dx, row.position(column), of_dy);
  });
}

/// data + bias, rounded as if the sum were stored. `Walk` maps a position of the data to an element
/// of the bias; along the innermost axis, the elements of the bias lie `step` (0 or 1) apart.
template <class T, class Walk, int step>
struct BiasedElements {
  const T* data;
  const T* bias;

  template <class C, int width>
  __device__ void get(Int64 at, C (&values)[width]) const {
    C added[step == 0 ? 1 : width];
    load_pack(bias, Walk::offset(at), added);
    load_pack(data, at, values);
    for (int k = 0; k < width; ++k) values[k] = rounded<T>(values[k] + added[k * step]);
  }
};
