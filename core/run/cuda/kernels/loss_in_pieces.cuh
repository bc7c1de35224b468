// A loss whose scores are computed for some rows at a time. A list has one entry for each row:
// first the rows that need scores, in ascending order, then a -1 for each other row. A piece is a
// part of the list.

template <class Targets>
struct CountingRows {
  Targets targets;

  __device__ bool operator()(int row) const { return targets.counts(targets.label(row)); }
};
template <class C>
struct RowsWithFactor {
  const C* factors;

  __device__ bool operator()(int row) const { return factors[row] != 0; }
};

/// Lists the rows that `is_needed` selects. Runs in one block of 1024 threads; each thread works on
/// neighbouring rows.
template <int rows, class IsNeeded>
__device__ inline void list_needed_rows(IsNeeded is_needed, Int32* list) {
  constexpr int threads = 1024;
  constexpr int chunk = (rows + threads - 1) / threads;
  __shared__ Int32 counts[threads];
  const int thread = int(threadIdx.x);
  const int first = thread * chunk;
  const int last = first + chunk < rows ? first + chunk : rows;
  Int32 count = 0;
  for (int row = first; row < last; ++row) count += is_needed(row) ? 1 : 0;
  counts[thread] = count;
  __syncthreads();
  for (int distance = 1; distance < threads; distance *= 2) {
    const Int32 before = thread >= distance ? counts[thread - distance] : 0;
    __syncthreads();
    counts[thread] += before;
    __syncthreads();
  }
  Int32* to = list + counts[thread] - count;
  for (int row = first; row < last; ++row) {
    if (is_needed(row)) *to++ = row;
  }
  for (int slot = counts[threads - 1] + thread; slot < rows; slot += threads) list[slot] = -1;
}

/// Copies the listed rows of `from`; an entry -1 gives a row of zeros.
template <class C, int rows, int width, class X>
__device__ inline void take_listed_rows(const X* from, const Int32* list, C* to) {
  const Int64 at = thread_index();
  if (at >= Int64(rows) * width) return;
  const Int64 row = list[at / width];
  to[at] = row < 0 ? C(0) : C(load(from, row * width + at % width));
}

/// Copies row i of `from` to the row of `to` that entry i of the list names. Does not copy a row
/// whose entry is -1.
template <class C, int rows, int width, class X>
__device__ inline void put_listed_rows(const C* from, const Int32* list, X* to) {
  const Int64 at = thread_index();
  if (at >= Int64(rows) * width) return;
  const Int64 row = list[at / width];
  if (row >= 0) store(to, row * width + at % width, Compute<X>(from[at]));
}

template <Int64 count, class X, class Y>
__device__ inline void convert_numbers(const X* from, Y* to) {
  const Int64 at = thread_index();
  if (at < count) store(to, at, Compute<Y>(load(from, at)));
}

/// The scores of a piece, row by row, plus the bias of each class.
/// @param bias null: none
template <class Bias, int classes, class C>
struct PieceScores {
  const C* scores;
  const Bias* bias;

  template <int width>
  __device__ void get(Int64 at, C (&values)[width]) const {
    load_pack(scores, at, values);
    if (bias == nullptr) return;
    for (int k = 0; k < width; ++k) values[k] += C(load(bias, (at + k) % classes));
  }
};

/// Computes the weighted losses of the listed targets, and the logarithms of the sums of the
/// exponentials of their scores.
/// @param log_sums null: not stored
template <class C, class Layout, class Scores, class Targets, class Sum, class Loss>
__device__ inline void piece_losses(Scores scores, const Int32* list, Targets targets,
                                    Sum* log_sums, Loss* losses) {
  const Layout row;
  const RowValues<C, Layout, Scores> values(row, scores);
  const SoftmaxScale<C> scale = softmax_scale<C>(row, values);
  if (!row.is_first() || list[row.row] < 0) return;
  const Int64 target = list[row.row];
  const Int64 label = targets.label(target);
  const C log_sum = logarithm(scale.sum);
  const C loss = target_loss(targets, label, scale, log_sum, [&](Int64 chosen) {
    C score[1];
    scores.get(row.position(chosen), score);
    return score[0];
  });
  store(losses, target, Compute<Loss>(loss));
  if (log_sums != nullptr) store(log_sums, target, Compute<Sum>(scale.greatest + log_sum));
}

/// Computes the factor of each target: the gradient of the target's negative log probability.
template <class C, int targets_count, bool by_target, class Dy, class Targets, class Total>
__device__ inline void target_factors(const Dy* dy, Targets targets, const Total* total,
                                      double divisor, C* factors) {
  const Int64 target = thread_index();
  if (target >= targets_count) return;
  factors[target] = target_factor<C, by_target>(dy, targets, total, divisor, target);
}

/// Computes the gradients of the scores of a piece. The gradients may overwrite the scores.
template <class C, class Layout, class Scores, class Targets>
__device__ inline void piece_gradients(Scores scores, const Int32* list, Targets targets,
                                       const C* log_sums, const C* factors, C* gradients) {
  const Layout row;
  if (!row.has_row()) return;
  const Int64 target = list[row.row];
  const Int64 label = target < 0 ? -1 : targets.label(target);
  const C shift = target < 0 ? C(0) : log_sums[target];
  const C factor = target < 0 ? C(0) : factors[target];
  row.for_each([&](auto count, int, int column) {
    constexpr int width = decltype(count)::value;
    C items[width];
    scores.get(row.position(column), items);
    for (int k = 0; k < width; ++k) {
      const C power = target < 0 ? C(0) : factor * exponential(items[k] - shift);
      items[k] = column + k == label ? power - factor : power;
    }
    store_pack(gradients, row.position(column), items);
  });
}

/// Adds the columns of a piece to `sums`, in double, row after row.
template <class C, int rows, int columns>
__device__ inline void add_columns(const C* piece, double* sums) {
  const Int64 column = thread_index();
  if (column >= columns) return;
  double sum = sums[column];
  for (int row = 0; row < rows; ++row) sum += double(piece[Int64(row) * columns + column]);
  sums[column] = sum;
}
