#include "core/layout/place/graphviz.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/layout/place/layered.h"

namespace stashscope::layout {

namespace {

constexpr double points_per_inch = 72;

/// Graphviz declares its string parameters as writable, but only copies them.
char* writable(const char* text) { return const_cast<char*>(text); }

void set(void* object, const char* name, const std::string& value) {
  agset(object, writable(name), writable(value.c_str()));
}

class Library {
 public:
  Library() : context_(gvContext()) {
    if (context_ == nullptr) fail_run("", "Graphviz cannot start");
  }
  ~Library() { gvFreeContext(context_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  GVC_t* get() const { return context_; }

 private:
  GVC_t* context_;
};

/// A Graphviz graph made from one column.
class DotGraph {
 public:
  DotGraph(GVC_t* library, const ColumnGraph& column)
      : library_(library), column_(column), graph_(agopen(writable("g"), Agdirected, nullptr)) {
    set_defaults();
    for (std::size_t i = 0; i < column.boxes.size(); ++i) add_box(i);
    for (const LayoutEdge& edge : column.edges) add_edge(edge);
    if (gvLayout(library_, graph_, "dot") != 0) fail_run("", "Graphviz cannot place the graph");
  }
  ~DotGraph() {
    gvFreeLayout(library_, graph_);
    agclose(graph_);
  }
  DotGraph(const DotGraph&) = delete;
  DotGraph& operator=(const DotGraph&) = delete;

  RankedColumn read() const {
    RankedColumn result;
    const boxf bounds = GD_bb(graph_);
    result.size = {bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y};
    for (Agnode_t* const node : nodes_) result.centers.push_back(from_dot(ND_coord(node)));
    for (Agedge_t* const edge : edges_) result.curves.push_back(curve_of(edge));
    return result;
  }

 private:
  void set_defaults() {
    // Without these limits, Graphviz takes minutes for a graph of some thousand nodes.
    for (const char* const limit : {"nslimit", "nslimit1", "mclimit"})
      set_default(AGRAPH, limit, "0.1");
    set_default(AGRAPH, "ranksep", inches(rank_gap));
    set_default(AGRAPH, "nodesep", inches(box_gap));
    set_default(AGNODE, "label", "");
    set_default(AGNODE, "shape", "box");
    set_default(AGNODE, "fixedsize", "true");
    set_default(AGNODE, "width", "0");
    set_default(AGNODE, "height", "0");
    set_default(AGEDGE, "arrowhead", "none");
    set_default(AGEDGE, "headport", "");
    set_default(AGEDGE, "tailport", "");
  }

  void set_default(int kind, const char* name, const std::string& value) {
    agattr(graph_, kind, writable(name), writable(value.c_str()));
  }

  static std::string inches(double pixels) {
    std::array<char, 32> text{};
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(),
                                             pixels / points_per_inch, std::chars_format::fixed, 4);
    return {text.data(), end};
  }

  void add_box(std::size_t index) {
    Agnode_t* const node = agnode(graph_, nullptr, 1);
    set(node, "width", inches(column_.boxes[index].width));
    set(node, "height", inches(column_.boxes[index].height));
    nodes_.push_back(node);
  }

  void add_edge(const LayoutEdge& edge) {
    Agnode_t* const from = edge.from == outside ? port("source", entry_) : nodes_[edge.from];
    Agnode_t* const to = edge.to == outside ? port("sink", exit_) : nodes_[edge.to];
    Agedge_t* const made = agedge(graph_, from, to, nullptr, 1);
    if (edge.from != outside && column_.is_open[edge.from]) set(made, "tailport", "s");
    if (edge.to != outside && column_.is_open[edge.to]) set(made, "headport", "n");
    edges_.push_back(made);
  }

  /// The auxiliary node of a rank. Edges from outside the column start at rank `source`, above all
  /// boxes. Edges to outside end at rank `sink`, below all boxes.
  Agnode_t* port(const char* rank, Agnode_t*& known) {
    if (known != nullptr) return known;
    Agraph_t* const row = agsubg(graph_, writable(rank), 1);
    set_default(AGRAPH, "rank", "");
    set(row, "rank", rank);
    known = agnode(row, nullptr, 1);
    set(known, "width", inches(1));
    set(known, "height", inches(1));
    return known;
  }

  /// Converts from Graphviz's coordinates, whose y grows upwards.
  Point from_dot(pointf p) const {
    const boxf bounds = GD_bb(graph_);
    return {p.x - bounds.LL.x, bounds.UR.y - p.y};
  }

  Curve curve_of(Agedge_t* edge) const {
    Curve curve;
    const splines* const drawn = ED_spl(edge);
    if (drawn == nullptr) return curve;
    for (std::size_t piece = 0; piece < static_cast<std::size_t>(drawn->size); ++piece) {
      const bezier& part = drawn->list[piece];
      for (std::size_t i = 0; i < static_cast<std::size_t>(part.size); ++i) {
        if (i == 0 && !curve.empty()) continue;
        curve.push_back(from_dot(part.list[i]));
      }
    }
    return curve;
  }

  GVC_t* library_;
  const ColumnGraph& column_;
  Agraph_t* graph_;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agedge_t*> edges_;
  Agnode_t* entry_ = nullptr;
  Agnode_t* exit_ = nullptr;
};

/// Places one graph after another. Graphviz counts its searches for connected parts in one byte.
/// Each search marks the boxes it finds with its number, and the mark 1 also has another purpose.
/// If the count wraps around to 1 in the middle of a layout, all boxes seem to be found already,
/// and Graphviz crashes, unless the graph is tiny. Therefore, when the count comes close to 255,
/// tiny graphs are placed until the count has wrapped around.
class GraphSequence {
 public:
  RankedColumn place(const ColumnGraph& column) {
    if (searches_ > most_searches - margin) {
      const ColumnGraph tiny = {{{1, 1}, {1, 1}}, {{0, 1}}, {false, false}};
      while (searches_ < most_searches + margin) run(tiny);
      searches_ -= most_searches;
    }
    return run(column);
  }

 private:
  static constexpr int most_searches = 255;
  static constexpr int margin =
      10;  // exceeds the error of `searches_of`, whose count is inexact, for instance at cycles

  RankedColumn run(const ColumnGraph& column) {
    searches_ += searches_of(column);
    return DotGraph(library_.get(), column).read();
  }

  /// The number of searches in one layout: two, and a third if Graphviz ties boxes to the first or
  /// the last rank.
  static int searches_of(const ColumnGraph& column) {
    const auto count = static_cast<std::uint32_t>(column.boxes.size());
    std::vector<bool> entered(count, false);
    std::vector<bool> left(count, false);
    bool has_entry = false;
    bool has_exit = false;
    for (const LayoutEdge& edge : column.edges) {
      has_entry = has_entry || edge.from == outside;
      has_exit = has_exit || edge.to == outside;
      if (edge.to != outside) entered[edge.to] = true;
      if (edge.from != outside) left[edge.from] = true;
    }
    const auto has_loose = [](const std::vector<bool>& tied) {
      return std::find(tied.begin(), tied.end(), false) != tied.end();
    };
    return (has_entry && has_loose(entered)) || (has_exit && has_loose(left)) ? 3 : 2;
  }

  Library library_;
  int searches_ = 0;
};

}  // namespace

Placer graphviz_placer() {
  const auto sequence = std::make_shared<GraphSequence>();
  return [sequence](const ColumnGraph& column) {
    return column.boxes.empty() ? RankedColumn{} : sequence->place(column);
  };
}

}  // namespace stashscope::layout
