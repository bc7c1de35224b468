#include "core/memory/optimizer_states.h"

#include "core/graph/tensor.h"

namespace stashscope::states {

namespace {

using Dims = std::vector<std::int64_t>;

/// Smaller parameters keep their moments unquantized.
constexpr std::int64_t least_quantized = 4096;

std::int64_t elements_of(const UpdatedParameter& parameter) {
  return element_count(*parameter.shape);
}

/// The names of the tensors of a moment in bitsandbytes.
struct BlockwiseNames {
  std::string_view state;
  std::string_view scales;
  std::string_view table;
};

States blockwise(const UpdatedParameter& parameter, std::span<const BlockwiseNames> moments) {
  constexpr std::int64_t block = 256;
  States states;
  const bool is_quantized = parameter.shape && elements_of(parameter) >= least_quantized;
  for (const BlockwiseNames& each : moments) {
    if (!is_quantized) {
      states.push_back({each.state, ElementType::float32});
      continue;
    }
    const std::int64_t blocks = (elements_of(parameter) + block - 1) / block;
    states.push_back({each.state, ElementType::uint8});
    states.push_back({each.scales, ElementType::float32, Dims{blocks}});
    states.push_back({each.table, ElementType::float32, Dims{256}, true});
  }
  return states;
}

constexpr BlockwiseNames blockwise_moments[] = {{"state1", "absmax1", "qmap1"},
                                                {"state2", "absmax2", "qmap2"}};

/// @param codes_per_byte 1 for 8 bits, 2 for 4 bits
States scaled_moments(const UpdatedParameter& parameter, std::int64_t codes_per_byte,
                      std::int64_t block) {
  const bool is_quantized = parameter.shape && elements_of(parameter) >= least_quantized &&
                            elements_of(parameter) % block == 0;
  if (!is_quantized) return two_moments(parameter);
  const std::int64_t elements = elements_of(parameter);
  const std::int64_t table = codes_per_byte == 1 ? 256 : 16;
  return {{"exp_avg.codes", ElementType::uint8, Dims{elements / codes_per_byte}},
          {"exp_avg.scale", ElementType::float32, Dims{elements / block}},
          {"exp_avg.qmap", ElementType::float32, Dims{table}},
          {"exp_avg_sq.codes", ElementType::uint8, Dims{elements / codes_per_byte}},
          {"exp_avg_sq.scale", ElementType::float32, Dims{elements / block}},
          {"exp_avg_sq.qmap", ElementType::float32, Dims{table}}};
}

}  // namespace

States momentum(const UpdatedParameter& parameter) {
  return {{"momentum_buffer", parameter.element}};
}

States one_moment(const UpdatedParameter& parameter) { return {{"exp_avg", parameter.element}}; }

States two_moments(const UpdatedParameter& parameter) {
  return {{"exp_avg", parameter.element}, {"exp_avg_sq", parameter.element}};
}

States factored_moment(const UpdatedParameter& parameter) {
  if (!parameter.shape || parameter.shape->size() < 2) return {{"variance", parameter.element}};
  Dims rows = *parameter.shape;
  Dims columns = *parameter.shape;
  rows.back() = 1;
  columns[columns.size() - 2] = 1;
  return {{"row_var", parameter.element, rows}, {"col_var", parameter.element, columns}};
}

States muon(const UpdatedParameter& parameter) {
  const bool is_matrix = parameter.shape && parameter.shape->size() == 2;
  return is_matrix && !parameter.is_embedding ? momentum(parameter) : two_moments(parameter);
}

States one_blockwise_moment(const UpdatedParameter& parameter) {
  return blockwise(parameter, std::span(blockwise_moments).first(1));
}

States two_blockwise_moments(const UpdatedParameter& parameter) {
  return blockwise(parameter, blockwise_moments);
}

States moments_of_8_bits(const UpdatedParameter& parameter) {
  return scaled_moments(parameter, 1, 256);
}

States moments_of_4_bits(const UpdatedParameter& parameter) {
  return scaled_moments(parameter, 2, 128);
}

}  // namespace stashscope::states
