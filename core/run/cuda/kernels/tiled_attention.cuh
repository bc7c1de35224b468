// Attention in tiles. A block works on some rows of queries and takes the keys a tile at a time;
// the softmax of a row is updated with each tile. (Dao et al., FlashAttention, arXiv 2205.14135 and
// 2307.08691)

/// The number of threads of a block; equal to `attention_threads` in attention/attention_plan.h.
constexpr int attention_threads = 16 * 16;

/// A tensor as one matrix for each entry: for each position in the result's leading axes. `Entries`
/// is a Walk from an entry to the offset of its matrix.
template <class T, class Entries, int row_count, int column_count, Int64 row_stride,
          Int64 column_stride>
struct Matrices {
  static constexpr int rows = row_count;
  static constexpr int columns = column_count;
  T* data;

  __device__ Int64 place(Int64 entry, int row, int column) const {
    return Entries::offset(entry) + row * row_stride + column * column_stride;
  }
  template <class C>
  __device__ C get(Int64 entry, int row, int column) const {
    return C(load(data, place(entry, row, column)));
  }
  template <class C>
  __device__ void put(Int64 entry, int row, int column, C value) const {
    store(data, place(entry, row, column), Compute<T>(value));
  }
  /// Whether neighbouring threads should take neighbouring columns: always, unless only
  /// neighbouring rows are neighbours in memory.
  static constexpr bool runs_along_columns = column_stride == 1 || row_stride != 1;
};

/// The sizes of a problem and of its tiles; the sizes of tiles are multiples of 16. Thread (y, x)
/// has the scores in rows y, y + 16, ... and keys x, x + 16, ... of a tile. `ScoreEntries` is a
/// Walk from an entry of the result to the entry of its scores.
template <class Computed, int row_count, int key_count, int row_tile_size, int key_tile_size,
          class ScoreEntries>
struct AttentionShape {
  using C = Computed;
  static constexpr int rows = row_count;
  static constexpr int keys = key_count;
  static constexpr int row_tile = row_tile_size;
  static constexpr int key_tile = key_tile_size;
  static constexpr int row_tiles = (rows + row_tile - 1) / row_tile;
  static constexpr int key_tiles = (keys + key_tile - 1) / key_tile;
  static constexpr int thread_rows = row_tile / 16;
  static constexpr int thread_keys = key_tile / 16;
  using Scores = C[thread_rows][thread_keys];

  __device__ static ScorePlace place(Int64 entry, int first_row, int first_key, int i, int j) {
    return {ScoreEntries::offset(entry), first_row + int(threadIdx.x) / 16 + 16 * i,
            first_key + int(threadIdx.x) % 16 + 16 * j};
  }
  __device__ static bool has(const ScorePlace& at) { return at.row < rows && at.key < keys; }
  /// Calls `body(place, i, j)` for each score of this thread in a tile, row by row. Places may be
  /// outside of the matrix.
  template <class Body>
  __device__ static void for_each(Int64 entry, int first_row, int first_key, const Body& body) {
#pragma unroll
    for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
      for (int j = 0; j < thread_keys; ++j) body(place(entry, first_row, first_key, i, j), i, j);
    }
  }
};

/// Columns of a tile that are in shared memory at once.
constexpr int tile_depth = 16;

/// The shared memory of a block that accumulates `width` columns.
template <class Shape, int width>
struct AttentionTiles {
  using C = typename Shape::C;
  C left[tile_depth][Shape::row_tile + 1];
  C right[tile_depth][Shape::key_tile + 1];
  C weights[Shape::row_tile][Shape::key_tile + 1];
  C columns[tile_depth][width];
};

/// Calls `take(i, j, element)` for each place of a box of rows and columns. The places are divided
/// among the threads of the block. At a place outside of the matrix, `element` is 0.
template <int rows, int columns, class C, class Matrix, class Take>
__device__ inline void read_box(const Matrix& from, Int64 entry, int first_row, int first_column,
                                const Take& take) {
  for (int n = int(threadIdx.x); n < rows * columns; n += attention_threads) {
    const int i = Matrix::runs_along_columns ? n / columns : n % rows;
    const int j = Matrix::runs_along_columns ? n % columns : n / rows;
    const int row = first_row + i;
    const int column = first_column + j;
    const bool is_there = row < Matrix::rows && column < Matrix::columns;
    take(i, j, is_there ? from.template get<C>(entry, row, column) : C(0));
  }
}

/// Loads a part of `tile` rows and `tile_depth` columns, transposed.
template <int tile, class C, class Matrices>
__device__ inline void load_tile(const Matrices& from, Int64 entry, int first_row, int first_column,
                                 C (&cells)[tile_depth][tile + 1]) {
  read_box<tile, tile_depth, C>(from, entry, first_row, first_column,
                                [&](int i, int j, C element) { cells[j][i] = element; });
}

