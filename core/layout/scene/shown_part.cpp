#include "core/layout/scene/shown_part.h"

#include <map>
#include <tuple>

#include "core/layout/scene/vicinity.h"

namespace stashscope::layout {

namespace {

void sort_once(std::vector<std::uint32_t>& indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

/// Joins the stash edges of a drawing between the same two groups.
class StashBundler {
 public:
  StashBundler(const Drawing& drawing, const ShownPart& shown) : drawing_(drawing), shown_(shown) {}

  std::vector<StashBundle> bundle() {
    for (std::uint32_t i = 0; i < drawing_.stash_edges.size(); ++i) add(i);
    for (StashBundle& bundle : bundles_) finish(bundle);
    std::stable_sort(bundles_.begin(), bundles_.end(),
                     [](const StashBundle& a, const StashBundle& b) { return a.bytes > b.bytes; });
    return std::move(bundles_);
  }

 private:
  /// The box at which a bundle from or to `box` ends. `box` is shown by itself or by a block around
  /// it. If the shown box is a single node inside an open group, the bundle ends at the group, else
  /// at the shown box.
  std::uint32_t group_around(std::uint32_t box) const {
    const std::uint32_t leaf = shown_.shown_around(drawing_, box);
    const DrawnBox& drawn = drawing_.boxes[leaf];
    return drawn.shows.group.valid() || drawn.parent == outside ? leaf : drawn.parent;
  }

  void add(std::uint32_t index) {
    const StashEdge& edge = drawing_.stash_edges[index];
    const auto key = std::tuple(group_around(edge.from), group_around(edge.to), edge.is_turn);
    const auto [at, is_new] = known_.try_emplace(key, bundles_.size());
    if (is_new) {
      StashBundle& made = bundles_.emplace_back();
      std::tie(made.from, made.to, made.is_turn) = key;
    }
    StashBundle& bundle = bundles_[at->second];
    bundle.stash_edges.push_back(index);
    bundle.stashes.insert(bundle.stashes.end(), edge.stashes.begin(), edge.stashes.end());
  }

  /// The boxes where the edges of a bundle start (end), each once.
  std::vector<std::uint32_t> ends(const StashBundle& bundle, std::uint32_t StashEdge::*end) const {
    std::vector<std::uint32_t> boxes;
    for (const std::uint32_t edge : bundle.stash_edges) {
      boxes.push_back(shown_.shown_around(drawing_, drawing_.stash_edges[edge].*end));
    }
    sort_once(boxes);
    return boxes;
  }

  double middle_of(const std::vector<std::uint32_t>& boxes) const {
    double sum = 0;
    for (const std::uint32_t box : boxes) sum += drawing_.boxes[box].rect.center().y;
    return sum / static_cast<double>(boxes.size());
  }

  void finish(StashBundle& bundle) const {
    sort_once(bundle.stashes);
    for (const std::uint32_t stash : bundle.stashes) bundle.bytes += drawing_.stashes[stash].bytes;
    const auto makers = ends(bundle, &StashEdge::from);
    const auto readers = ends(bundle, &StashEdge::to);
    const Point start = {drawing_.boxes[bundle.from].rect.right(), middle_of(makers)};
    const Point end = {drawing_.boxes[bundle.to].rect.x, middle_of(readers)};
    bundle.curve = horizontal_curve(start, end);
    bundle.bounds = bounds_of(bundle.curve);
    for (const std::uint32_t box : makers) {
      const Rect& rect = drawing_.boxes[box].rect;
      if (box != bundle.from) add_twig(bundle, {rect.right(), rect.center().y}, start);
    }
    for (const std::uint32_t box : readers) {
      const Rect& rect = drawing_.boxes[box].rect;
      if (box != bundle.to) add_twig(bundle, end, {rect.x, rect.center().y});
    }
  }

  static void add_twig(StashBundle& bundle, Point from, Point to) {
    bundle.twigs.push_back(horizontal_curve(from, to));
    bundle.bounds = united(bundle.bounds, bounds_of(bundle.twigs.back()));
  }

  const Drawing& drawing_;
  const ShownPart& shown_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> known_;
  std::vector<StashBundle> bundles_;
};

/// The open box in which an edge lies; `outside` for edges of the outermost level.
std::uint32_t frame_of(const Drawing& drawing, const DrawnEdge& edge) {
  const std::uint32_t around_from = drawing.boxes[edge.from].parent;
  const std::uint32_t around_to = drawing.boxes[edge.to].parent;
  if (around_to == edge.from) return edge.from;
  return around_from == edge.to ? edge.to : around_from;
}

}  // namespace

std::uint32_t ShownPart::shown_around(const Drawing& drawing, std::uint32_t box) const {
  while (boxes[box] == 0) box = drawing.boxes[box].parent;
  return box;
}

std::vector<double> inner_heights(const Drawing& drawing) {
  std::vector<std::vector<double>> inside(drawing.boxes.size());
  for (const DrawnBox& box : drawing.boxes) {
    if (box.parent != outside) inside[box.parent].push_back(box.rect.height);
  }
  std::vector<double> heights(drawing.boxes.size(), 0);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (inside[i].empty()) continue;
    const auto middle = inside[i].begin() + std::ssize(inside[i]) / 2;
    std::nth_element(inside[i].begin(), middle, inside[i].end());
    heights[i] = *middle;
  }
  return heights;
}

ShownPart shown_part(const Drawing& drawing, const std::vector<double>& inner_height,
                     double least) {
  ShownPart shown;
  shown.boxes.resize(drawing.boxes.size());
  shown.leaves.resize(drawing.boxes.size());
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    const std::uint32_t parent = drawing.boxes[i].parent;
    const bool is_shown =
        parent == outside || (shown.boxes[parent] != 0 && shown.leaves[parent] == 0);
    shown.boxes[i] = is_shown ? 1 : 0;
    const bool is_leaf = !drawing.boxes[i].is_open() || inner_height[i] < least;
    shown.leaves[i] = is_shown && is_leaf ? 1 : 0;
  }
  for (const DrawnEdge& edge : drawing.edges) {
    const std::uint32_t frame = frame_of(drawing, edge);
    const bool is_shown = frame == outside || (shown.boxes[frame] != 0 && shown.leaves[frame] == 0);
    shown.edges.push_back(is_shown ? 1 : 0);
  }
  shown.bundles = StashBundler(drawing, shown).bundle();
  return shown;
}

std::optional<std::uint32_t> bundle_at(const ShownPart& shown, Point point, double reach) {
  std::optional<std::uint32_t> closest;
  for (std::uint32_t i = 0; i < shown.bundles.size(); ++i) {
    const StashBundle& bundle = shown.bundles[i];
    if (!grown(bundle.bounds, reach).contains(point)) continue;
    double distance = distance_to(bundle.curve, point);
    for (const Curve& twig : bundle.twigs) {
      distance = std::min(distance, distance_to(twig, point));
    }
    if (distance > reach || (closest && distance == reach)) continue;
    reach = distance;
    closest = i;
  }
  return closest;
}

std::vector<NodeId> nodes_of_bundle(const Drawing& drawing, const StashBundle& bundle) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t edge : bundle.stash_edges) {
    const std::vector<NodeId> more = nodes_of_stash_edge(drawing, edge);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace stashscope::layout
