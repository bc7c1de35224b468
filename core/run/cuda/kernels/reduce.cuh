// Reductions of dense tensors along any axes.
//
// A Source reads items from a tensor: `get<step>(position, result, items)` returns the items of
// `width` elements from `position` on. With step 0, all items belong to `result`; with step 1, item
// k belongs to `result` + k. A Reducer folds items into states and merges states, in an order that
// depends only on the shape. A Sink stores the states of adjacent results.

/// The elements of a tensor, converted to C.
template <class T, class C>
struct Items {
  using Item = C;
  const T* from;

  template <int step, int width>
  __device__ void get(Int64 at, Int64, C (&items)[width]) const {
    load_pack(from, at, items);
  }
};

struct Itself {
  template <class S>
  __device__ static S of(S x) {
    return x;
  }
};
struct Square {
  template <class S>
  __device__ static S of(S x) {
    return x * x;
  }
};
struct Absolute {
  template <class S>
  __device__ static S of(S x) {
    return x >= 0 ? x : -x;
  }
};

template <class S, class Term = Itself>
struct Adding {
  using State = S;
  __device__ static S neutral() { return S(0); }
  __device__ static S fold(S state, S item) { return state + Term::of(item); }
  __device__ static S merge(S a, S b) { return a + b; }
};

/// Adds pairs: computes two sums at once.
template <class S>
struct AddingPairs {
  using State = Pair<S>;
  __device__ static State neutral() { return {S(0), S(0)}; }
  __device__ static State fold(State state, State item) { return merge(state, item); }
  __device__ static State merge(State a, State b) {
    return {a.first + b.first, a.second + b.second};
  }
};

template <class C>
struct Multiplying {
  using State = C;
  __device__ static C neutral() { return C(1); }
  __device__ static C fold(C state, C item) { return C(state * item); }
  __device__ static C merge(C a, C b) { return C(a * b); }
};

/// The lowest and the greatest number of a type.
template <class C>
struct Limits {
  static constexpr bool is_signed = C(-1) < C(0);
  static constexpr C top_bit = C(C(1) << (8 * sizeof(C) - 1));
  __device__ static C least() { return is_signed ? top_bit : C(0); }
  __device__ static C greatest() { return is_signed ? C(~top_bit) : C(~C(0)); }
};
template <>
struct Limits<bool> {
  __device__ static bool least() { return false; }
  __device__ static bool greatest() { return true; }
};
template <>
struct Limits<float> {
  __device__ static float least() { return minus_infinity<float>(); }
  __device__ static float greatest() { return -minus_infinity<float>(); }
};
template <>
struct Limits<double> {
  __device__ static double least() { return minus_infinity<double>(); }
  __device__ static double greatest() { return -minus_infinity<double>(); }
};

/// If an operand is NaN, the result is NaN.
template <class C>
struct Maximum {
  using State = C;
  __device__ static C neutral() { return Limits<C>::least(); }
  __device__ static C fold(C state, C item) { return Greatest()(state, item); }
  __device__ static C merge(C a, C b) { return Greatest()(a, b); }
};
template <class C>
struct Minimum {
  using State = C;
  __device__ static C neutral() { return Limits<C>::greatest(); }
  __device__ static C fold(C state, C item) { return Least()(state, item); }
  __device__ static C merge(C a, C b) { return Least()(a, b); }
};

/// The greatest item so far, and the sum of exp(x - greatest), which does not overflow.
template <class S>
struct LogSumExp {
  using State = Pair<S>;
  __device__ static State neutral() { return {minus_infinity<S>(), S(0)}; }
  __device__ static State fold(State state, S item) {
    const bool is_finite = item - item == 0;
    return merge(state, {item, is_finite ? S(1) : exponential(item)});
  }
  __device__ static State merge(State a, State b) {
    const S next = Greatest()(a.first, b.first);
    return {next, moved(a, next) + moved(b, next)};
  }
  /// The number relative to which exponentials are summed: `greatest`, or 0 if it is infinite.
  __device__ static S base(S greatest) {
    const bool is_infinite = greatest == greatest && greatest - greatest != 0;
    return is_infinite ? S(0) : greatest;
  }

