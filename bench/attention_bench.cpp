// Compares FusedAttention with the nodes that it replaces, on the CPU's kernels: products, softmax
// and their gradients. Prints milliseconds, the shortest of some runs, and their ratio.
//   build/release/bin/bench_attention [batch] [heads] [sequence] [size]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/cpu/kernels/standard_kernels.h"

namespace stashscope::bench {
namespace {

using Dims = std::vector<std::int64_t>;

/// A float32 tensor with memory of its own, which is new as in a run.
struct Data {
  std::unique_ptr<float[]> items;  // NOLINT: a vector would write zeros first
  kernels::TensorView view;

  explicit Data(const Dims& dims)
      : items(new float[static_cast<std::size_t>(element_count(dims))]),
        view{ElementType::float32, dims, reinterpret_cast<std::byte*>(items.get())} {}
};

Data waves(const Dims& dims) {
  Data data(dims);
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    data.items[static_cast<std::size_t>(i)] = std::sin(static_cast<float>(i % 9973) * 0.37F);
  }
  return data;
}

using Operands = std::vector<const Data*>;

void run(const std::string& type, const std::string& domain, const Operands& inputs,
         const Operands& outputs, const Attributes& attributes = {}) {
  Node node;
  node.op_type = type;
  node.domain = domain;
  node.attributes = attributes;
  kernels::KernelContext context{node, 13, {}, {}, 0};
  for (const Data* const each : inputs) context.inputs.push_back(each->view);
  for (const Data* const each : outputs) context.outputs.push_back(each->view);
  cpu::standard_kernels().find(node)->run(context);
}

void product(const Data& a, bool a_transposed, const Data& b, bool b_transposed, float scale,
             const Data& out) {
  run("FusedMatMul", "com.microsoft", {&a, &b}, {&out},
      {{"transA", std::int64_t{a_transposed}},
       {"transB", std::int64_t{b_transposed}},
       {"alpha", scale}});
}

/// The time of the processor, which other programs on the machine hardly change.
double least_milliseconds(const std::function<void()>& work) {
  double least = 1e300;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void print_row(const char* what, double decomposed, double fused) {
  std::printf("%-10s %10.1f ms decomposed %10.1f ms fused   ratio %.2f\n", what, decomposed, fused,
              fused / decomposed);
}

/// The tensors of attention and of its gradient.
struct Attention {
  Data q, k, v, y, dy, dq, dk, dv, log_sums, scale;
  float factor;
  Attributes fused = {{"steps", Strings{"Mul"}}};

  Attention(const Dims& dims, std::int64_t size)
      : q(waves(dims)),
        k(waves(dims)),
        v(waves(dims)),
        y(dims),
        dy(waves(dims)),
        dq(dims),
        dk(dims),
        dv(dims),
        log_sums({dims[0], dims[1], dims[2]}),
        scale({}),
        factor(1 / std::sqrt(static_cast<float>(size))) {
    scale.items[0] = factor;
  }
};

void compare(const Dims& dims) {
  const std::int64_t sequence = dims[2];
  const Attention each(dims, dims[3]);
  const Dims scores = {dims[0], dims[1], sequence, sequence};
  std::optional<Data> p;
  const double forward = least_milliseconds([&] {
    const Data s(scores);
    p.emplace(scores);
    product(each.q, false, each.k, true, each.factor, s);
    run("Softmax", "", {&s}, {&*p});
    product(*p, false, each.v, false, 1, each.y);
  });
  const double backward = least_milliseconds([&] {
    const Data dp(scores);
    const Data ds(scores);
    product(each.dy, false, each.v, true, 1, dp);
    product(*p, true, each.dy, false, 1, each.dv);
    run("SoftmaxGrad_13", "com.microsoft", {&dp, &*p}, {&ds});
    product(ds, false, each.k, false, each.factor, each.dq);
    product(ds, true, each.q, false, each.factor, each.dk);
  });
  print_row("forward", forward, least_milliseconds([&] {
              run("FusedAttention", "com.microsoft", {&each.q, &each.k, &each.v, &each.scale},
                  {&each.y, &each.log_sums}, each.fused);
            }));
  print_row("backward", backward, least_milliseconds([&] {
              run("FusedAttentionGrad", "com.microsoft",
                  {&each.dy, &each.q, &each.k, &each.v, &each.y, &each.log_sums, &each.scale},
                  {&each.dq, &each.dk, &each.dv}, each.fused);
            }));
}

}  // namespace
}  // namespace stashscope::bench

int main(int argc, char** argv) {
  std::vector<std::int64_t> dims = {1, 12, 2048, 64};
  for (int i = 1; i < argc && i <= 4; ++i) {
    dims[static_cast<std::size_t>(i - 1)] = std::max(1, std::atoi(argv[i]));
  }
  stashscope::bench::compare(dims);
  return 0;
}
