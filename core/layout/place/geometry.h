#pragma once

#include <algorithm>
#include <cmath>
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

/// The rectangle with every side moved outwards by `by`.
inline Rect grown(const Rect& rect, double by) {
  return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
}

inline Rect united(const Rect& a, const Rect& b) {
  const double x = std::min(a.x, b.x);
  const double y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

/// Connected cubic Bézier curves: 1 + 3n points.
using Curve = std::vector<Point>;

/// The smallest rectangle around all control points; it contains the curve.
/// @pre not empty
inline Rect bounds_of(const Curve& curve) {
  Rect bounds{curve.front().x, curve.front().y, 0, 0};
  for (const Point& p : curve) bounds = united(bounds, {p.x, p.y, 0, 0});
  return bounds;
}

/// The point of one cubic curve at `t` in [0, 1]. @param p the four control points of the curve
inline Point point_on(const Point* p, double t) {
  const double s = 1 - t;
  const double a = s * s * s;
  const double b = 3 * s * s * t;
  const double c = 3 * s * t * t;
  const double d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/// The points of a polyline along the curve, with `parts` segments for each cubic curve.
inline std::vector<Point> flattened(const Curve& curve, int parts) {
  std::vector<Point> points = {curve.front()};
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    for (int k = 1; k <= parts; ++k) {
      points.push_back(point_on(&curve[i], static_cast<double>(k) / parts));
    }
  }
  return points;
}

/// Distance of `point` from the line segment between `from` and `to`.
inline double distance_to(Point from, Point to, Point point) {
  const Point along = {to.x - from.x, to.y - from.y};
  const Point away = {point.x - from.x, point.y - from.y};
  const double length = along.x * along.x + along.y * along.y;
  const double share = length > 0 ? (away.x * along.x + away.y * along.y) / length : 0;
  const double t = std::clamp(share, 0.0, 1.0);
  return std::hypot(away.x - t * along.x, away.y - t * along.y);
}

/// Distance of a point from a curve; the error is below a pixel for curves as long as a screen.
inline double distance_to(const Curve& curve, Point point) {
  constexpr int parts = 32;
  const std::vector<Point> points = flattened(curve, parts);
  double least = std::hypot(point.x - points[0].x, point.y - points[0].y);
  for (std::size_t i = 1; i < points.size(); ++i) {
    least = std::min(least, distance_to(points[i - 1], points[i], point));
  }
  return least;
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
