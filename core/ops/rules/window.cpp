#include "core/ops/rules/window.h"

#include <algorithm>

#include "core/base/error.h"

namespace stashscope {

namespace {

std::vector<std::int64_t> list_or(const Attributes& attributes, const char* name, std::size_t size,
                                  std::int64_t otherwise, std::int64_t least) {
  std::vector<std::int64_t> items = attributes.integers(name);
  if (items.empty()) items.assign(size, otherwise);
  if (items.size() != size) {
    fail_input("", std::string("attribute '") + name + "' has " + std::to_string(items.size()) +
                       " entries; the operator needs " + std::to_string(size));
  }
  for (const std::int64_t item : items) {
    if (item < least)
      fail_input("", std::string("attribute '") + name + "' has the entry " + std::to_string(item) +
                         ", which is below " + std::to_string(least));
  }
  return items;
}

bool is_same(const Window& window) {
  return window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER";
}

std::string read_auto_pad(const Attributes& attributes) {
  std::string text = attributes.text("auto_pad", "NOTSET");
  if (text.empty()) text = "NOTSET";  // as in ONNX Runtime
  if (text != "NOTSET" && text != "VALID" && text != "SAME_UPPER" && text != "SAME_LOWER") {
    fail_input("", "attribute 'auto_pad' has the unknown value '" + printable(text) + "'",
               "use NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  return text;
}

std::int64_t extent(const Window& window, std::size_t axis) {
  return (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

}  // namespace

Window read_window(const Attributes& attributes, std::vector<std::int64_t> kernel) {
  const std::size_t axes = kernel.size();
  for (const std::int64_t size : kernel) {
    if (size < 1) fail_input("", "the kernel size " + std::to_string(size) + " is below 1");
  }
  Window window;
  window.strides = list_or(attributes, "strides", axes, 1, 1);
  window.dilations = list_or(attributes, "dilations", axes, 1, 1);
  window.pads = list_or(attributes, "pads", 2 * axes, 0, 0);
  window.auto_pad = read_auto_pad(attributes);
  window.ceil_mode = attributes.integer("ceil_mode", 0) != 0;
  window.kernel = std::move(kernel);
  if (window.auto_pad == "VALID") window.pads.assign(2 * axes, 0);
  return window;
}

Expr window_count(ShapeContext& context, const Window& window, std::size_t axis, const Expr& size) {
  const Expr stride = window.strides[axis];
  if (is_same(window)) return ceil_divide(size, stride);
  const std::int64_t before = window.pads[axis];
  const std::int64_t after = window.pads[axis + window.kernel.size()];
  const Expr room = size + Expr(before + after - extent(window, axis));
  if (room.integer() && *room.integer() < 0) {
    context.fail("its window of " + std::to_string(extent(window, axis)) +
                 " does not fit into the padded size " + context.text(size + Expr(before + after)));
  }
  if (!window.ceil_mode) return floor_divide(room, stride) + Expr(1);
  Expr places = ceil_divide(room, stride) + Expr(1);
  // The last window is dropped if it starts in the padding after the data. That is possible only
  // if the window is shorter than this padding plus a stride.
  if (extent(window, axis) >= after + window.strides[axis]) return places;
  return maximum(minimum(places, ceil_divide(size + Expr(before), stride)), places - Expr(1));
}

std::pair<std::int64_t, std::int64_t> padding(const Window& window, std::size_t axis,
                                              std::int64_t size) {
  if (!is_same(window)) return {window.pads[axis], window.pads[axis + window.kernel.size()]};
  const std::int64_t stride = window.strides[axis];
  const std::int64_t places = (size + stride - 1) / stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (places - 1) * stride + extent(window, axis) - size);
  const std::int64_t less = total / 2;
  return window.auto_pad == "SAME_UPPER" ? std::pair(less, total - less)
                                         : std::pair(total - less, less);
}

}  // namespace stashscope
