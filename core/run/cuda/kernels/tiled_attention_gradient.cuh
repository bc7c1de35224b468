// The gradient of attention in tiles, which computes the scores again. (Dao et al.,
// FlashAttention, arXiv 2205.14135, Algorithm 4) Each block computes a tile of one gradient: it
// adds up the terms of all scores on which the tile depends, always in the same order.

/// Computes the dot product of each row of dY with the same row of Y. A warp works on one row.
/// @param means [entries, rows]
template <class C, Int64 entries, class Upstream, class Result>
__device__ inline void attention_means(Upstream upstream, Result result, C* means) {
  const Int64 at = thread_index() / 32;
  const int lane = int(threadIdx.x) % 32;
  const Int64 entry = at / Result::rows;
  const int row = int(at % Result::rows);
  double sum = 0;
  for (int i = lane; entry < entries && i < Result::columns; i += 32) {
    sum +=
        upstream.template get<double>(entry, row, i) * result.template get<double>(entry, row, i);
  }
  sum = group_merge<32>(sum, Plus());
  if (entry < entries && lane == 0) means[at] = C(sum);
}

/// The groups of entries that share a matrix or a sum; each group has `count` entries. `Kept` is a
/// Walk from the index of a group to its first entry. `Summed` is a Walk from the index of an entry
/// within its group to its distance from the first entry.
template <class Kept, class Summed, Int64 shared_count>
struct SharedEntries {
  static constexpr Int64 count = shared_count;
  __device__ static Int64 entry(Int64 matrix, Int64 index) {
    return Kept::offset(matrix) + Summed::offset(index);
  }
};

/// The operands from which weights and gradients of scores are computed.
template <class Shape, class Q, class K, class V, class Upstream, class Sums, class Steps,
          class Dropout>
struct ScoreGradients {
  using C = typename Shape::C;
  Q queries;
  K keys;
  V values;
  Upstream upstream;
  Sums log_sums;
  const C* means;
  Steps steps;
  Dropout dropout;

  /// Fills `tiles.weights` with the weights of a tile, with their dropout; places outside of the
  /// scores get 0. Returns whether all weights are known to be 0.
  template <class Tiles>
  __device__ bool fill_weights(Int64 entry, int first_row, int first_key, Tiles& tiles) const {
    typename Shape::Scores products = {};
    if (needs_products<Shape>(steps, entry, first_row, first_key)) {
      multiply_tile<Shape>(queries, keys, entry, first_row, first_key, tiles, products);
    }
    __syncthreads();
    bool any = false;
    Shape::for_each(entry, first_row, first_key, [&](const ScorePlace& at, int i, int j) {
      C weight = C(0);
      if (Shape::has(at)) {
        const C shift = log_sums.template get<C>(entry, at.row, 0);
        weight =
            exponential(steps.apply(products[i][j], at) - shift) * dropout.template factor<C>(at);
      }
      tiles.weights[at.row - first_row][at.key - first_key] = weight;
      any = any || weight != 0;
    });
    return hides_all<Steps>(any);
  }

  /// Fills `tiles.weights` with the gradients of the products of a tile; places outside of the
  /// scores get 0. Returns whether all gradients are known to be 0.
  template <class Tiles>
  __device__ bool fill_gradients(Int64 entry, int first_row, int first_key, Tiles& tiles) const {
    const bool needs = needs_products<Shape>(steps, entry, first_row, first_key);
    bool any = false;
    for_each_gradient<-1>(entry, first_row, first_key, needs, tiles,
                          [&](const ScorePlace& at, int, int, C gradient, C) {
                            tiles.weights[at.row - first_row][at.key - first_key] = gradient;
                            any = any || gradient != 0;
                          });
    return hides_all<Steps>(any);
  }

