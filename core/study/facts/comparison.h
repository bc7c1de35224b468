#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// What a row of a comparison is about, in the order in which rows are listed.
enum class ComparisonGroup : std::uint8_t { memory, time, model, choices, plans, tensors };

/// `memory`, as programs call it.
std::string_view name_of(ComparisonGroup group);
/// `Alive at the peak`, for people.
std::string_view title_of(ComparisonGroup group);

/// What a compared number counts.
enum class Quantity : std::uint8_t { text, bytes, count, seconds, percent };

/// One side of a row.
struct ComparedValue {
  std::string text;              ///< as people read it; empty: there is none on this side
  std::optional<double> number;  ///< bytes, pieces, seconds or per cent; nothing for texts

  friend bool operator==(const ComparedValue&, const ComparedValue&) = default;
};

/// One fact about two steps.
struct ComparisonRow {
  ComparisonGroup group = ComparisonGroup::memory;
  std::string name;
  Quantity quantity = Quantity::text;
  ComparedValue left;
  ComparedValue right;

  bool differs() const { return left != right; }
  bool only_left() const { return right.text.empty() && !left.text.empty(); }
  bool only_right() const { return left.text.empty() && !right.text.empty(); }
  /// `+1.2 MiB (+4.1 %)`: what the right side has more; for texts empty.
  std::string difference() const;

  friend bool operator==(const ComparisonRow&, const ComparisonRow&) = default;
};

/// What two studies have in common and where they differ: peaks and what they are made of, times,
/// models, choices, plans by cluster, and the largest tensors alive at either peak. Choices, plans
/// and dimensions that neither side has are left out.
std::vector<ComparisonRow> compare(const Study& left, const Study& right);

}  // namespace stashscope
