#include "core/study/facts/assumed_rate.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

namespace {

std::string rate_text(double rate) { return format_fixed(rate / 1e12, 1) + " TFLOP/s"; }

bool has_float32_parameter(const Study& study) {
  return std::ranges::any_of(study.prepared->step.parameters, [&](const Parameter& each) {
    return study.graph().value(each.value).type.element == ElementType::float32;
  });
}

}  // namespace

std::string assumed_float32_rate(const Study& study) {
  const DeviceProfile& profile = study.choices.times.profile;
  const bool is_measured = study.times->measured == study.times->seconds.size();
  if (is_measured || !has_float32_parameter(study)) return "";
  const double plain = std::max(profile.vector.float32, profile.matrix.float32);
  if (profile.matrix.tf32 <= plain) return "";
  return "Matrix products and convolutions of float32 are assumed to use TF32 (" +
         rate_text(profile.matrix.tf32) + "). PyTorch computes products in full float32 (" +
         rate_text(plain) +
         ") unless torch.backends.cuda.matmul.allow_tf32 is True; to predict full float32, use a "
         "profile without tf32.";
}

}  // namespace stashscope