 private:
  __device__ static S moved(State x, S greatest) {
    return x.second == 0 ? S(0) : x.second * exponential(base(x.first) - base(greatest));
  }
};

/// Elements with their positions along an axis of `size` elements that lie `stride` apart. A NaN
/// after the first position gets position -1 and is ignored. A NaN in the first position keeps its
/// position and stays the extreme.
template <class T, Int64 size, Int64 stride>
struct PlacedItems {
  using Item = Pair<Compute<T>, Int64>;
  const T* from;

  template <int step, int width>
  __device__ void get(Int64 at, Int64, Item (&items)[width]) const {
    for (int k = 0; k < width; ++k) {
      const Int64 place = (at + k) / stride % size;
      const Compute<T> value = load(from, at + k);
      items[k] = {value, value == value || place == 0 ? place : -1};
    }
  }
};

struct Above {
  template <class C>
  __device__ static bool better(C a, C b) {
    return b < a;
  }
};
struct Below {
  template <class C>
  __device__ static bool better(C a, C b) {
    return a < b;
  }
};

/// The first (or last) extreme so far and its position; position -1: no element so far.
template <class C, class Order, bool last>
struct Extreme {
  using State = Pair<C, Int64>;
  __device__ static State neutral() { return {C(0), -1}; }
  __device__ static State fold(State state, State item) { return merge(state, item); }
  __device__ static State merge(State a, State b) {
    if (b.second < 0 || a.first != a.first) return a;
    if (a.second < 0 || b.first != b.first) return b;
    if (Order::better(a.first, b.first)) return a;
    if (Order::better(b.first, a.first)) return b;
    return last == (b.second < a.second) ? a : b;
  }
};

/// A Reducer whose items are states of another Reducer.
template <class Reducer>
struct Merging {
  using State = typename Reducer::State;
  __device__ static State neutral() { return Reducer::neutral(); }
  __device__ static State fold(State state, State item) { return Reducer::merge(state, item); }
  __device__ static State merge(State a, State b) { return Reducer::merge(a, b); }
};

struct Unchanged {
  template <class S>
  __device__ static S of(S state) {
    return state;
  }
};
template <Int64 count>
struct Mean {
  template <class S>
  __device__ static S of(S sum) {
    constexpr bool is_integer = S(0.5) == S(0);
    if constexpr (is_integer && count == 0) return S(0);
    return sum / S(count);
  }
};
struct Root {
  template <class S>
  __device__ static S of(S sum) {
    return S(sqrt(sum));
  }
  __device__ static float of(float sum) { return sqrtf(sum); }
  __device__ static Int64 of(Int64 sum) { return Int64(sqrt(double(sum))); }
  __device__ static UInt64 of(UInt64 sum) { return UInt64(sqrt(double(sum))); }
};
struct Logarithm {
  template <class S>
  __device__ static S of(S sum) {
    return S(log(double(sum)));
  }
  __device__ static float of(float sum) { return logf(sum); }
};
struct LogOfSum {
  template <class S>
  __device__ static S of(Pair<S> state) {
    return logarithm(state.second) + LogSumExp<S>::base(state.first);
  }
};
struct Place {
  template <class C>
  __device__ static Int64 of(Pair<C, Int64> state) {
    return state.second < 0 ? 0 : state.second;
  }
};

/// Stores states as elements of a tensor.
template <class T, class Finish = Unchanged>
struct Results {
  T* to;

  template <class S, int width>
  __device__ void put(Int64 at, const S (&states)[width]) const {
    Compute<T> values[width];
    for (int k = 0; k < width; ++k) values[k] = Compute<T>(Finish::of(states[k]));
    store_pack(to, at, values);
  }
};

/// Stores the two parts of each state in two tensors, and the whole state in `pairs`; ignores null
/// pointers.
template <class A, class B, class S = float>
struct PairResults {
  A* first;
  B* second;
  Pair<S>* pairs = nullptr;

