#include "ui/graph/occupied.h"

#include <algorithm>
#include <cmath>

namespace stashscope::ui {

namespace {

constexpr double cell_size = 48;
/// Distance between the positions that are tried along an edge, in pixels.
constexpr double edge_step = 12;

int cells_along(double length) {
  return std::max(1, static_cast<int>(std::ceil(length / cell_size)));
}

}  // namespace

Occupied::Occupied(const QRectF& room)
    : room_(room),
      columns_(cells_along(room.width())),
      rows_(cells_along(room.height())),
      first_(static_cast<std::size_t>(columns_ * rows_), -1) {}

Occupied::Cells Occupied::cells_of(const QRectF& rect) const {
  const auto cell = [](double at, int count) {
    return static_cast<int>(std::clamp(std::floor(at / cell_size), 0.0, count - 1.0));
  };
  return {cell(rect.left() - room_.left(), columns_), cell(rect.top() - room_.top(), rows_),
          cell(rect.right() - room_.left(), columns_), cell(rect.bottom() - room_.top(), rows_)};
}

std::size_t Occupied::index_of(int x, int y) const {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) +
         static_cast<std::size_t>(x);
}

void Occupied::add(const QRectF& rect) {
  if (!rect.intersects(room_)) return;
  const Cells cells = cells_of(rect);
  const auto index = static_cast<std::uint32_t>(rects_.size());
  rects_.push_back(rect);
  for (int y = cells.top; y <= cells.bottom; ++y) {
    for (int x = cells.left; x <= cells.right; ++x) {
      std::int32_t& first = first_[index_of(x, y)];
      entries_.push_back({index, first});
      first = static_cast<std::int32_t>(entries_.size()) - 1;
    }
  }
}

bool Occupied::is_free(const QRectF& rect) const {
  if (!room_.contains(rect)) return false;
  const Cells cells = cells_of(rect);
  for (int y = cells.top; y <= cells.bottom; ++y) {
    for (int x = cells.left; x <= cells.right; ++x) {
      std::int32_t at = first_[index_of(x, y)];
      for (; at >= 0; at = entries_[static_cast<std::size_t>(at)].next) {
        if (rects_[entries_[static_cast<std::size_t>(at)].rect].intersects(rect)) return false;
      }
    }
  }
  return true;
}

std::optional<QRectF> free_place_at_edges(const Occupied& occupied, QSizeF size, double distance) {
  const QRectF room = occupied.room().adjusted(distance, distance, -distance, -distance);
  const double right = room.right() - size.width();
  const double bottom = room.bottom() - size.height();
  if (right < room.left() || bottom < room.top()) return std::nullopt;
  std::vector<QPointF> places = {
      {right, bottom}, {room.left(), bottom}, {right, room.top()}, room.topLeft()};
  for (double x = right; x > room.left(); x -= edge_step) places.emplace_back(x, bottom);
  for (const double x : {right, room.left()}) {
    for (double y = bottom; y > room.top(); y -= edge_step) places.emplace_back(x, y);
  }
  for (double x = right; x > room.left(); x -= edge_step) places.emplace_back(x, room.top());
  const double gap = distance / 2;
  for (const QPointF& place : places) {
    const QRectF found(place, size);
    if (occupied.is_free(found.adjusted(-gap, -gap, gap, gap))) return found;
  }
  return std::nullopt;
}

}  // namespace stashscope::ui
