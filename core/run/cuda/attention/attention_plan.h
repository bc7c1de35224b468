#pragma once

#include <optional>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/attention/fused_places.h"
#include "core/run/cuda/attention/matrix_stack.h"
#include "core/run/cuda/codegen/call_text.h"

namespace stashscope::cuda {

/// Threads of a block; equal to `attention_threads` in kernels/tiled_attention.cuh.
constexpr int attention_threads = 256;

/// A tensor of a call: its matrices and where they are.
struct AttentionTensor {
  MatrixStack stack;
  Operand operand;
  bool present = true;  ///< false: the kernel gets a null pointer
};

/// The operand of a step, and how it is broadcast to the scores.
struct StepOperandPlace {
  std::size_t input = 0;
  Dims leading;  ///< sizes of the scores' leading axes at the step
  Dims strides;  ///< of the operand along `leading`, in elements
  std::int64_t row_stride = 0;
  std::int64_t key_stride = 0;

  /// The text of a type OperandPlace<...> (kernels/score_steps.cuh).
  std::string text() const;
  /// The groups of entries of the scores' leading axes that share an entry of the operand.
  SharedEntries shared_entries() const;
};

/// A step of the scores, other than Reshape, with the places of its operands.
struct PlannedStep {
  ScoreStep step;
  std::optional<StepOperandPlace> condition;
  std::optional<StepOperandPlace> number;
};

/// The sizes, tensors, steps and texts that the kernels of FusedAttention and those of its gradient
/// share.
class AttentionPlan {
 public:
  /// Throws a run Error for more than 2^30 - 1 rows, keys or columns of a matrix, and for a step
  /// Reshape that changes the rows, the keys or the number of scores.
  AttentionPlan(const LoweringContext& context, const fused_places::Inputs& places);

  ElementType computed() const { return computed_; }  ///< the type in which kernels compute
  /// The number of entries: of positions in the result's leading axes.
  std::int64_t entries() const;
  std::int64_t rows() const { return queries_.stack.rows; }
  std::int64_t keys() const { return keys_.stack.rows; }
  const std::vector<PlannedStep>& steps() const { return steps_; }
  /// Maps each entry of the result to its entry of the scores. Rows and columns are not set.
  const MatrixStack& scores() const { return scores_; }

  const AttentionTensor& queries() const { return queries_; }
  const AttentionTensor& key_rows() const { return keys_; }
  const AttentionTensor& values() const { return values_; }
  /// A tensor with the layout of the result.
  AttentionTensor result(ElementType element, const Dims& dims, Operand operand) const;
  /// The tensor log_sum_exp, as matrices of one column.
  /// @param rows size of the tensor's last axis: the rows of a matrix, with padding
  AttentionTensor sums(std::int64_t rows, Operand operand) const;

  std::int64_t row_tile() const { return tile_for(rows()); }
  std::int64_t key_tile() const { return tile_for(keys()); }
  std::int64_t row_tiles() const { return tiles(rows(), row_tile()); }
  std::int64_t key_tiles() const { return tiles(keys(), key_tile()); }
  /// The number of columns for which a block computes sums.
  std::int64_t width_for(std::int64_t columns) const;
  static std::int64_t tiles(std::int64_t count, std::int64_t tile) {
    return (count + tile - 1) / tile;
  }

  /// The text of the type AttentionShape<...>.
  std::string shape() const;
  /// The text of a Walk from an entry of the result to a number, which is 0 only for the first of
  /// the entries that share the same scores.
  std::string repeats() const;

  /// The texts of objects in a kernel. `text` gets a parameter for each pointer in an object.
  static std::string reads(const AttentionTensor& tensor, CallText& text);
  static std::string writes(const AttentionTensor& tensor, CallText& text);
  std::string steps_object(CallText& text) const;
  std::string dropout_object() const;

 private:
  std::int64_t tile_for(std::int64_t count) const;
  AttentionTensor operand(std::size_t index, const char* permutation_name) const;
  std::string operand_type(const StepOperandPlace& place) const;
  std::string step_type(const PlannedStep& planned) const;
  std::string step_object(const PlannedStep& planned, CallText& text) const;
  /// @param dims of the products of queries and keys
  void plan_steps(std::size_t first, Dims dims);

  const LoweringContext& context_;
  ElementType computed_;
  Dims leading_;
  AttentionTensor queries_;
  AttentionTensor keys_;
  AttentionTensor values_;
  MatrixStack scores_;
  std::vector<PlannedStep> steps_;
};

}  // namespace stashscope::cuda
