// Gradient operators of the default domain that early training graphs contain.

#include <array>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// Inputs (x, dy). The output has the elements of dy and the dims of x.
void reshape_grad(const KernelContext& context) {
  TensorView reshaped = context.in(1);
  reshaped.dims = context.out().dims;
  copy_all(reshaped, context.out());
}

/// Inputs (y, dy), in this order.
void tanh_grad(const KernelContext& context) {
  const std::vector<double> y = numbers_of<double>(context.in(0));
  std::vector<double> dx = numbers_of<double>(context.in(1));
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] *= 1 - y[i] * y[i];
  store_numbers(dx, context.out());
}

/// Inputs (dy, a, b). Output 0 is dy / b and output 1 is -dy * a / b^2. Each output is summed over
/// the axes along which its operand, a or b, was broadcast.
void div_grad(const KernelContext& context) {
  const TensorView& dy = context.in(0);
  std::array<std::vector<double>, 3> items;
  std::array<std::vector<std::int64_t>, 3> strides;
  for (std::size_t i = 0; i < 3; ++i) {
    items[i] = numbers_of<double>(context.in(i));
    strides[i] = broadcast_strides(dy.dims, context.in(i).dims);
  }
  std::vector<double> da(items[1].size(), 0);
  std::vector<double> db(items[2].size(), 0);
  const auto add = [&](const auto& at, std::int64_t count, const auto& step) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto position = [&](std::size_t k) {
        return static_cast<std::size_t>(at[k] + i * step[k]);
      };
      const double b = items[2][position(2)];
      const double share = items[0][position(0)] / b;
      da[position(1)] += share;
      db[position(2)] -= share * items[1][position(1)] / b;
    }
  };
  StridedWalk<3>(dy.dims, strides).for_each_run(add);
  if (context.has_output(0)) store_numbers(da, context.out(0));
  if (context.has_output(1)) store_numbers(db, context.out(1));
}

}  // namespace

void add_legacy_gradient_kernels(KernelRegistry& registry) {
  registry.add("", "ReshapeGrad", {reshape_grad});
  registry.add("", "TanhGrad", {tanh_grad});
  registry.add("", "DivGrad", {div_grad});
}

}  // namespace stashscope::cpu