  template <int width>
  __device__ void put(Int64 at, const Pair<S> (&states)[width]) const {
    for (int k = 0; k < width; ++k) {
      if (first != nullptr) store(first, at + k, Compute<A>(states[k].first));
      if (second != nullptr) store(second, at + k, Compute<B>(states[k].second));
      if (pairs != nullptr) pairs[at + k] = states[k];
    }
  }
};

/// The shape of a reduction in which the items of a result are adjacent: runs of `inner` items, one
/// run at each of `outer` places along OuterWalk. There are `kept` results. `threads` threads of a
/// block work on one result; `lanes` of these threads work on one run.
template <int result_count, class KeptPlaces, int outer_count, class OuterPlaces, Int64 inner_count,
          int block_size, int thread_count, int lane_count, int access_width, int outer_chunk_size,
          Int64 inner_chunk_size, bool runs_are_even>
struct RowReduction {
  using KeptWalk = KeptPlaces;
  using OuterWalk = OuterPlaces;
  static constexpr int kept = result_count;
  static constexpr int outer = outer_count;
  static constexpr Int64 inner = inner_count;
  static constexpr int rows_of_block = block_size / thread_count;
  static constexpr Int64 row_blocks = (kept + rows_of_block - 1) / rows_of_block;
  static constexpr int threads = thread_count;
  static constexpr int lanes = lane_count;
  static constexpr int width = access_width;
  /// Size of a slice of the items. Several blocks may share a result; each block works on one
  /// slice.
  static constexpr int outer_chunk = outer_chunk_size;
  static constexpr Int64 inner_chunk = inner_chunk_size;
  static constexpr int inner_slices = inner == 0 ? 1 : int((inner + inner_chunk - 1) / inner_chunk);
  /// Whether a lane has at most one access per run and no access crosses the end of a run.
  static constexpr bool has_short_runs = runs_are_even && inner_chunk <= lanes * width;
};

template <int width, class Reducer, class Source, int count>
__device__ inline void fold_at(Source source, Int64 at, int row,
                               typename Reducer::State (&states)[count]) {
  typename Source::Item items[width];
  source.template get<0>(at, row, items);
  for (int k = 0; k < width; ++k) states[k] = Reducer::fold(states[k], items[k]);
}

template <class Shape, class Reducer, class Source>
__device__ inline typename Reducer::State reduced_slice(Source source, int row, int slice) {
  typename Reducer::State states[Shape::width];
  for (auto& state : states) state = Reducer::neutral();
  const int lane = int(threadIdx.x) % Shape::lanes;
  const int first = slice / Shape::inner_slices * Shape::outer_chunk;
  const int last =
      first + Shape::outer_chunk < Shape::outer ? first + Shape::outer_chunk : Shape::outer;
  const Int64 begin = slice % Shape::inner_slices * Shape::inner_chunk;
  const Int64 left = Shape::inner - begin;
  const Int64 count = left < Shape::inner_chunk ? left : Shape::inner_chunk;
  const Int64 start = Shape::KeptWalk::offset(row) + begin;
  const int group = int(threadIdx.x) % Shape::threads / Shape::lanes;
  constexpr int step = Shape::threads / Shape::lanes;
  if constexpr (Shape::has_short_runs) {
    const int mine = lane * Shape::width;
    const int end = mine < count ? last : first;
#pragma unroll 4
    for (int i = first + group; i < end; i += step) {
      fold_at<Shape::width, Reducer>(source, start + Shape::OuterWalk::offset(i) + mine, row,
                                     states);
    }
  } else {
    for (int i = first + group; i < last; i += step) {
      const Int64 at = start + Shape::OuterWalk::offset(i);
      for_each_pack<Shape::lanes, Shape::width>(at, count, lane, [&](auto size, Int64 position) {
        fold_at<decltype(size)::value, Reducer>(source, at + position, row, states);
      });
    }
  }
  for (int k = 1; k < Shape::width; ++k) states[0] = Reducer::merge(states[0], states[k]);
  return states[0];
}

