#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stashscope {

struct Study;

/// A choice of a joint answer, or one that was considered and left out, and the reason.
struct ExplainedChoice {
  enum class Kind : std::uint8_t { what_if, pass, recompute, offload, compress, sequence };

  Kind kind = Kind::what_if;
  /// As options write it: `attention=flash`, `train_normalizations,fold_constants`, `Gelu+:1:-1`.
  /// For a sequence, operators and their additional runs: `Relu x37`; `order` if no node runs
  /// again. Empty for the entry that states why no what-ifs were tried.
  std::string choice;
  /// False if the choice was considered and left out. Also false for an entry about a what-if that
  /// is on but could not change some places.
  bool is_made = true;
  bool changes_results = false;  ///< whether the choice changes the results of the step
  std::string sentence;          ///< the choice and its reason, in plain text
  std::string tensor;            ///< the tensor that `sentence` names as freed; empty: none
  /// Bytes by which the choice lowers the peak. For what-ifs and passes: the peak of the step
  /// without plans, but with the choices that are listed before. For a plan: the peak of the step
  /// with all other choices. For an operator of a sequence, instead: the bytes that the outputs of
  /// its repeated nodes have at the peak of the step without plans.
  std::int64_t saving_bytes = 0;
  double seconds = 0;  ///< added to the step; negative: the step is faster
};

/// The name of a kind in reports: `what_if`, `pass`, `recompute` and so on.
std::string_view name_of(ExplainedChoice::Kind kind);

/// The parts of a joint answer, and the bounds that are proven for it.
struct JointFacts {
  double seconds = 0;            ///< of the step with the answer
  double seconds_before = 0;     ///< of the step as it was asked about
  std::int64_t peak_before = 0;  ///< of the step as it was asked about
  double least_seconds = 0;      ///< lower bound on `seconds`, for all combinations and plans
  std::int64_t floor_bytes = 0;  ///< lower bound on the peak, for all combinations and plans
  std::size_t combinations = 0;  ///< combinations of what-ifs and passes that were computed
  /// Whether the answer does not depend on the limit of time, so that another call with the same
  /// moves has the same answer. All combinations and their bounds were computed, no search was cut
  /// short, and the last search, which uses up the time that remains, did not improve the answer.
  bool is_complete = true;
  std::vector<ExplainedChoice> explanation;
  std::shared_ptr<const Study> study;  ///< of the answer's choices
};

}  // namespace stashscope