/// Computes the dot products of rows of `left` with rows of `right`. All threads of the block must
/// call this function.
template <class Shape, class Tiles, class Left, class Right>
__device__ inline void multiply_tile(const Left& left, const Right& right, Int64 entry,
                                     int first_row, int first_key, Tiles& tiles,
                                     typename Shape::Scores& products) {
  using C = typename Shape::C;
  const int y = int(threadIdx.x) / 16;
  const int x = int(threadIdx.x) % 16;
  for (auto& row : products) {
    for (C& each : row) each = C(0);
  }
  for (int column = 0; column < Left::columns; column += tile_depth) {
    __syncthreads();
    load_tile<Shape::row_tile>(left, entry, first_row, column, tiles.left);
    load_tile<Shape::key_tile>(right, entry, first_key, column, tiles.right);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < tile_depth; ++k) {
#pragma unroll
      for (int i = 0; i < Shape::thread_rows; ++i) {
#pragma unroll
        for (int j = 0; j < Shape::thread_keys; ++j) {
          products[i][j] += tiles.left[k][y + 16 * i] * tiles.right[k][x + 16 * j];
        }
      }
    }
  }
}

/// Whether `says_yes` is true in any thread of the block. All threads of the block must call this
/// function.
__device__ inline bool any_thread(bool says_yes) {
  __shared__ int answer;
  __syncthreads();
  if (threadIdx.x == 0) answer = 0;
  __syncthreads();
  if (says_yes) answer = 1;
  __syncthreads();
  return answer != 0;
}

/// sums += weights * matrix, or the transposed weights * matrix, for `width` columns. Thread (y, x)
/// has rows y, y + 16, ... and columns x, x + 16, ... of the sums. All threads of the block must
/// call this function.
/// @param first_row the row of the matrix that belongs to the first weight
/// @param adds_nothing whether all weights are 0; then only infinite elements and NaN change the
/// sums
template <bool transposes, class Shape, int width, class Matrix, class C, int thread_rows,
          int thread_columns>
__device__ inline void add_weighted(const Matrix& from, Int64 entry, int first_row,
                                    int first_column, bool adds_nothing,
                                    AttentionTiles<Shape, width>& tiles,
                                    C (&sums)[thread_rows][thread_columns]) {
  constexpr int count = transposes ? Shape::row_tile : Shape::key_tile;
  const int y = int(threadIdx.x) / 16;
  const int x = int(threadIdx.x) % 16;
  for (int first = 0; first < count; first += tile_depth) {
    bool is_finite = true;
    __syncthreads();
    read_box<tile_depth, width, C>(from, entry, first_row + first, first_column,
                                   [&](int i, int j, C element) {
                                     is_finite = is_finite && element - element == 0;
                                     tiles.columns[i][j] = element;
                                   });
    __syncthreads();
    if (adds_nothing && !any_thread(!is_finite)) continue;
#pragma unroll 4
    for (int k = 0; k < tile_depth; ++k) {
#pragma unroll
      for (int i = 0; i < thread_rows; ++i) {
        const C weight = transposes ? tiles.weights[first + k][y + 16 * i]
                                    : tiles.weights[y + 16 * i][first + k];
#pragma unroll
        for (int j = 0; j < thread_columns; ++j)
          sums[i][j] += weight * tiles.columns[k][x + 16 * j];
      }
    }
  }
}

/// Stores the sums of add_weighted.
template <class Matrix, class C, int thread_rows, int thread_columns>
__device__ inline void store_tile(const Matrix& to, Int64 entry, int first_row, int first_column,
                                  const C (&sums)[thread_rows][thread_columns]) {
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
    const int row = first_row + int(threadIdx.x) / 16 + 16 * i;
#pragma unroll
    for (int j = 0; j < thread_columns; ++j) {
      const int column = first_column + int(threadIdx.x) % 16 + 16 * j;
      if (row < Matrix::rows && column < Matrix::columns) to.put(entry, row, column, sums[i][j]);
    }
  }
}

/// Whether all weights of a tile are 0. Returns false without a test if no step may hide keys.
/// @param any whether a weight of this thread is not 0
template <class Steps>
__device__ inline bool hides_all(bool any) {
  if constexpr (!Steps::may_hide) return false;
  return !any_thread(any);
}

/// Whether a score of the tile depends on its product.
template <class Shape, class Steps>
__device__ inline bool needs_products(const Steps& steps, Int64 entry, int first_row,
                                      int first_key) {
  if constexpr (!Steps::may_replace) return true;
  bool needs = false;
  Shape::for_each(entry, first_row, first_key, [&](const ScorePlace& at, int, int) {
    needs = needs || (Shape::has(at) && !steps.replaces(at));
  });
  return any_thread(needs);
}