template <class Shape, class Reducer, class Source, class Sink>
__device__ inline void reduce_rows(Source source, Sink sink) {
  const int slice = int(blockIdx.x / Shape::row_blocks);
  const Int64 row =
      blockIdx.x % Shape::row_blocks * Shape::rows_of_block + int(threadIdx.x) / Shape::threads;
  typename Reducer::State state = Reducer::neutral();
  if (row < Shape::kept) state = reduced_slice<Shape, Reducer>(source, int(row), slice);
  const typename Reducer::State result[1] = {
      group_merge<Shape::threads>(state, [](auto a, auto b) { return Reducer::merge(a, b); })};
  if (row < Shape::kept && int(threadIdx.x) % Shape::threads == 0) {
    sink.put(Int64(slice) * Shape::kept + row, result);
  }
}

/// The shape of a reduction in which results are adjacent: `columns` results at each of `outer`
/// places; each result has `items` items. `lanes` threads of a block work on neighbouring columns;
/// groups of `lanes` threads take turns along the items.
template <int outer_count, class KeptPlaces, int column_count, int item_count, class ItemPlaces,
          int thread_count, int lane_count, int access_width, int chunk_size>
struct ColumnReduction {
  using KeptWalk = KeptPlaces;
  using ItemWalk = ItemPlaces;
  static constexpr int outer = outer_count;
  static constexpr int columns = column_count;
  static constexpr int items = item_count;
  static constexpr int threads = thread_count;
  static constexpr int lanes = lane_count;
  static constexpr int width = access_width;
  /// Size of a slice of the items. Several blocks may share a result; each block works on one
  /// slice.
  static constexpr int chunk = chunk_size;
  static constexpr int tiles = (columns + lanes * width - 1) / (lanes * width);
};

/// Merges the states of all groups of threads into the states of the first group.
template <class Shape, class Reducer>
__device__ inline void merge_groups(typename Reducer::State (&states)[Shape::width]) {
  __shared__ typename Reducer::State of_threads[Shape::threads * Shape::width];
  const int thread = int(threadIdx.x);
  for (int half = Shape::threads / 2; half >= Shape::lanes; half /= 2) {
    if (thread >= half && thread < 2 * half) {
      for (int k = 0; k < Shape::width; ++k) of_threads[k * Shape::threads + thread] = states[k];
    }
    __syncthreads();
    if (thread < half) {
      for (int k = 0; k < Shape::width; ++k) {
        states[k] = Reducer::merge(states[k], of_threads[k * Shape::threads + thread + half]);
      }
    }
  }
}

template <class Shape, class Reducer, class Source, class Sink>
__device__ inline void reduce_columns(Source source, Sink sink) {
  constexpr int width = Shape::width;
  const int outer = int(blockIdx.x / Shape::tiles) % Shape::outer;
  const int slice = int(blockIdx.x / Shape::tiles) / Shape::outer;
  const int column =
      (int(blockIdx.x % Shape::tiles) * Shape::lanes + int(threadIdx.x) % Shape::lanes) * width;
  const int last =
      (slice + 1) * Shape::chunk < Shape::items ? (slice + 1) * Shape::chunk : Shape::items;
  const Int64 result = Int64(outer) * Shape::columns + column;
  typename Reducer::State states[width];
  for (auto& state : states) state = Reducer::neutral();
  if (column < Shape::columns) {
    const Int64 start = Shape::KeptWalk::offset(outer) + column;
    const int first = slice * Shape::chunk + int(threadIdx.x) / Shape::lanes;
#pragma unroll 4
    for (int i = first; i < last; i += Shape::threads / Shape::lanes) {
      typename Source::Item items[width];
      source.template get<1>(start + Shape::ItemWalk::offset(i), result, items);
      for (int k = 0; k < width; ++k) states[k] = Reducer::fold(states[k], items[k]);
    }
  }
  if constexpr (Shape::lanes < Shape::threads) merge_groups<Shape, Reducer>(states);
  if (int(threadIdx.x) < Shape::lanes && column < Shape::columns) {
    sink.put(Int64(slice) * Shape::outer * Shape::columns + result, states);
  }
}