  /// Calls `take(place, i, j, gradient of the product, gradient of the operand of step `wanted`)`
  /// for each score of this thread.
  /// @param needs false: no score of the tile depends on its product, so no product is computed
  template <int wanted, class Tiles, class Take>
  __device__ void for_each_gradient(Int64 entry, int first_row, int first_key, bool needs,
                                    Tiles& tiles, const Take& take) const {
    typename Shape::Scores products = {};
    typename Shape::Scores slopes = {};
    if (needs) {
      multiply_tile<Shape>(queries, keys, entry, first_row, first_key, tiles, products);
      multiply_tile<Shape>(upstream, values, entry, first_row, first_key, tiles, slopes);
    }
    __syncthreads();
    Shape::for_each(entry, first_row, first_key, [&](const ScorePlace& at, int i, int j) {
      C term = C(0);
      C gradient = C(0);
      if (Shape::has(at)) {
        const C shift = log_sums.template get<C>(entry, at.row, 0);
        const C mean = means[entry * Shape::rows + at.row];
        const C slope = slopes[i][j] * dropout.template factor<C>(at);
        const auto down = [&](C score) { return exponential(score - shift) * (slope - mean); };
        gradient = steps.template slope<wanted>(products[i][j], at, down, term);
      }
      take(at, i, j, gradient, term);
    });
  }
};

template <class Shape, class Q, class K, class V, class Upstream, class Sums, class Steps,
          class Dropout>
__device__ inline ScoreGradients<Shape, Q, K, V, Upstream, Sums, Steps, Dropout> score_gradients(
    Q queries, K keys, V values, Upstream upstream, Sums log_sums, const typename Shape::C* means,
    Steps steps, Dropout dropout) {
  return {queries, keys, values, upstream, log_sums, means, steps, dropout};
}

/// Computes the gradient of the queries.
template <class Shape, int width, class Shared, class Operands, class Target>
__device__ inline void query_gradients(Operands operands, Target target) {
  using C = typename Shape::C;
  __shared__ AttentionTiles<Shape, width> tiles;
  constexpr int slices = (Target::columns + width - 1) / width;
  const TileOfBlock<Shape::row_tile, Shape::row_tiles, width, slices> mine;
  C sums[Shape::thread_rows][width / 16] = {};
  for (Int64 index = 0; index < Shared::count; ++index) {
    const Int64 entry = Shared::entry(mine.matrix, index);
    for (int first_key = 0; first_key < Shape::keys; first_key += Shape::key_tile) {
      const bool adds_nothing = operands.fill_gradients(entry, mine.first_row, first_key, tiles);
      add_weighted<false>(operands.keys, entry, first_key, mine.first_column, adds_nothing, tiles,
                          sums);
    }
  }
  store_tile(target, Shared::entry(mine.matrix, 0), mine.first_row, mine.first_column, sums);
}

/// Computes the gradient of the keys, or (`of_values`) of the values.
template <bool of_values, class Shape, int width, class Shared, class Operands, class Target>
__device__ inline void key_gradients(Operands operands, Target target) {
  using C = typename Shape::C;
  __shared__ AttentionTiles<Shape, width> tiles;
  constexpr int slices = (Target::columns + width - 1) / width;
  const TileOfBlock<Shape::key_tile, Shape::key_tiles, width, slices> mine;
  C sums[Shape::thread_keys][width / 16] = {};
  for (Int64 index = 0; index < Shared::count; ++index) {
    const Int64 entry = Shared::entry(mine.matrix, index);
    for (int first_row = 0; first_row < Shape::rows; first_row += Shape::row_tile) {
      if constexpr (of_values) {
        const bool adds_nothing = operands.fill_weights(entry, first_row, mine.first_row, tiles);
        add_weighted<true>(operands.upstream, entry, first_row, mine.first_column, adds_nothing,
                           tiles, sums);
      } else {
        const bool adds_nothing = operands.fill_gradients(entry, first_row, mine.first_row, tiles);
        add_weighted<true>(operands.queries, entry, first_row, mine.first_column, adds_nothing,
                           tiles, sums);
      }
    }
  }
  store_tile(target, Shared::entry(mine.matrix, 0), mine.first_row, mine.first_column, sums);
}

/// How the gradient of a step's operand is added up. A slot is a part of the operand: one entry of
/// its leading axes and, if the operand has rows (keys), one tile of them. An item is a tile of
/// scores whose terms go to the slot. The items of a slot differ in the entry of the scores, in the
/// entry of the result and, if the operand has no rows (keys), in the tile of rows (keys). `splits`
/// blocks take turns on the items of a slot. All sums are stored once for each split, as `elements`
/// numbers, one for each element of the operand.
template <int step_number, bool has_rows, bool has_keys, class SharedScores, class SharedResults,
          int split_count, Int64 element_count>
