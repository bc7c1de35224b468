#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// What an axis of a value counts.
enum class AxisRole : std::uint8_t {
  plain,   ///< no tokens
  batch,   ///< sequences, perhaps with heads behind them in the same axis
  row,     ///< positions
  key,     ///< positions of tokens that other tokens read
  tokens,  ///< the positions of all sequences
};

/// How a value holds tokens. Its elements for a left out token may have any value.
struct TokenState {
  std::vector<AxisRole> roles;  ///< one for each axis
  bool is_share = false;        ///< probabilities: those of left out keys are 0
  bool is_cut = false;          ///< lacks the last position of each sequence
  /// Scores: those of left out keys are at most this very low number. Nothing if that is not known.
  std::optional<double> hidden_at{};
  bool may_be_low = false;   ///< may be far below 0, because something very low was added
  bool may_be_high = false;  ///< may be far above 0

  bool has(AxisRole role) const;
  /// Forgets what is known of the numbers. For nodes that may change them in any way.
  void forget_numbers();
  /// The place of a role, counted from the end: 1 is the last axis; 0 if no axis has the role.
  std::size_t from_end(AxisRole role) const;
  /// The number of leading axes that count tokens if all other axes are plain: 2 for [batch, row,
  /// plain...], 1 for [tokens, plain...], else 0.
  std::size_t leading() const;
};

/// The roles of the axes after a reshape. Nothing if an axis would mix tokens with other things in
/// another way than `AxisRole` can say.
/// @param batch the number of sequences
std::optional<std::vector<AxisRole>> reshaped_roles(const Shape& from,
                                                    const std::vector<AxisRole>& roles,
                                                    const Shape& to, const Expr& batch);

}  // namespace stashscope
