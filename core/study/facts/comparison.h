#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The topics of comparison rows, in the order in which rows are listed.
enum class ComparisonGroup : std::uint8_t { memory, time, model, choices, plans, tensors };

/// Name in machine-read output, such as `memory`.
std::string_view name_of(ComparisonGroup group);
/// Title for people, such as `Alive at the peak`.
std::string_view title_of(ComparisonGroup group);

/// The unit of a compared value; `text` for a value that is no number.
enum class Quantity : std::uint8_t { text, bytes, count, seconds, percent };

/// One side of a comparison row.
struct ComparedValue {
  std::string text;              ///< formatted for people; empty if this side has no such value
  std::optional<double> number;  ///< bytes, items, seconds or percent; not set for texts

  friend bool operator==(const ComparedValue&, const ComparedValue&) = default;
};

/// One fact about two steps.
struct ComparisonRow {
  ComparisonGroup group = ComparisonGroup::memory;
  std::string name;
  Quantity quantity = Quantity::text;
  ComparedValue left;
  ComparedValue right;
  std::string words = {};  ///< the name in words for people; empty: people see `name`

  const std::string& title() const { return words.empty() ? name : words; }
  bool differs() const { return left != right; }
  bool only_left() const { return right.text.empty() && !left.text.empty(); }
  bool only_right() const { return left.text.empty() && !right.text.empty(); }
  /// Right minus left, such as `+1.2 MiB (+4.1 %)`. Empty unless the sides have different numbers.
  std::string difference() const;

  friend bool operator==(const ComparisonRow&, const ComparisonRow&) = default;
};

/// The bytes that the allocator reserves for the current variants of two studies. A side without an
/// allocator is not set.
struct ReservedSides {
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
};

/// Compares two studies: peaks and their bands, times, models, choices, plans by cluster, and the
/// largest tensors alive at either peak. Equal rows are listed too. Plans that are on in neither
/// study and bands that are empty at both peaks are left out. The row of a plan has the plan's name
/// in words besides its config string. The numbers in tensor names differ between captures.
/// Therefore tensors of two captured steps are matched by the node that makes them: its module, its
/// operator, and its number among the nodes of this operator in the module.
std::vector<ComparisonRow> compare(const Study& left, const Study& right,
                                   const ReservedSides& reserved = {});

/// The dimensions that have different sizes on the two sides. The result has the sizes of the left
/// side.
SizeChoices sizes_that_differ(const Study& left, const Study& right);

}  // namespace stashscope
