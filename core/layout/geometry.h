#pragma once

#include <algorithm>
#include <vector>

namespace stashscope::layout {

/// Positions in pixels at zoom 1; y grows downwards.
struct Point {
  double x = 0;
  double y = 0;

  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend bool operator==(const Point&, const Point&) = default;
};

struct Size {
  double width = 0;
  double height = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point center() const { return {x + width / 2, y + height / 2}; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  bool intersects(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};

inline Rect moved(const Rect& rect, Point by) {
  return {rect.x + by.x, rect.y + by.y, rect.width, rect.height};
}

inline Rect united(const Rect& a, const Rect& b) {
  const double x = std::min(a.x, b.x);
  const double y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

/// Cubic Bézier curves end to end: 1 + 3n points.
using Curve = std::vector<Point>;

/// The smallest rectangle around all control points, which the curve never leaves.
/// @pre not empty
inline Rect bounds_of(const Curve& curve) {
  Rect bounds{curve.front().x, curve.front().y, 0, 0};
  for (const Point& p : curve) bounds = united(bounds, {p.x, p.y, 0, 0});
  return bounds;
}

/// A curve that leaves `from` and reaches `to` vertically (horizontally).
inline Curve vertical_curve(Point from, Point to) {
  const double bend = (to.y - from.y) / 2;
  return {from, {from.x, from.y + bend}, {to.x, to.y - bend}, to};
}
inline Curve horizontal_curve(Point from, Point to) {
  const double bend = (to.x - from.x) / 2;
  return {from, {from.x + bend, from.y}, {to.x - bend, to.y}, to};
}

}  // namespace stashscope::layout
