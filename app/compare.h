#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope::app {

/// All `<prefix>*.pb` files of a folder by the tensor names they carry. Throws an input Error when
/// there is no such folder or when two files hold one tensor.
NamedTensors load_tensors(const std::filesystem::path& folder, const std::string& prefix);

/// How far a result is from what was expected.
struct TensorComparison {
  std::string name;
  double largest_error = 0;    ///< absolute; infinite where only one side is NaN
  double largest_value = 0;    ///< of the expected tensor's finite elements
  double allowed = 0;          ///< absolute
  std::string fault;           ///< why the two cannot be compared; empty when they can
  bool is_gradient = false;    ///< from a `grad_*.pb`
  bool only_rounding = false;  ///< below the float32 epsilon of the largest gradient
  bool given_up = false;       ///< a pass left the output out: nothing was compared
  bool random = false;         ///< made from random numbers: only type and dims were compared

  bool passes() const { return fault.empty() && largest_error <= allowed; }
};

/// What a run gave, and of what.
struct Results {
  const NamedTensors& outputs;
  const Graph& graph;
  const NamedTensors& inputs;
  bool in_mixed_precision = false;
  std::set<std::string> given_up = {};  ///< outputs of the model that a pass left out
};

/// Compares with `output_*.pb` and `grad_*.pb` of `folder`. A tensor passes within `tolerance` of
/// its largest value. Where a `manifest.json` beside the folder states how far float32 is from
/// float64 for a gradient, it must be within 50 of these deviations, too, and passes within 4 of
/// them: no float32 program comes nearer for sure. Mixed precision knows the tolerance alone, and
/// its floating outputs may be narrower. A gradient below the float32 epsilon of the largest one is
/// nothing but rounding: it passes below that. Of outputs that random numbers make, only types and
/// dims are compared.
std::vector<TensorComparison> compare_outputs(const Results& results,
                                              const std::filesystem::path& folder,
                                              double tolerance);

/// One line per tensor on standard output; whether all passed.
bool print_comparison(const std::vector<TensorComparison>& compared);

}  // namespace stashscope::app
