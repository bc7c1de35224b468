// Updates of parameters by optimizers. The function `move(weight, gradient, first, second)` of a
// Rule updates a weight and its states, with the order of operations of PyTorch.

struct Descent {
  static constexpr int states = 0;
  double rate;
  double decay;

  __device__ void begin() {}
  template <class C>
  __device__ void move(C& weight, C gradient, C&, C&) const {
    weight -= C(rate) * (gradient + C(decay) * weight);
  }
};

struct MomentumDescent {
  static constexpr int states = 1;
  double rate;
  double decay;
  double momentum;

  __device__ void begin() {}
  template <class C>
  __device__ void move(C& weight, C gradient, C& buffer, C&) const {
    buffer = C(momentum) * buffer + (gradient + C(decay) * weight);
    weight -= C(rate) * buffer;
  }
};

/// @tparam decoupled weight decay shrinks the weight directly; if false, it is added to the
/// gradient
template <bool decoupled>
struct Adam {
  static constexpr int states = 2;
  double rate;
  double decay;
  double beta1;
  double beta2;
  double epsilon;
  const Int64* step;
  double step_size = 0;
  double deviation_correction = 1;

  /// Computes the bias corrections once per block, because powers of float64 are slow.
  __device__ void begin() {
    __shared__ double corrections[2];
    if (threadIdx.x == 0) {
      corrections[0] = rate / (1 - pow(beta1, double(*step)));
      corrections[1] = sqrt(1 - pow(beta2, double(*step)));
    }
    __syncthreads();
    step_size = corrections[0];
    deviation_correction = corrections[1];
  }

  template <class C>
  __device__ void move(C& weight, C gradient, C& average, C& average_of_squares) const {
    if (decoupled) weight *= C(1 - rate * decay);
    if (!decoupled) gradient += C(decay) * weight;
    average += C(1 - beta1) * (gradient - average);
    average_of_squares = average_of_squares * C(beta2) + C(1 - beta2) * gradient * gradient;
    const C deviation = square_root(average_of_squares) / C(deviation_correction);
    weight -= C(step_size) * (average / (deviation + C(epsilon)));
  }
};

template <class C, int width, class Rule, class P, class G, class S, class Q>
__device__ inline void update_pack(Int64 at, P* parameter, const G* gradient, float* master,
                                   S* first, Q* second, const Rule& rule) {
  C weights[width];
  C slopes[width];
  C firsts[width] = {};
  C seconds[width] = {};
  if (master != nullptr) load_pack(master, at, weights);
  if (master == nullptr) load_pack(parameter, at, weights);
  load_pack(gradient, at, slopes);
  if constexpr (Rule::states > 0) load_pack(first, at, firsts);
  if constexpr (Rule::states > 1) load_pack(second, at, seconds);
  for (int k = 0; k < width; ++k) rule.move(weights[k], slopes[k], firsts[k], seconds[k]);
  if (master != nullptr) store_pack(master, at, weights);
  store_pack(parameter, at, weights);
  if constexpr (Rule::states > 0) store_pack(first, at, firsts);
  if constexpr (Rule::states > 1) store_pack(second, at, seconds);
}

/// Each thread updates `packs` packs of `width` elements; the packs of a block are adjacent.
template <class C, Int64 elements, int width, int packs, class Rule, class P, class G, class S,
          class Q>
__device__ inline void update(P* parameter, const G* gradient, float* master, S* first, Q* second,
                              Rule rule) {
  rule.begin();
  const Int64 start = Int64(blockIdx.x) * packs * blockDim.x + threadIdx.x;
  for (int i = 0; i < packs; ++i) {
    const Int64 at = (start + Int64(i) * blockDim.x) * width;
    if (at + width <= elements) {
      update_pack<C, width>(at, parameter, gradient, master, first, second, rule);
    } else {
      for (Int64 k = at; k < elements; ++k) {
        update_pack<C, 1>(k, parameter, gradient, master, first, second, rule);
      }
    }
  }
}
