#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/study/reserved/device_memory.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The question: what is the largest value of some dimensions with which the step fits into a given
/// memory?
struct FitQuestion {
  std::string label;               ///< the user's name for the value; may be empty
  std::vector<std::string> names;  ///< dimension names or `*` patterns, which all get one value
  std::int64_t memory_bytes = 0;
  /// If set, the memory that an allocator with these settings reserves must fit, too.
  std::optional<AllocatorSettings> allocator = {};
  /// If set, the memory that the step takes of the device, including memory outside tensors, must
  /// fit into this, too: the upper figure of `device_memory` for `others` is at most this. Has no
  /// effect without `allocator`.
  std::optional<std::int64_t> device_bytes = {};
  std::vector<OtherMemory> others = usual_other_memory();

  friend bool operator==(const FitQuestion&, const FitQuestion&) = default;
};

/// Parses `LABEL=NAME[,NAME...]` or `NAME[,NAME...]`. Throws a usage Error for any other text.
FitQuestion parse_fit(const std::string& text);

/// The dimensions that the question names. Throws a usage Error for a name if the model has no such
/// dimension, if the dimension has a fixed value, or if the dimension is computed from others.
std::vector<Dimension> fit_dimensions(const Study& study, const FitQuestion& question);

/// Whether the dimension counts samples. In a captured step, a name such as `batch` also says so.
bool counts_samples(const Study& study, const Dimension& dimension);

/// The value that all dimensions have; nothing if their values differ. @pre there are dimensions
std::optional<std::int64_t> common_value(const std::vector<Dimension>& dimensions);

/// Asks for the largest number of samples with which the step fits into the memory of the device.
/// The question covers the first dimension that counts samples, and all other such dimensions that
/// have the same value. A captured step makes its data itself, so the names of its dimensions tell
/// which counts samples; if there is only one dimension, the question covers it. Nothing if no
/// dimension counts samples, or if the memory of the device is unknown.
std::optional<FitQuestion> samples_question(const Study& study);

/// The step with one value for all dimensions of the question.
struct FitPoint {
  std::int64_t value = 0;
  std::string fault;  ///< if not empty: sizes are too large, and the fields below are not set
  std::int64_t peak_bytes = 0;
  /// The peak of later steps, which must fit, too (later_steps.h).
  std::int64_t later_peak_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< set if the question asks for reserved memory
  std::optional<DeviceMemory> device = {};     ///< set if the question has `device_bytes`
  std::int64_t persistent_bytes = 0;           ///< bytes that are live during the whole step
  double seconds = 0;                          ///< predicted time of the step
  std::shared_ptr<const Variant> variant;
  std::vector<Dimension> others;  ///< other dimensions whose sizes differ from the study's
};

/// The largest value that fits for one variant of the step.
struct VariantFit {
  std::optional<FitPoint> largest;  ///< not set: no value fits
  std::optional<FitPoint> next;     ///< the next larger value that the model accepts; does not fit
  /// The value directly above `largest`, or 1 if the model accepts no value. Set only if the model
  /// rejects this value; `refusal` is the reason.
  std::optional<std::int64_t> refused_value;
  std::string refusal;
  bool is_unlimited = false;  ///< no limit was found: `largest` is the largest value tried
  int trials = 0;             ///< the number of values tried
};

struct LargestFit {
  FitQuestion question;
  std::vector<Dimension> dimensions;
  VariantFit baseline;  ///< without plans, in the file's order
  VariantFit current;   ///< with the plans, order and fusions of the study
};

/// Finds the largest values whose predicted peaks fit into the memory. Each trial is exact: it uses
/// the study's graph and dataflow, and computes sizes, rule-based order, groups and timeline as a
/// study with that value would. The symbolic size of the peak guides the search (largest_value.h
/// states its assumptions). The order of a planned sequence is used for all values. A searched
/// order is handled in two passes. The first pass keeps the order that was found for the study's
/// sizes, with its fused groups. Then the order is searched once more for the largest value found,
/// and the better result is returned.
/// Throws a usage Error for dimensions that cannot be chosen, and a cancelled Error when cancelled.
LargestFit largest_fit(const Study& study, const FitQuestion& question, const Progress& progress);

/// Whether an answer that was found for the study `asked` also holds for the study `now`. The
/// answer holds if the studies differ at most in the device that runs the step, in the chosen
/// allocator and in the sizes of the dimensions of the question.
bool fit_holds(const Study& asked, const LargestFit& answer, const Study& now);

}  // namespace stashscope
