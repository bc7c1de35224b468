#pragma once

#include <QRectF>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// The rectangles of the screen that are taken, sorted into a grid, so that thousands of places can
/// be tested quickly.
class Occupied {
 public:
  /// @param room rectangles outside the room are ignored
  explicit Occupied(const QRectF& room);

  void add(const QRectF& rect);
  /// Whether a rectangle lies within the room and overlaps no rectangle that is taken.
  bool is_free(const QRectF& rect) const;
  const QRectF& room() const { return room_; }

 private:
  struct Entry {
    std::uint32_t rect;
    std::int32_t next;  // next entry of the same cell; negative: none
  };
  struct Cells {
    int left, top, right, bottom;  // inclusive
  };

  Cells cells_of(const QRectF& rect) const;
  std::size_t index_of(int x, int y) const;

  QRectF room_;
  int columns_;
  int rows_;
  std::vector<std::int32_t> first_;  // first entry of each cell; negative: none
  std::vector<Entry> entries_;
  std::vector<QRectF> rects_;
};

/// The first free place for a rectangle of this size along the edges of the room; empty if no place
/// is free. Tries the corners, bottom right first, then the bottom, right, left and top edge.
/// @param distance distance from the edges; half of it is the distance from taken rectangles
std::optional<QRectF> free_place_at_edges(const Occupied& occupied, QSizeF size, double distance);

}  // namespace stashscope::ui
