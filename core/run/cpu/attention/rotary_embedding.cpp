// Rotary position embedding.

#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/heads.h"

namespace stashscope::cpu {

namespace {

/// Tables of cosines and sines. Without the operand position_ids, their shape is [batch, sequence,
/// half]. With it, their shape is [positions, half], and position_ids [batch, sequence] selects the
/// rows.
struct Angles {
  std::vector<double> cosines;
  std::vector<double> sines;
  std::vector<std::int64_t> positions;
  std::int64_t half;

  explicit Angles(const KernelContext& context)
      : cosines(numbers_of<double>(context.in(1))),
        sines(numbers_of<double>(context.in(2))),
        half(context.in(1).dim(-1)) {
    const std::int64_t rows = context.in(1).elements() / std::max<std::int64_t>(1, half);
    if (context.has_input(3)) positions = as_integers(context.in(3));
    for (const std::int64_t position : positions) {
      if (position < 0 || position >= rows) {
        fail_run("", "position " + std::to_string(position) +
                         " is outside of its cosine and sine tables");
      }
    }
  }

  std::int64_t offset(std::int64_t token) const {
    return half * (positions.empty() ? token : positions[static_cast<std::size_t>(token)]);
  }
};

}  // namespace

/// Rotates pairs of elements of each head by the angle of the token's position. (ONNX,
/// RotaryEmbedding; Su et al., arXiv 2104.09864)
void rotary_embedding(const KernelContext& context) {
  Heads x(context.in(0), context.attributes().integer("num_heads", 0));
  const Angles angles(context);
  const bool interleaved = context.attributes().integer("interleaved", 0) != 0;
  if (2 * angles.half > x.size) {
    fail_run("", "its cosine and sine tables are wider than half a head");
  }
  for (std::int64_t batch = 0; batch < context.in(0).dim(0); ++batch) {
    for (std::int64_t at = 0; at < x.length; ++at) {
      const std::int64_t table = angles.offset(batch * x.length + at);
      for (std::int64_t head = 0; head < x.heads; ++head) {
        double* const row = x.items.data() + x.offset(batch, head, at);
        for (std::int64_t i = 0; i < angles.half; ++i) {
          double& first = row[interleaved ? 2 * i : i];
          double& second = row[interleaved ? 2 * i + 1 : i + angles.half];
          const double cosine = angles.cosines[static_cast<std::size_t>(table + i)];
          const double sine = angles.sines[static_cast<std::size_t>(table + i)];
          const double real = cosine * first - sine * second;
          second = sine * first + cosine * second;
          first = real;
        }
      }
    }
  }
  store_numbers(x.items, context.out());
}

}  // namespace stashscope::cpu
