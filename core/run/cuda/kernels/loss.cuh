// Losses over class scores. The scores of a target form a row.

/// The targets of a loss: their labels, and the weights of the classes.
/// @tparam ignores whether targets with one particular label are ignored
template <class Label, class Weight, class Ignored, bool ignores, int classes>
struct Targets {
  const Label* labels;
  const Weight* weights;        ///< by class; null: all 1
  const Ignored* ignored_from;  ///< the label to ignore; null: `ignored` is this label
  Int64 ignored;

  __device__ Int64 label(Int64 target) const { return Int64(labels[target]); }
  __device__ bool counts(Int64 label) const {
    if constexpr (!ignores) return true;
    return label != (ignored_from == nullptr ? ignored : Int64(*ignored_from));
  }
  __device__ static bool is_class(Int64 label) { return label >= 0 && label < classes; }
  /// The weight of a target; 0 for an ignored label. A label that is not a class gives NaN, because
  /// a kernel cannot report an error.
  template <class C>
  __device__ C weight(Int64 label) const {
    if (!counts(label)) return C(0);
    if (!is_class(label)) return C(float_from_bits(0x7FC00000U));
    return weights == nullptr ? C(1) : C(load(weights, label));
  }
};

/// The weighted cross entropy of a target; 0 for an ignored label, NaN for a label that is not a
/// class.
/// @param scale the SoftmaxScale of the target's scores
/// @param log_sum the logarithm of `scale.sum` @param score_of gives the score of a class
template <class Targets, class C, class ScoreOf>
__device__ inline C target_loss(const Targets& targets, Int64 label, const SoftmaxScale<C>& scale,
                                C log_sum, const ScoreOf& score_of) {
  const C weight = targets.template weight<C>(label);
  if (!targets.counts(label) || !targets.is_class(label)) return weight;
  return weight * (log_sum + (scale.greatest - score_of(label)));
}

/// Computes the cross entropy of each target from the scores.
/// @param losses receives the weighted loss of each target
/// @param log_probabilities null: not stored
template <class C, class Layout, class X, class Targets, class P, class Loss>
__device__ inline void cross_entropy_rows(const X* x, Targets targets, P* log_probabilities,
                                          Loss* losses) {
  const Layout row;
  const RowValues<C, Layout, Elements<X>> values(row, {x});
  const SoftmaxScale<C> scale = softmax_scale<C>(row, values);
  const C log_sum = logarithm(scale.sum);
  if (log_probabilities != nullptr) {
    row.for_each([&](auto count, int slot, int column) {
      constexpr int width = decltype(count)::value;
      C items[width];
      values.get(slot, column, items);
      for (int k = 0; k < width; ++k) items[k] = items[k] - scale.greatest - log_sum;
      store_pack(log_probabilities, row.position(column), items);
    });
  }
  if (!row.is_first()) return;
  const Int64 label = targets.label(row.row);
  const C loss = target_loss(targets, label, scale, log_sum,
                             [&](Int64 chosen) { return C(load(x, row.position(chosen))); });
  store(losses, row.row, Compute<Loss>(loss));
}

/// Computes the negative log likelihood of each target from log probabilities. Each thread
/// processes one target.
template <class C, Int64 targets_count, int classes, Int64 stride, class X, class Targets,
          class Loss>
__device__ inline void chosen_losses(const X* x, Targets targets, Loss* losses) {
  const Int64 target = thread_index();
  if (target >= targets_count) return;
  const Int64 label = targets.label(target);
  C loss = targets.template weight<C>(label);
  if (targets.counts(label) && targets.is_class(label)) {
    const Int64 at = (target / stride * classes + label) * stride + target % stride;
    loss *= -C(load(x, at));
  }
  store(losses, target, Compute<Loss>(loss));
}

/// Sources of kernels/reduce.cuh: pairs of a loss and its weight, and the weights alone.
template <class C, class Targets>
struct WeightedLosses {
  using Item = Pair<C>;
  const C* losses;
  Targets targets;

  template <int step, int width>
  __device__ void get(Int64 at, Int64, Item (&items)[width]) const {
    for (int k = 0; k < width; ++k) {
      items[k] = {losses[at + k], targets.template weight<C>(targets.label(at + k))};
    }
  }
};
template <class C, class Targets>
struct TargetWeights {
  using Item = C;
  Targets targets;

  template <int step, int width>
  __device__ void get(Int64 at, Int64, C (&items)[width]) const {
    for (int k = 0; k < width; ++k) items[k] = targets.template weight<C>(targets.label(at + k));
  }
};

/// The mean of weighted losses: their sum divided by the sum of their weights.
struct Quotient {
  template <class C>
  __device__ static C of(Pair<C> state) {
    return state.first / state.second;
  }
};

/// The derivative of a target's loss with respect to a score.
struct CrossEntropySlope {
  static constexpr bool reads = true;
  template <class C>
  __device__ static C of(C log_probability, bool is_label) {
    return exponential(log_probability) - (is_label ? C(1) : C(0));
  }
};
struct ChosenSlope {
  static constexpr bool reads = false;
  template <class C>
  __device__ static C of(C, bool is_label) {
    return is_label ? C(-1) : C(0);
  }
};

/// The gradient of a target's negative log probability; 0 for an ignored label.
/// @param dy one gradient per target (if `by_target`), or one for all targets
/// @param total the sum of weights by which the loss was divided; null: the loss was divided by
/// `divisor`
template <class C, bool by_target, class Dy, class Targets, class Total>
__device__ inline C target_factor(const Dy* dy, Targets targets, const Total* total, double divisor,
                                  Int64 target) {
  const Int64 label = targets.label(target);
  if (!targets.counts(label)) return C(0);
  const C share = C(1) / (total == nullptr ? C(divisor) : C(load(total, 0)));
  return C(load(dy, by_target ? target : 0)) * targets.template weight<C>(label) * share;
}

/// Computes the gradient of the scores. dx may overwrite the log probabilities. The other operands
/// are those of target_factor.
template <class C, class Layout, class Slope, bool by_target, class Dy, class P, class Targets,
          class Total, class Dx>
__device__ inline void loss_gradient_rows(const Dy* dy, const P* log_probabilities, Targets targets,
                                          const Total* total, double divisor, Dx* dx) {
  const Layout row;
  if (!row.has_row()) return;
  const Int64 label = targets.label(row.row);
  const bool counts = targets.counts(label);
  const C factor = target_factor<C, by_target>(dy, targets, total, divisor, row.row);
  row.for_each([&](auto count, int, int column) {
    constexpr int width = decltype(count)::value;
    C items[width] = {};
    if constexpr (Slope::reads) load_pack(log_probabilities, row.position(column), items);
    for (int k = 0; k < width; ++k) {
      const bool is_label = counts && column + k == label;
      items[k] = factor == 0 ? C(0) : Slope::of(items[k], is_label) * factor;
    }
    store_pack(dx, row.position(column), items);
  });
}
