#pragma once

#include <QRectF>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// The places on the screen that are taken, in a grid, so that thousands of places can be tested
/// in a frame.
class Occupied {
 public:
  /// @param room rectangles outside of it are ignored
  explicit Occupied(const QRectF& room);

  void add(const QRectF& rect);
  /// Whether a rectangle lies within the room and touches nothing that is taken.
  bool is_free(const QRectF& rect) const;
  const QRectF& room() const { return room_; }

 private:
  struct Entry {
    std::uint32_t rect;
    std::int32_t next;  // entry of the same cell; negative: none
  };
  struct Cells {
    int left, top, right, bottom;  // inclusive
  };

  Cells cells_of(const QRectF& rect) const;
  std::size_t index_of(int x, int y) const;

  QRectF room_;
  int columns_;
  int rows_;
  std::vector<std::int32_t> first_;  // entry by cell
  std::vector<Entry> entries_;
  std::vector<QRectF> rects_;
};

/// The first free place for a rectangle of this size along the edges of the room: the corners from
/// the bottom right on, then positions along the bottom, right, left and top edge.
/// @param distance from the edges; also the distance kept from what is taken
std::optional<QRectF> free_place_at_edges(const Occupied& occupied, QSizeF size, double distance);

}  // namespace stashscope::ui
