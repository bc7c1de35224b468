#include "core/layout/scene/drawing.h"

#include <map>

#include "core/base/text.h"
#include "core/layout/scene/short_titles.h"

namespace stashscope::layout {

namespace {

/// Pixels between the forward and the backward column, for stash edges.
constexpr double column_gap = 200;
/// A box whose outputs take less than this share of the peak gets no lifetime colour.
constexpr double least_share = 1e-4;

class Drawer {
 public:
  Drawer(const StepView& view, const Outline& outline, const LayoutResult& placed)
      : view_(view), outline_(outline), placed_(placed) {}

  Drawing draw() {
    const auto root = static_cast<std::uint32_t>(outline_.levels.size() - 1);
    first_box_.resize(outline_.levels.size());
    const double second = placed_.levels[root].forward.width + column_gap;
    add_column(root, Side::forward, {0, 0}, no_parent);
    add_column(root, Side::backward, {second, 0}, no_parent);
    add_nodes();
    add_blocks();
    for (DrawnBox& box : drawing_.boxes) describe(box);
    for (DrawnBox& block : drawing_.blocks) describe(block);
    add_stash_edges();
    add_stash_totals();
    drawing_.steps = view_.timeline.order.size();
    drawing_.kept_closed = outline_.kept_closed;
    find_bounds(second);
    return std::move(drawing_);
  }

 private:
  static constexpr std::uint32_t no_parent = outside;

  void add_column(std::uint32_t level, Side side, Point origin, std::uint32_t parent) {
    const OutlineColumn& column = outline_.levels[level].column(side);
    const PlacedColumn& placed = placed_of(level, side);
    const auto first = static_cast<std::uint32_t>(drawing_.boxes.size());
    first_box_[level][static_cast<std::size_t>(side)] = first;
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
      DrawnBox box;
      box.rect = moved(placed.boxes[i], origin);
      box.shows = column.boxes[i];
      box.parent = parent;
      box.title = title_of(box.shows, view_.graph, view_.dataflow, view_.grouping);
      drawing_.boxes.push_back(std::move(box));
    }
    shorten_titles(first);
    for (std::size_t i = 0; i < column.edges.size(); ++i) {
      add_edge(column.edges[i], column.tensors[i], placed.curves[i], origin, first, parent);
    }
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
      if (column.boxes[i].inner == no_level) continue;
      const auto box = first + static_cast<std::uint32_t>(i);
      const Rect& rect = drawing_.boxes[box].rect;
      add_column(column.boxes[i].inner, side, {rect.x + open_padding, rect.y + open_header}, box);
    }
  }

  /// Gives the boxes from index `first` on, which form one column, their short titles.
  void shorten_titles(std::size_t first) {
    std::vector<std::string> titles;
    for (std::size_t i = first; i < drawing_.boxes.size(); ++i) {
      titles.push_back(drawing_.boxes[i].title);
    }
    std::vector<std::vector<std::string>> shorter = distinct_short_titles(titles);
    for (std::size_t i = 0; i < shorter.size(); ++i) {
      drawing_.boxes[first + i].short_titles = std::move(shorter[i]);
    }
  }

  const PlacedColumn& placed_of(std::uint32_t level, Side side) const {
    const PlacedLevel& placed = placed_.levels[level];
    return side == Side::forward ? placed.forward : placed.backward;
  }

  void add_edge(const LayoutEdge& edge, std::uint32_t tensors, const Curve& placed, Point origin,
                std::uint32_t first, std::uint32_t parent) {
    DrawnEdge drawn;
    drawn.from = edge.from == outside ? parent : first + edge.from;
    drawn.to = edge.to == outside ? parent : first + edge.to;
    drawn.tensors = tensors;
    const Side side = drawing_.boxes[first].shows.side;
    for (const Point& p : placed) drawn.curve.push_back(p + origin);
    if (drawn.curve.empty()) {
      drawn.curve = vertical_curve(drawing_.boxes[drawn.from].rect.center(),
                                   drawing_.boxes[drawn.to].rect.center());
    } else {
      if (edge.from == outside) lead_in(drawn.curve, entry_of(parent, side));
      if (edge.to == outside) lead_out(drawn.curve, exit_of(parent, side));
    }
    drawn.bounds = bounds_of(drawn.curve);
    drawing_.edges.push_back(std::move(drawn));
  }