struct StepSums {
  static constexpr int wanted = step_number;
  static constexpr bool by_row = has_rows;
  static constexpr bool by_key = has_keys;
  using Scores = SharedScores;
  using Results = SharedResults;
  static constexpr int splits = split_count;
  static constexpr Int64 elements = element_count;
};

/// Adds up the terms of all threads whose scores belong to the same element of the operand. Where
/// the operand has no rows (keys), the sum is in row (key) 0 of the tile.
template <class Sums, class Shape>
__device__ inline void merge_terms(double (&terms)[Shape::thread_rows][Shape::thread_keys]) {
  if constexpr (!Sums::by_key) {
    for (auto& row : terms) {
#pragma unroll
      for (int j = 1; j < Shape::thread_keys; ++j) row[0] += row[j];
      row[0] = group_merge<16>(row[0], Plus());
    }
  }
  if constexpr (!Sums::by_row) {
    constexpr int keys = Sums::by_key ? Shape::thread_keys : 1;
    __shared__ double of_threads[attention_threads];
#pragma unroll
    for (int j = 0; j < keys; ++j) {
#pragma unroll
      for (int i = 1; i < Shape::thread_rows; ++i) terms[0][j] += terms[i][j];
      __syncthreads();
      of_threads[threadIdx.x] = terms[0][j];
      __syncthreads();
      terms[0][j] = 0;
      for (int y = 0; y < 16; ++y) terms[0][j] += of_threads[y * 16 + int(threadIdx.x) % 16];
    }
  }
}

/// Computes the gradient of the operand of a step.
/// @param to [splits, dims of the operand]
template <class Sums, class Shape, class Place, class Operands, class T>
__device__ inline void step_gradients(Operands operands, T* to) {
  __shared__ AttentionTiles<Shape, 16> tiles;
  constexpr int row_slots = Sums::by_row ? Shape::row_tiles : 1;
  constexpr int key_slots = Sums::by_key ? Shape::key_tiles : 1;
  constexpr int item_rows = Shape::row_tiles / row_slots;
  constexpr int item_keys = Shape::key_tiles / key_slots;
  constexpr Int64 items = Sums::Scores::count * Sums::Results::count * item_rows * item_keys;
  const int split = int(blockIdx.x % Sums::splits);
  const Int64 slot = Int64(blockIdx.x / Sums::splits);
  const int key_slot = int(slot % key_slots);
  const int row_slot = int(slot / key_slots % row_slots);
  const Int64 of_leading = slot / key_slots / row_slots;
  double terms[Shape::thread_rows][Shape::thread_keys] = {};
  for (Int64 item = split; item < items; item += Sums::splits) {
    const int first_key = (key_slot + int(item % item_keys)) * Shape::key_tile;
    const int first_row = (row_slot + int(item / item_keys % item_rows)) * Shape::row_tile;
    const Int64 shared = item / item_keys / item_rows;
    const Int64 scores = Sums::Scores::entry(of_leading, shared / Sums::Results::count);
    const Int64 entry = Sums::Results::entry(scores, shared % Sums::Results::count);
    operands.template for_each_gradient<Sums::wanted>(
        entry, first_row, first_key, true, tiles,
        [&](const ScorePlace&, int i, int j, auto, auto term) { terms[i][j] += double(term); });
  }
  merge_terms<Sums, Shape>(terms);
  const Int64 entry = Sums::Scores::entry(of_leading, 0);
  for (int i = 0; i < (Sums::by_row ? Shape::thread_rows : 1); ++i) {
    for (int j = 0; j < (Sums::by_key ? Shape::thread_keys : 1); ++j) {
      const int y = int(threadIdx.x) / 16;
      const int x = int(threadIdx.x) % 16;
      if ((!Sums::by_row && y != 0) || (!Sums::by_key && x != 0)) continue;
      const ScorePlace at = {entry, row_slot * Shape::row_tile + y + 16 * i,
                             key_slot * Shape::key_tile + x + 16 * j};
      if (Shape::has(at)) {
        store(to, split * Sums::elements + Place::offset(at), Compute<T>(terms[i][j]));
      }
    }
  }
}
