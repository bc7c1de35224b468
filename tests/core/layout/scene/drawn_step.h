#pragma once

#include "core/layout/place/layered.h"
#include "core/layout/svg/svg.h"
#include "core/report/graph_picture.h"
#include "tests/support/named_model.h"

namespace stashscope::test {

/// A study with the drawing of its step in the plain layout.
struct DrawnStep {
  DrawnStep(std::shared_ptr<const Study> drawn, bool all_open)
      : study(std::move(drawn)), grouping(grouping_of(*study)) {
    layout::OpenGroups open = layout::initially_open(grouping);
    for (const auto id : IdRange<layout::GroupId>(grouping.groups.size())) {
      if (all_open) open.insert(id);
    }
    const layout::StepView view = step_view(*study, grouping);
    outline = layout::make_outline(view.dataflow, grouping, open);
    const layout::LayoutRequest request =
        layout::make_request(outline, view.graph, view.dataflow, grouping, layout::svg_text_width);
    drawing = layout::draw(view, outline, layout::place(request, layout::place_layered));
  }
  DrawnStep(const std::shared_ptr<const Graph>& model, int level, bool all_open)
      : DrawnStep(study_of(model, level), all_open) {}
  DrawnStep(const ModelBuilder& model, int level, bool all_open)
      : DrawnStep(named(model), level, all_open) {}

  const Dataflow& dataflow() const { return study->current->dataflow; }
  NodeId node(const std::string& name) const { return *study->graph().find_node(name); }

  std::shared_ptr<const Study> study;
  layout::Grouping grouping;
  layout::Outline outline;
  layout::Drawing drawing;
};

/// Layers whose Mul can be recomputed and whose Tanh cannot.
inline ModelBuilder layers_with_tanh(int count) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string layer = "/h." + std::to_string(i) + "/";
    m.weight(layer + "w", {4, 4}).node("MatMul", {last, layer + "w"}, {layer + "MatMul"});
    m.node("Tanh", {layer + "MatMul"}, {layer + "Tanh"});
    m.node("Mul", {layer + "Tanh", layer + "Tanh"}, {layer + "Mul"});
    last = layer + "Mul";
  }
  m.weight("w", {4, 4}).node("MatMul", {last, "w"}, {"scores"});
  last = "scores";
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  return m.output("loss");
}

}  // namespace stashscope::test
