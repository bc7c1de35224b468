#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope::app {

/// The tensors of all `<prefix>*.pb` files of a folder, by tensor name. Throws an input Error if
/// the folder cannot be read or if two files contain tensors of the same name.
NamedTensors load_tensors(const std::filesystem::path& folder, const std::string& prefix);

/// The difference between a result and the expected tensor.
struct TensorComparison {
  std::string name;
  double largest_error = 0;    ///< absolute error; infinite if only one side is NaN
  double largest_value = 0;    ///< largest magnitude of the expected finite elements
  double allowed = 0;          ///< largest absolute error that passes
  std::string fault;           ///< why the tensors cannot be compared; empty if they can
  bool is_gradient = false;    ///< from a `grad_*.pb`
  bool only_rounding = false;  ///< all magnitudes are at most float32 epsilon times the largest
                               ///< value of all gradients
  bool given_up = false;       ///< a pass removed the output: nothing was compared
  bool random = false;         ///< made from random numbers: only type and shape were compared

  bool passes() const { return fault.empty() && largest_error <= allowed; }
};

/// The outputs of a run, with the graph and the inputs that the run used.
struct Results {
  const NamedTensors& outputs;
  const Graph& graph;
  const NamedTensors& inputs;
  bool in_mixed_precision = false;
  std::set<std::string> given_up = {};  ///< outputs of the model that a pass removed
};

/// Compares the outputs with `output_*.pb` and `grad_*.pb` of `folder`. A tensor passes if its
/// error is at most `tolerance` times its largest value. A `manifest.json` beside the folder may
/// state the deviation of float32 from float64 for a gradient. Such a gradient also passes if its
/// error is at most 4 deviations, because two float32 computations may differ by a few deviations.
/// It fails if its error exceeds 50 deviations, unless it is `only_rounding`. In mixed precision,
/// deviations are ignored, and outputs may have another floating-point type. A gradient is
/// `only_rounding` if its largest value is at most float32 epsilon times the largest value of all
/// gradients. An `only_rounding` gradient also passes if its error is at most this bound. For
/// outputs made from random numbers, only types and shapes are compared. Throws an input Error if
/// `folder` has no such files.
std::vector<TensorComparison> compare_outputs(const Results& results,
                                              const std::filesystem::path& folder,
                                              double tolerance);

/// Prints one line per tensor on standard output. Returns whether all passed.
bool print_comparison(const std::vector<TensorComparison>& compared);

}  // namespace stashscope::app
