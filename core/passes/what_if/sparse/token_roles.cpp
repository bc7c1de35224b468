#include "core/passes/what_if/sparse/token_roles.h"

#include <algorithm>
#include <span>

namespace stashscope {

namespace {

using Roles = std::vector<AxisRole>;

/// Axes that are more than one element long.
struct LongAxes {
  std::vector<std::size_t> places;
  Shape dims;
};

LongAxes long_axes(const Shape& shape) {
  LongAxes axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is(1)) continue;
    axes.places.push_back(i);
    axes.dims.push_back(shape[i]);
  }
  return axes;
}

/// The product of the first n dims for each n, from 0 to the number of dims.
std::vector<Expr> products(const Shape& dims) {
  std::vector<Expr> all = {1};
  for (const Expr& dim : dims) all.push_back(all.back() * dim);
  return all;
}

/// Adjacent axes that become other adjacent axes of as many elements.
struct Group {
  std::size_t from = 0;
  std::size_t from_count = 0;
  std::size_t to = 0;
  std::size_t to_count = 0;
};

/// Divides the axes before and after a reshape into the smallest groups.
class Groups {
 public:
  Groups(const Shape& from, const Shape& to) : starts_(products(from)), ends_(products(to)) {}

  bool at_end() const { return next_.from + 1 == starts_.size() && next_.to + 1 == ends_.size(); }

  /// Nothing if no further axes can be proven to have as many elements as others.
  std::optional<Group> next() {
    for (std::size_t i = next_.from + 1; i < starts_.size(); ++i) {
      const auto first = ends_.begin() + static_cast<std::ptrdiff_t>(next_.to) + 1;
      const auto found = std::find(first, ends_.end(), starts_[i]);
      if (found == ends_.end()) continue;
      const auto end = static_cast<std::size_t>(found - ends_.begin());
      const Group group = {next_.from, i - next_.from, next_.to, end - next_.to};
      next_ = {i, 0, end, 0};
      return group;
    }
    return std::nullopt;
  }

 private:
  std::vector<Expr> starts_;
  std::vector<Expr> ends_;
  Group next_;
};

bool all_plain(std::span<const AxisRole> roles) {
  return std::ranges::all_of(roles, [](AxisRole role) { return role == AxisRole::plain; });
}

/// The roles of the axes that a group of axes becomes; nothing if no roles express them.
/// @param first the length of the group's first axis before the reshape
std::optional<Roles> regrouped(std::span<const AxisRole> from, const Expr& first,
                               std::span<const Expr> to, const Expr& batch) {
  Roles made(to.size(), AxisRole::plain);
  if (all_plain(from)) return made;
  if (from.size() == 1 && to.size() == 1) return Roles{from[0]};
  const bool rest_is_plain = all_plain(from.subspan(1));
  if (from[0] == AxisRole::batch && rest_is_plain && (to.size() == 1 || to[0] == batch)) {
    made[0] = AxisRole::batch;
    return made;
  }
  if (from.size() == 2 && from[0] == AxisRole::batch && from[1] == AxisRole::row &&
      to.size() == 1 && first == batch) {
    return Roles{AxisRole::tokens};
  }
  if (from.size() == 1 && from[0] == AxisRole::tokens && to.size() == 2 && to[0] == batch) {
    return Roles{AxisRole::batch, AxisRole::row};
  }
  return std::nullopt;
}

}  // namespace

bool TokenState::has(AxisRole role) const { return from_end(role) != 0; }

void TokenState::forget_numbers() {
  hidden_at.reset();
  is_share = false;
  may_be_low = may_be_high = may_be_low || may_be_high;
}

std::size_t TokenState::from_end(AxisRole role) const {
  const auto found = std::ranges::find(roles, role);
  return static_cast<std::size_t>(roles.end() - found);
}

std::size_t TokenState::leading() const {
  if (roles.empty()) return 0;
  if (roles[0] == AxisRole::tokens && all_plain(std::span(roles).subspan(1))) return 1;
  const bool is_whole = roles.size() > 1 && roles[0] == AxisRole::batch &&
                        roles[1] == AxisRole::row && all_plain(std::span(roles).subspan(2));
  return is_whole ? 2 : 0;
}

std::optional<std::vector<AxisRole>> reshaped_roles(const Shape& from,
                                                    const std::vector<AxisRole>& roles,
                                                    const Shape& to, const Expr& batch) {
  const LongAxes before = long_axes(from);
  const LongAxes after = long_axes(to);
  Roles long_roles;
  for (const std::size_t place : before.places) long_roles.push_back(roles[place]);
  Roles made(to.size(), AxisRole::plain);
  Groups groups(before.dims, after.dims);
  while (!groups.at_end()) {
    const auto group = groups.next();
    if (!group) return std::nullopt;
    const std::span axes = std::span<const Expr>(after.dims).subspan(group->to, group->to_count);
    const auto grouped = regrouped(std::span(long_roles).subspan(group->from, group->from_count),
                                   before.dims[group->from], axes, batch);
    if (!grouped) return std::nullopt;
    for (std::size_t k = 0; k < axes.size(); ++k) made[after.places[group->to + k]] = (*grouped)[k];
  }
  return made;
}

}  // namespace stashscope
