#pragma once

#include <QColor>
#include <QFont>
#include <QPointF>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "core/layout/scene/shown_part.h"
#include "core/layout/scene/vicinity.h"
#include "ui/charts/data_colours.h"
#include "ui/document/selection.h"
#include "ui/graph/box_texts.h"

namespace stashscope::ui {

/// Font sizes of the texts on boxes at zoom 1, in pixels.
constexpr int title_pixels = 12;
constexpr int detail_pixels = 11;

QFont graph_font(double pixels);

/// The font of texts beside the picture. It scales with the text size, but not with the zoom.
QFont caption_font(double pixels);

/// Whether a box holds none, some or all of the marked nodes.
enum class Mark : unsigned char {
  none,
  part,      ///< holds some of the marked nodes, but not all
  selected,  ///< holds all marked nodes
};

/// How strongly a line between two boxes is drawn.
enum class Strength : unsigned char { faded, normal, strong };

/// Whether details of a picture are left out.
enum class Detail : unsigned char {
  screen,  ///< details that are hard to see or slow to paint are left out
  print,   ///< nothing is left out
};

/// A picture prepared for painting.
class GraphScene {
 public:
  explicit GraphScene(std::shared_ptr<const GraphPicture> shown);

  const GraphPicture& picture() const { return *picture_; }
  const std::shared_ptr<const GraphPicture>& shared_picture() const { return picture_; }
  const layout::Drawing& drawing() const { return picture_->drawing; }

  /// Chooses what is shown. An open box whose `inner_height` is below `least` becomes a block: the
  /// box is shown without its inside.
  /// @param least in coordinates of the picture; 0 shows everything
  void show_above(double least);
  const layout::ShownPart& shown() const { return shown_; }
  /// Whether a box is shown without an inside, as a node, a closed group or a block.
  bool is_leaf(std::size_t box) const { return shown_.boxes[box] == 0 || shown_.leaves[box] != 0; }
  /// Whether a box is painted. A selected box is painted even inside a block.
  bool is_drawn(std::size_t box) const {
    return shown_.boxes[box] != 0 || marks_[box] == Mark::selected;
  }
  /// Median height of the boxes directly inside an open box.
  double inner_height(std::size_t box) const { return inner_heights_[box]; }
  /// The drawn box with its title, memory and time. For an open box, these values cover everything
  /// inside the box.
  const layout::DrawnBox& content(std::size_t box) const;
  /// All boxes, sorted by the importance of their titles, the most important first.
  const std::vector<std::uint32_t>& by_rank() const { return by_rank_; }
  const BoxTexts::Texts& texts(std::size_t box) const { return texts_.of(box); }

  void colour_by(layout::Colouring colouring);
  layout::Colouring colouring() const { return colouring_; }
  /// The colour of a box, if it has one.
  const std::optional<QColor>& colour(std::size_t box) const { return colours_[box]; }

  /// Marks the boxes that show the selection.
  /// @param hops boxes more than `hops` tensors away from the selection are faded; empty: no box is
  /// faded
  void mark(const Selection& selection, std::optional<int> hops = std::nullopt);
  /// Fades everything that has no tensor in memory at a slot. Without a slot, only `mark` fades
  /// items.
  void show_alive_at(std::optional<std::size_t> slot);
  const std::vector<Mark>& marks() const { return marks_; }
  /// The mark of a box. The mark of a block depends on all nodes inside the block.
  Mark mark_of(std::size_t box) const;
  bool is_faded(std::size_t box) const {
    return (near_ && !near_->boxes[box]) || (alive_ && !alive_->boxes[box]);
  }
  Strength edge_strength(std::size_t edge) const;
  Strength stash_edge_strength(std::size_t stash_edge) const;
  Strength bundle_strength(const layout::StashBundle& bundle) const;
  /// What is not faded; nullopt if nothing is faded.
  std::optional<layout::DrawingPart> clear_part() const;
  /// The rectangle around all items that are near enough to the selection not to be faded. If
  /// distance fades nothing, the rectangle around the whole picture.
  layout::Rect isolated_bounds() const;
  /// Number of boxes that are neither open nor faded by their distance from the selection.
  std::size_t boxes_near() const;

 private:
  bool is_strong(std::uint32_t from, std::uint32_t to) const;
  bool is_faded_stash_edge(std::size_t stash_edge) const;
  void rank();

  std::shared_ptr<const GraphPicture> picture_;
  layout::Colouring colouring_ = layout::Colouring::lifetime;
  std::vector<std::optional<QColor>> colours_;  // by box; empty: no colour
  std::vector<Mark> marks_;
  std::vector<Mark> block_marks_;  // by box; used for open boxes that are shown as blocks
  std::optional<layout::DrawingPart> near_;
  std::optional<layout::DrawingPart> alive_;
  std::vector<double> inner_heights_;  // by box
  std::vector<double> steps_;          // all different inner heights, ascending
  // Number of `steps_` that are below the `least` of the last `show_above`; not set before the
  // first call.
  std::optional<std::size_t> level_;
  layout::ShownPart shown_;
  std::vector<std::uint32_t> by_rank_;
  BoxTexts texts_;
};

inline QRectF to_qt(const layout::Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline QPointF to_qt(const layout::Point& p) { return {p.x, p.y}; }
inline layout::Point from_qt(QPointF p) { return {p.x(), p.y()}; }
inline layout::Rect from_qt(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

}  // namespace stashscope::ui