  /// Edges of forward enter a box at the top and leave it at the bottom; edges of backward do the
  /// opposite.
  Point entry_of(std::uint32_t box, Side side) const {
    const Rect& rect = drawing_.boxes[box].rect;
    return {rect.center().x, side == Side::forward ? rect.y : rect.bottom()};
  }
  Point exit_of(std::uint32_t box, Side side) const {
    return entry_of(box, side == Side::forward ? Side::backward : Side::forward);
  }

  static void lead_in(Curve& curve, Point from) {
    Curve lead = vertical_curve(from, curve.front());
    lead.insert(lead.end(), curve.begin() + 1, curve.end());
    curve = std::move(lead);
  }
  static void lead_out(Curve& curve, Point to) {
    const Curve lead = vertical_curve(curve.back(), to);
    curve.insert(curve.end(), lead.begin() + 1, lead.end());
  }

  void add_nodes() {
    const IdVector<NodeId, NodeMemory>& memory = view_.memory;
    drawing_.box_of.reserve(memory.size());
    for (const NodeId node : IdRange<NodeId>(memory.size())) {
      const Spot spot = outline_.spot_of[node];
      const Side side = side_of(view_.dataflow, view_.grouping, node);
      const std::uint32_t index = first_box_[spot.level][static_cast<std::size_t>(side)] + spot.box;
      drawing_.box_of.push_back(index);
      DrawnBox& box = drawing_.boxes[index];
      box.memory = box.memory + memory[node];
      box.seconds += view_.seconds[node];
      ++box.nodes;
      if (view_.dataflow.is_clone(node)) ++box.clones;
      add_stash(box, node);
      drawing_.most_peak_bytes = std::max(drawing_.most_peak_bytes, box.memory.peak_bytes);
      drawing_.most_seconds = std::max(drawing_.most_seconds, box.seconds);
    }
  }

  /// Makes a block for each open box and adds up in it the contents of the box. Inner boxes are
  /// handled first, so that their sums are complete when they are added to the block around them.
  void add_blocks() {
    for (DrawnBox& box : drawing_.boxes) {
      if (!box.is_open()) continue;
      box.block = static_cast<std::uint32_t>(drawing_.blocks.size());
      drawing_.blocks.push_back(box);
      drawing_.blocks.back().shows.inner = no_level;
    }
    for (std::size_t i = drawing_.boxes.size(); i-- > 0;) {
      const DrawnBox& box = drawing_.boxes[i];
      if (box.parent == outside) continue;
      DrawnBox& around = drawing_.blocks[drawing_.boxes[box.parent].block];
      add_to(around, box.is_open() ? drawing_.blocks[box.block] : box);
    }
  }

  static void add_to(DrawnBox& block, const DrawnBox& inner) {
    block.nodes += inner.nodes;
    block.clones += inner.clones;
    block.memory = block.memory + inner.memory;
    block.seconds += inner.seconds;
    for (std::size_t i = 0; i < stash_states; ++i) block.stash[i] += inner.stash[i];
  }

  void add_stash_totals() {
    const std::size_t steps = view_.timeline.order.size();
    for (const StashedValue& stash : drawing_.stashes) {
      const BufferId id = view_.timeline.buffer_of[stash.value];
      if (!id.valid() || stash.bytes == 0) continue;
      const Buffer& buffer = view_.timeline.buffers[id];
      const std::size_t slots = buffer.last_slot - buffer.first_slot + 1;
      drawing_.stashed_by_lifetime[lifetime_class(slots, steps)] += stash.bytes;
    }
    for (const NodeStash& stash : view_.node_stashes) {
      drawing_.stash_by_state[static_cast<std::size_t>(stash.state)] += stash.bytes;
    }
  }

