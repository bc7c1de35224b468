#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"
#include "core/run/cuda/codegen/walk_text.h"

namespace stashscope::cuda {

using Dims = std::vector<std::int64_t>;

/// Groups of entries. An entry is a position in the leading axes of a tensor; entries are numbered
/// in row-major order. The entries of a group share a matrix or a sum. `kept` maps the index of a
/// group to the first entry of the group. `summed` maps the index of an entry within its group to
/// the distance from the first entry.
struct SharedEntries {
  WalkText kept;
  WalkText summed;

  std::int64_t groups() const { return kept.count(); }
  std::int64_t in_group() const { return summed.count(); }
  /// The text of a type SharedEntries<...> (kernels/tiled_attention_gradient.cuh).
  std::string text() const;
};

/// A tensor seen as one matrix for each entry of leading axes `leading`. The tensor's own leading
/// axes may be broadcast to these, or several neighbouring indices may share a matrix, as query
/// heads share a head of keys.
struct MatrixStack {
  ElementType element = ElementType::float32;
  Dims leading;
  Dims sizes;    ///< of the tensor's leading axes, as many as `leading`; 1 for a missing axis
  Dims strides;  ///< of the tensor's leading axes; all strides are in elements
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  /// The text of a Walk from an entry to the offset of its matrix.
  std::string offsets() const;
  /// The text of a type Matrices<...> (kernels/tiled_attention.cuh).
  /// @param is_written whether the elements are not const
  std::string type(bool is_written) const;
  /// The entries that share a matrix.
  SharedEntries shared_entries() const;
  std::int64_t matrices() const { return shared_entries().groups(); }

 private:
  std::int64_t group(std::size_t axis) const;
};

/// @param dims of the tensor @param axes the tensor's axes in the order leading..., rows, columns
MatrixStack matrix_stack(ElementType element, const Dims& dims, const Dims& axes,
                         const Dims& leading);

}  // namespace stashscope::cuda
