#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// How large dimensions can be in a given memory.
struct FitQuestion {
  std::string label;               ///< what the user calls the size; may be empty
  std::vector<std::string> names;  ///< of dimensions, or `*` patterns; all take the same value
  std::int64_t memory_bytes = 0;
};

/// The question that `LABEL=NAME[,NAME...]` or `NAME[,NAME...]` asks. Throws a usage Error.
FitQuestion parse_fit(const std::string& text);

/// The dimensions that the question is about. Throws a usage Error for names that the model does
/// not have, that have a fixed value or that follow from others.
std::vector<Dimension> fit_dimensions(const Study& study, const FitQuestion& question);

/// A step with one value for the dimensions.
struct FitPoint {
  std::int64_t value = 0;
  std::string fault;  ///< not empty: sizes do not fit into 64 bits, and nothing else is known
  std::int64_t peak_bytes = 0;
  std::int64_t persistent_bytes = 0;  ///< there before, during and after the step
  double seconds = 0;                 ///< predicted, of the step
  std::shared_ptr<const Variant> variant;
  std::vector<Dimension> others;  ///< dimensions that have to be of another size than in the study
};

/// What fits of one variant of the step.
struct VariantFit {
  std::optional<FitPoint> largest;  ///< nothing: none fits
  std::optional<FitPoint> next;     ///< the next larger value that the model takes: does not fit
  /// Where the value behind the largest, or the first one, is refused by the model: that one and
  /// why.
  std::optional<std::int64_t> refused_value;
  std::string refusal;
  bool is_unlimited = false;  ///< largest is only the largest that was tried
  int trials = 0;             ///< values that were tried
};

struct LargestFit {
  FitQuestion question;
  std::vector<Dimension> dimensions;
  VariantFit baseline;  ///< no plans, the file's order
  VariantFit current;   ///< the plans, order and fusions in force
};

/// The largest values whose predicted peaks are at most the memory. Each trial is exact: sizes,
/// order by rule, groups and timeline are those of a study with that value, on the study's graph
/// and dataflow. The symbolic size of the peak tells what to try next (largest_value.h has the
/// search and what it takes for granted). The order of a planned sequence is kept. An order that is
/// searched is kept as the study found it with the study's sizes, then searched anew once with the
/// value found, and the better of the two counts; the groups of fused nodes are kept with it.
/// Throws a usage Error for dimensions that cannot be chosen, and when cancelled.
LargestFit largest_fit(const Study& study, const FitQuestion& question, const Progress& progress);

/// Whether an answer that was found for `asked` is one for `now` too: nothing differs but the
/// device that runs the step and the size of the dimensions that were asked about.
bool fit_holds(const Study& asked, const LargestFit& answer, const Study& now);

}  // namespace stashscope
