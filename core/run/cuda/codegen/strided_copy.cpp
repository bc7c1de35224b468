#include "core/run/cuda/codegen/strided_copy.h"

#include <algorithm>
#include <limits>

#include "core/run/cuda/codegen/box.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using CopyBox = Box<2>;
constexpr std::size_t source = 0;
constexpr std::size_t target = 1;

/// A copy of elements of `bytes` bytes each; the innermost axis of the box is last.
struct BoxCopy {
  std::int64_t bytes = 0;
  CopyBox box;
  std::array<std::int64_t, 2> offsets{};
};

/// Merges elements that are adjacent in source and target into larger elements.
void widen_elements(BoxCopy& copy) {
  if (copy.box.empty()) return;
  const auto& row = copy.box.back();
  if (row.steps[source] != 1 || row.steps[target] != 1) return;
  const auto fits = [&](std::int64_t width) {
    bool even = row.size % width == 0;
    for (std::size_t k : {source, target}) {
      even = even && copy.offsets[k] % width == 0;
      for (std::size_t i = 0; i + 1 < copy.box.size(); ++i) {
        even = even && copy.box[i].steps[k] % width == 0;
      }
    }
    return even;
  };
  std::int64_t width = 16 / copy.bytes;
  while (!fits(width)) width /= 2;
  copy.bytes *= width;
  copy.box.back().size /= width;
  for (std::size_t k : {source, target}) {
    copy.offsets[k] /= width;
    for (std::size_t i = 0; i + 1 < copy.box.size(); ++i) copy.box[i].steps[k] /= width;
  }
  if (copy.box.back().size == 1) copy.box.pop_back();
}

/// The larger of the copy's largest offset and its number of elements.
std::int64_t reach_of(const BoxCopy& copy) {
  std::int64_t reach = elements_of(copy.box);
  for (std::size_t k : {source, target}) {
    std::int64_t last = copy.offsets[k];
    for (const auto& axis : copy.box) last += std::abs(axis.steps[k]) * (axis.size - 1);
    reach = std::max(reach, last);
  }
  return reach;
}

/// A call of `function` of kernels/boxes.cuh. The template arguments are the element type and then
/// `arguments`.
KernelCall call_of(const BoxCopy& copy, const std::string& function,
                   const std::vector<std::string>& arguments, const LaunchShape& shape) {
  const std::string type = moved_type(copy.bytes);
  const auto shifted = [&](const char* name, std::size_t tensor) {
    return name + (" + " + std::to_string(copy.offsets[tensor]));
  };
  return {"(const " + type + "* from, " + type + "* to) {\n  " +
              invocation(function, arguments_of(type, arguments),
                         {shifted("from", source), shifted("to", target)}) +
              ";\n}\n",
          shape,
          {}};
}

KernelCall element_copy(const BoxCopy& copy) {
  const std::int64_t count = elements_of(copy.box);
  return call_of(copy, "copy_box",
                 arguments_of(index_type(reach_of(copy)), count, axis_texts(copy.box)),
                 launch_of(count));
}

/// The number of elements that a thread stores at once; 1 unless the rows of the target are dense.
std::int64_t store_width(const BoxCopy& copy) {
  if (copy.box.empty() || copy.box.back().steps[target] != 1) return 1;
  const auto fits = [&](std::int64_t width) {
    bool even = copy.box.back().size % width == 0 && copy.offsets[target] % width == 0;
    for (std::size_t i = 0; i + 1 < copy.box.size(); ++i) {
      even = even && copy.box[i].steps[target] % width == 0;
    }
    return even;
  };
  std::int64_t width = 16 / copy.bytes;
  while (!fits(width)) width /= 2;
  return width;
}

KernelCall gathering_copy(const BoxCopy& copy, std::int64_t width) {
  const std::int64_t count = elements_of(copy.box) / width;
  return call_of(copy, "gather_box",
                 arguments_of(width, index_type(reach_of(copy)), count, axis_texts(copy.box)),
                 launch_of(count));
}