/// The part of a problem on which a block works: a matrix, some of its rows and some columns.
template <int row_tile, int row_tiles, int width, int slices>
struct TileOfBlock {
  int first_column = int(blockIdx.x % slices) * width;
  int first_row = int(blockIdx.x / slices % row_tiles) * row_tile;
  Int64 matrix = Int64(blockIdx.x / slices / row_tiles);
};

template <class Shape, int width>
struct OnlineSoftmax {
  using C = typename Shape::C;
  C greatest[Shape::thread_rows];
  C sums[Shape::thread_rows];
  C weighted[Shape::thread_rows][width / 16] = {};

  __device__ OnlineSoftmax() {
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) {
      greatest[i] = minus_infinity<C>();
      sums[i] = C(0);
    }
  }

  /// Turns the scores of row i into weights relative to the greatest score so far, and scales the
  /// earlier sums to this score. 16 threads each have a part of the row. A row whose scores are all
  /// minus infinity so far has the weights 0, not NaN.
  __device__ void take_row(int i, C (&scores)[Shape::thread_keys]) {
    C own = minus_infinity<C>();
    for (const C score : scores) own = KeepGreater()(own, score);
    own = group_merge<16>(own, KeepGreater());
    const C before = greatest[i];
    greatest[i] = KeepGreater()(before, own);
    const C shift = greatest[i] == minus_infinity<C>() ? C(0) : greatest[i];
    const C factor = before == greatest[i] ? C(1) : exponential(before - shift);
    C added = C(0);
    for (C& score : scores) {
      score = exponential(score - shift);
      added += score;
    }
    sums[i] = sums[i] * factor + group_merge<16>(added, Plus());
    for (C& each : weighted[i]) each *= factor;
  }
};

/// Computes the result and, unless `log_sums.data` is null, the logarithm of each row's sum of
/// exponentials. A row whose scores are all minus infinity becomes NaN, as in Softmax; without
/// keys, all rows are 0.
/// @tparam Repeats a Walk from an entry of the result to a number, which is 0 only for the first of
/// the entries that share the same scores
template <class Shape, int width, class Repeats, class Q, class K, class V, class Y, class Sums,
          class Steps, class Dropout>
__device__ inline void attend(Q queries, K keys, V values, Y result, Sums log_sums, Steps steps,
                              Dropout dropout) {
  using C = typename Shape::C;
  __shared__ AttentionTiles<Shape, width> tiles;
  constexpr int slices = V::columns == 0 ? 1 : (V::columns + width - 1) / width;
  const TileOfBlock<Shape::row_tile, Shape::row_tiles, width, slices> mine;
  const Int64 entry = mine.matrix;
  OnlineSoftmax<Shape, width> softmax;
  for (int first_key = 0; first_key < Shape::keys; first_key += Shape::key_tile) {
    typename Shape::Scores scores = {};
    if (needs_products<Shape>(steps, entry, mine.first_row, first_key)) {
      multiply_tile<Shape>(queries, keys, entry, mine.first_row, first_key, tiles, scores);
    }
    __syncthreads();
    Shape::for_each(entry, mine.first_row, first_key, [&](const ScorePlace& at, int i, int j) {
      scores[i][j] = Shape::has(at) ? steps.apply(scores[i][j], at) : minus_infinity<C>();
    });
#pragma unroll
    for (int i = 0; i < Shape::thread_rows; ++i) softmax.take_row(i, scores[i]);
    bool any = false;
    Shape::for_each(entry, mine.first_row, first_key, [&](const ScorePlace& at, int i, int j) {
      const C weight = Shape::has(at) ? scores[i][j] * dropout.template factor<C>(at) : C(0);
      tiles.weights[at.row - mine.first_row][at.key - first_key] = weight;
      any = any || weight != 0;
    });
    const bool adds_nothing = hides_all<Steps>(any);
    add_weighted<false>(values, entry, first_key, mine.first_column, adds_nothing, tiles,
                        softmax.weighted);
  }
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const C factor = Shape::keys == 0 ? C(0) : 1 / softmax.sums[i];
    for (C& each : softmax.weighted[i]) each *= factor;
    const int row = Shape::place(entry, mine.first_row, 0, i, 0).row;
    const bool stores_sum = log_sums.data != nullptr && mine.first_column == 0 &&
                            threadIdx.x % 16 == 0 && row < Shape::rows &&
                            Repeats::offset(entry) == 0;
    if (stores_sum) log_sums.put(entry, row, 0, softmax.greatest[i] + logarithm(softmax.sums[i]));
  }
  store_tile(result, entry, mine.first_row, mine.first_column, softmax.weighted);
}
