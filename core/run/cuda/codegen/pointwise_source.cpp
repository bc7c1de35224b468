#include "core/run/cuda/codegen/pointwise_source.h"

#include "core/run/cuda/codegen/element_text.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

PointwiseSource::PointwiseSource(Operand operand, OperandType type,
                                 const std::vector<std::int64_t>& result, std::string name,
                                 std::string variable)
    : operand_(operand),
      type_(std::move(type)),
      name_(std::move(name)),
      variable_(std::move(variable)),
      is_full_(type_.elements() == element_count(result)) {
  if (is_full_) return;
  const std::vector<std::int64_t> strides = kernels::broadcast_strides(result, type_.dims);
  for (std::size_t i = 0; i < result.size(); ++i) add_axis({result[i], strides[i]});
}

void PointwiseSource::add_axis(Axis axis) {
  if (axis.size == 1) return;
  if (!axes_.empty() && axes_.back().stride == axis.stride * axis.size) {
    axis.size *= axes_.back().size;
    axes_.pop_back();
  }
  axes_.push_back(axis);
}

std::int64_t PointwiseSource::element_bytes() const { return cuda::element_bytes(type_.element); }

std::string PointwiseSource::parameter() const {
  return "const " + device_type(type_.element) + "* " + name_;
}

PointwiseSource::Reading PointwiseSource::reading(const PointwiseShape& shape) const {
  if (is_full_) return Reading::full;
  if (axes_.size() == 1) return Reading::same;
  if (axes_.back().size % shape.width != 0) return Reading::apart;
  return axes_.back().stride == 0 ? Reading::same : Reading::row;
}

std::string PointwiseSource::offset(const std::string& position) const {
  std::string sum;
  std::int64_t inner = 1;
  for (std::size_t i = axes_.size(); i-- > 0; inner *= axes_[i].size) {
    if (axes_[i].stride == 0) continue;
    std::string index = position;
    if (inner > 1) index += " / " + std::to_string(inner) + "U";
    if (i > 0) index += " % " + std::to_string(axes_[i].size) + "U";
    if (axes_[i].stride > 1) index += " * " + std::to_string(axes_[i].stride) + "U";
    sum += (sum.empty() ? "" : " + ") + index;
  }
  return sum.empty() ? "0" : sum;
}

std::string PointwiseSource::read(const PointwiseShape& shape) const {
  const std::string width = std::to_string(shape.width);
  const std::string pack = "  const auto " + name_ + "_items = ";
  switch (reading(shape)) {
    case Reading::full:
      return pack + "load_pack<" + width + ">(" + name_ + ", first, count);\n";
    case Reading::same:
      return pack + "same_items(" + name_ + "[" + offset("first") + "]);\n";
    case Reading::row:
      return pack + "load_pack<" + width + ">(" + name_ + ", " + offset("first") + ", " + width +
             ");\n";
    case Reading::apart:
      break;
  }
  return "  Pack<" + device_type(type_.element) + ", " + width + "> " + name_ +
         "_items;\n  for (int k = 0; k < " + width + "; ++k) {\n    const " + shape.index_type() +
         " at = k < count ? first + k : first;\n    " + name_ + "_items.items[k] = " + name_ + "[" +
         offset("at") + "];\n  }\n";
}

std::string PointwiseSource::element() const {
  return "    const auto " + variable_ + " = to_compute(" + name_ + "_items.items[k]);\n";
}

}  // namespace stashscope::cuda