/// The outer axis that is dense in the source. Returns nullopt if there is none, or if transposing
/// tiles of this axis and the innermost axis does not pay off.
std::optional<std::size_t> turned_axis(const CopyBox& box) {
  constexpr std::int64_t least = 8;
  if (box.empty() || box.back().steps[target] != 1 || box.back().size < least) return std::nullopt;
  if (box.back().steps[source] == 0) return std::nullopt;  // the row repeats one element
  for (std::size_t i = 0; i + 1 < box.size(); ++i) {
    if (box[i].steps[source] == 1 && box[i].size >= least) return i;
  }
  return std::nullopt;
}

KernelCall turning_copy(const BoxCopy& copy, std::size_t column) {
  const std::int64_t tile = copy.bytes < 4 ? 64 : 32;
  const auto tiles = [&](const BoxAxis<2>& axis) { return (axis.size + tile - 1) / tile; };
  const CopyBox turned = {copy.box[column], copy.box.back()};
  CopyBox outer = copy.box;
  outer.pop_back();
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(column));
  const std::int64_t blocks = tiles(turned[0]) * tiles(turned[1]) * elements_of(outer);
  return call_of(
      copy, "turn_tiles",
      arguments_of(tile, index_type(reach_of(copy)), axis_texts(turned), axis_texts(outer)),
      {blocks, 256});
}

/// A call of the device's copy function if the copy consists of long rows, else nullopt. The copy
/// function is preferred, because compiling a kernel for each part of a Concat or Split takes long.
std::optional<RowCopyCall> row_copy(const BoxCopy& copy) {
  constexpr std::int64_t least_row_bytes = 4096;
  if (copy.box.empty() || copy.box.size() > 2) return std::nullopt;
  const auto& row = copy.box.back();
  const bool is_dense = row.steps[source] == 1 && row.steps[target] == 1;
  if (!is_dense || row.size * copy.bytes < least_row_bytes) return std::nullopt;
  // Devices support pitches of up to 31 bits.
  if (reach_of(copy) * copy.bytes > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  RowCopyCall call;
  call.shape = {1, row.size * copy.bytes, row.size * copy.bytes, row.size * copy.bytes};
  if (copy.box.size() == 2) {
    const auto& rows = copy.box.front();
    const auto overlaps = [&](std::size_t k) { return rows.steps[k] < row.size; };
    if (overlaps(source) || overlaps(target)) return std::nullopt;
    call.shape.rows = rows.size;
    call.shape.from_pitch = rows.steps[source] * copy.bytes;
    call.shape.to_pitch = rows.steps[target] * copy.bytes;
  }
  call.from_offset = copy.offsets[source] * copy.bytes;
  call.to_offset = copy.offsets[target] * copy.bytes;
  return call;
}

KernelCall kernel_of(const BoxCopy& copy) {
  if (const auto column = turned_axis(copy.box)) return turning_copy(copy, *column);
  const std::int64_t width = store_width(copy);
  return width > 1 ? gathering_copy(copy, width) : element_copy(copy);
}

}  // namespace

StridedOperand whole(Operand operand, const std::vector<std::int64_t>& dims) {
  return {operand, kernels::dense_strides(dims)};
}

void add_strided_copy(Lowered& lowered, ElementType element, const std::vector<std::int64_t>& sizes,
                      const StridedOperand& from, const StridedOperand& to) {
  BoxCopy copy{element_bytes(element),
               merged_box<2>(sizes, {from.strides, to.strides}),
               {from.offset, to.offset}};
  if (elements_of(copy.box) == 0) return;
  if (auto rows = row_copy(copy)) {
    rows->from = from.operand;
    rows->to = to.operand;
    lowered.add(*rows);
    return;
  }
  widen_elements(copy);
  KernelCall call = kernel_of(copy);
  call.operands = {from.operand, to.operand};
  lowered.add(std::move(call));
}

LaunchShape launch_of(std::int64_t threads, int threads_of_block) {
  return {(threads + threads_of_block - 1) / threads_of_block, threads_of_block};
}

std::string index_type(std::int64_t elements) {
  // The type must also hold the indices of the last block's threads beyond the last element.
  return elements < std::numeric_limits<std::int32_t>::max() - 1024 ? "Int32" : "Int64";
}

}  // namespace stashscope::cuda
