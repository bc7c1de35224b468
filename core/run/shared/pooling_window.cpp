#include "core/run/shared/pooling_window.h"

#include "core/ops/rules/window.h"

namespace stashscope::kernels {

Pooling::Pooling(const Attributes& attributes, const std::vector<std::int64_t>& data,
                 const std::vector<std::int64_t>& result) {
  const Window attribute_window =
      read_window(attributes, attributes.require_integers("kernel_shape"));
  planes = data[0] * data[1];
  window.in.assign(data.begin() + 2, data.end());
  window.out.assign(result.begin() + 2, result.end());
  window.kernel = attribute_window.kernel;
  window.strides = attribute_window.strides;
  window.dilations = attribute_window.dilations;
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    const auto [before, after] = padding(attribute_window, axis, window.in[axis]);
    window.pads.push_back(before);
    pads_after.push_back(after);
  }
  in = positions(window.in);
  out = positions(window.out);
}

}  // namespace stashscope::kernels
