#pragma once

#include <QRectF>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// The occupied rectangles of a part of the screen. They are sorted into a grid, so that thousands
/// of places can be tested quickly.
class Occupied {
 public:
  /// @param room the part of the screen; rectangles outside are ignored
  explicit Occupied(const QRectF& room);

  void add(const QRectF& rect);
  /// Whether a rectangle lies within the room and overlaps no occupied rectangle.
  bool is_free(const QRectF& rect) const;
  const QRectF& room() const { return room_; }

 private:
  struct Entry {
    std::uint32_t rect;
    std::int32_t next;  // index of the next entry of the same cell; negative: none
  };
  struct Cells {
    int left, top, right, bottom;  // first and last column and row, inclusive
  };

  Cells cells_of(const QRectF& rect) const;
  std::size_t index_of(int x, int y) const;

  QRectF room_;
  int columns_;
  int rows_;
  std::vector<std::int32_t> first_;  // index of the first entry of each cell; negative: none
  std::vector<Entry> entries_;
  std::vector<QRectF> rects_;
};

/// The first free place for a rectangle of this size along the edges of the room; empty if no place
/// is free. Tries the corners, bottom right first, then the bottom, right, left and top edge.
/// @param distance distance from the edges; the distance from occupied rectangles is half of it
std::optional<QRectF> free_place_at_edges(const Occupied& occupied, QSizeF size, double distance);

}  // namespace stashscope::ui