  /// Adds the stashed bytes of a node to `box`. A clone adds the bytes of its original, in the
  /// state `freed`.
  void add_stash(DrawnBox& box, NodeId node) const {
    const NodeStash& origin = view_.node_stashes[view_.dataflow.origin(node)];
    const bool is_clone = view_.dataflow.is_clone(node);
    const StashState state = is_clone ? StashState::freed : origin.state;
    if (state == StashState::none) return;
    box.stash[static_cast<std::size_t>(state)] += std::max<std::int64_t>(1, origin.bytes);
  }

  void describe(DrawnBox& box) const {
    const double least = least_share * static_cast<double>(view_.timeline.peak_bytes);
    if (static_cast<double>(box.memory.bytes) > least) {
      box.heat = average_slots(box.memory) / static_cast<double>(view_.timeline.order.size());
    }
    if (!box.shows.group.valid() || box.is_open()) return;
    box.detail = std::to_string(box.nodes) + (box.nodes == 1 ? " node" : " nodes");
    if (box.memory.stashed_bytes > 0) {
      box.detail += " · stashes " + format_bytes(box.memory.stashed_bytes);
    } else if (box.clones > 0) {
      box.detail += " · " + std::to_string(box.clones) + " recomputed";
    }
  }

  void add_stash_edges() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known;
    drawing_.stashes = view_.stashed;
    for (std::uint32_t i = 0; i < drawing_.stashes.size(); ++i) {
      const StashedValue& stash = drawing_.stashes[i];
      std::vector<std::uint32_t> ends;
      for (const NodeId reader : stash.readers) ends.push_back(drawing_.box_of[reader]);
      std::sort(ends.begin(), ends.end());
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
      for (const std::uint32_t end : ends) {
        const std::uint32_t start = drawing_.box_of[stash.producer];
        const auto [at, is_new] = known.try_emplace({start, end}, drawing_.stash_edges.size());
        if (is_new) drawing_.stash_edges.push_back(stash_edge(start, end));
        StashEdge& drawn = drawing_.stash_edges[at->second];
        drawn.stashes.push_back(i);
        drawn.bytes += stash.bytes;
        drawn.is_turn = drawn.is_turn && stash.producer == view_.yield;
      }
    }
    std::stable_sort(drawing_.stash_edges.begin(), drawing_.stash_edges.end(),
                     [](const StashEdge& a, const StashEdge& b) { return a.bytes > b.bytes; });
  }

  StashEdge stash_edge(std::uint32_t start, std::uint32_t end) const {
    const Rect& from = drawing_.boxes[start].rect;
    const Rect& to = drawing_.boxes[end].rect;
    StashEdge made;
    made.curve = horizontal_curve({from.right(), from.center().y}, {to.x, to.center().y});
    made.bounds = bounds_of(made.curve);
    made.from = start;
    made.to = end;
    made.is_turn = true;  // `add_stash_edges` clears this if the YieldOp is not the producer of all
                          // values of the edge
    return made;
  }

  void find_bounds(double second) {
    const PlacedLevel& root = placed_.levels.back();
    drawing_.columns = {Rect{0, 0, root.forward.width, root.height},
                        Rect{second, 0, root.backward.width, root.height}};
    drawing_.bounds = drawing_.columns[0];
    if (!root.backward.boxes.empty()) {
      drawing_.bounds = united(drawing_.bounds, drawing_.columns[1]);
    }
    for (const DrawnEdge& edge : drawing_.edges) {
      drawing_.bounds = united(drawing_.bounds, edge.bounds);
    }
  }

  const StepView& view_;
  const Outline& outline_;
  const LayoutResult& placed_;
  std::vector<std::array<std::uint32_t, 2>>
      first_box_;  // first box of each column, by level and side
  Drawing drawing_;
};

}  // namespace

Drawing draw(const StepView& view, const Outline& outline, const LayoutResult& placed) {
  return Drawer(view, outline, placed).draw();
}

std::optional<std::uint32_t> box_at(const Drawing& drawing, Point point) {
  for (std::size_t i = drawing.boxes.size(); i-- > 0;) {
    if (drawing.boxes[i].rect.contains(point)) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

}  // namespace stashscope::layout
