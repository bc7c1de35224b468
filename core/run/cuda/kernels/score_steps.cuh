// The steps of FusedAttention that turn the products of queries and keys into the scores of the
// softmax, forward and backward, and the dropout of the probabilities. All functions process one
// score at a time.

/// The place of a score: an entry (a position in the scores' leading axes, numbered in row-major
/// order), a row and a key.
struct ScorePlace {
  Int64 entry;
  int row;
  int key;
};

/// The offset that belongs to a score in an operand that is broadcast to the scores. `Entries` is a
/// Walk from an entry of the scores to an offset in the operand.
template <class Entries, Int64 row_stride, Int64 key_stride>
struct OperandPlace {
  __device__ static Int64 offset(const ScorePlace& at) {
    return Entries::offset(at.entry) + at.row * row_stride + at.key * key_stride;
  }
};

/// An operand of a step.
template <class T, class Place>
struct StepOperand {
  const T* data;

  template <class C>
  __device__ C at(const ScorePlace& at) const {
    return C(load(data, Place::offset(at)));
  }
};

// The steps from products of queries and keys to scores. `back` turns the gradient of a step's
// result into the gradient of the score that the step reads. `term` is the gradient of the step's
// operand. A step with `may_hide` can hide keys. Where it hides all keys of a tile, all weights of
// the tile are 0. A step with `may_replace` can replace a score, whose product is then not needed.

template <class X>
struct MultiplyStep {
  X x;
  static constexpr bool may_replace = false;
  static constexpr bool may_hide = false;
  template <class C>
  __device__ C apply(C score, const ScorePlace& at) const {
    return score * x.template at<C>(at);
  }
  template <class C>
  __device__ C back(C gradient, C, const ScorePlace& at) const {
    return gradient * x.template at<C>(at);
  }
  template <class C>
  __device__ C term(C gradient, C score, const ScorePlace&) const {
    return gradient * score;
  }
  __device__ bool replaces(const ScorePlace&) const { return false; }
};

template <class X>
struct DivideStep {
  X x;
  static constexpr bool may_replace = false;
  static constexpr bool may_hide = false;
  template <class C>
  __device__ C apply(C score, const ScorePlace& at) const {
    return score / x.template at<C>(at);
  }
  template <class C>
  __device__ C back(C gradient, C, const ScorePlace& at) const {
    return gradient / x.template at<C>(at);
  }
  template <class C>
  __device__ C term(C gradient, C score, const ScorePlace& at) const {
    const C divisor = x.template at<C>(at);
    return -gradient * score / (divisor * divisor);
  }
  __device__ bool replaces(const ScorePlace&) const { return false; }
};

/// score + x, or score - x.
template <class X, bool subtracts>
struct AddStep {
  X x;
  static constexpr bool may_replace = false;
  static constexpr bool may_hide = true;
  template <class C>
  __device__ C apply(C score, const ScorePlace& at) const {
    return subtracts ? score - x.template at<C>(at) : score + x.template at<C>(at);
  }
  template <class C>
  __device__ C back(C gradient, C, const ScorePlace&) const {
    return gradient;
  }
  template <class C>
  __device__ C term(C gradient, C, const ScorePlace&) const {
    return subtracts ? -gradient : gradient;
  }
  __device__ bool replaces(const ScorePlace&) const { return false; }
};

/// The score where the flag equals `kept`, else x.
template <class Flags, class X, bool kept>
struct ChoiceStep {
  Flags flags;
  X x;
  static constexpr bool may_replace = true;
  static constexpr bool may_hide = true;
  template <class C>
  __device__ C apply(C score, const ScorePlace& at) const {
    return replaces(at) ? x.template at<C>(at) : score;
  }
  template <class C>
  __device__ C back(C gradient, C, const ScorePlace& at) const {
    return replaces(at) ? C(0) : gradient;
  }
  template <class C>
  __device__ C term(C gradient, C, const ScorePlace& at) const {
    return replaces(at) ? gradient : C(0);
  }
  __device__ bool replaces(const ScorePlace& at) const {
    return (flags.template at<int>(at) != 0) != kept;
  }
};

struct TanhStep {
  static constexpr bool may_replace = false;
  static constexpr bool may_hide = false;
  template <class C>
  __device__ C apply(C score, const ScorePlace&) const {
    return tanh(score);
  }
  template <class C>
  __device__ C back(C gradient, C score, const ScorePlace&) const {
    const C result = tanh(score);
    return gradient * (1 - result * result);
  }
  template <class C>
  __device__ C term(C, C, const ScorePlace&) const {
    return C(0);
  }
  __device__ bool replaces(const ScorePlace&) const { return false; }
};

/// All steps, in order.
template <class... Steps>
struct StepChain {
  static constexpr bool may_replace = false;
  static constexpr bool may_hide = false;
  template <class C>
  __device__ C apply(C score, const ScorePlace&) const {
    return score;
  }
  template <int wanted, class C, class Down>
  __device__ C slope(C score, const ScorePlace&, const Down& down, C&) const {
    return down(score);
  }
  __device__ bool replaces(const ScorePlace&) const { return false; }
};
template <class First, class... Rest>
struct StepChain<First, Rest...> {
  First first;
  StepChain<Rest...> rest;
  static constexpr bool may_replace = First::may_replace || StepChain<Rest...>::may_replace;
  static constexpr bool may_hide = First::may_hide || StepChain<Rest...>::may_hide;

  template <class C>
  __device__ C apply(C score, const ScorePlace& at) const {
    return rest.apply(first.apply(score, at), at);
  }
  /// The gradient of a product of query and key. `down(score)` is the gradient of the last score.
  /// @param term receives the gradient of the operand of step `wanted`, if there is such a step
  template <int wanted, class C, class Down>
  __device__ C slope(C score, const ScorePlace& at, const Down& down, C& term) const {
    const C gradient = rest.template slope<wanted - 1>(first.apply(score, at), at, down, term);
    if constexpr (wanted == 0) term = first.term(gradient, score, at);
    return first.back(gradient, score, at);
  }
  /// Whether the last score does not depend on the product.
  __device__ bool replaces(const ScorePlace& at) const {
    return first.replaces(at) || rest.replaces(at);
  }
};

/// The factor of a probability: 1, or the factor that a dropout of all probabilities draws for it.
struct NoDropout {
  template <class C>
  __device__ C factor(const ScorePlace&) const {
    return C(1);
  }
};
template <UInt64 rows, UInt64 keys>
struct ProbabilityDropout {
  PositionalRandom random;
  UInt64 threshold;
  double scale;

  template <class C>
  __device__ C factor(const ScorePlace& at) const {
    const UInt64 position = (UInt64(at.entry) * rows + UInt64(at.row)) * keys + UInt64(at.key);
    return random.keeps(position, threshold) ? C(scale) : C(0);
  }
};
