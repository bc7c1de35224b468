#include "ui/graph/graph_tips.h"

#include <cmath>

#include "core/study/choices/node_names.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/memory_words.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

QString click_text(const GraphScene& scene, std::uint32_t box) {
  if (!scene.drawing().boxes[box].is_open())
    return GraphView::tr("click ▸ or double-click to open");
  return scene.is_leaf(box) ? GraphView::tr("double-click to zoom in")
                            : GraphView::tr("click ▾ or double-click to close");
}

}  // namespace

QString tip_of_box(const GraphScene& scene, std::uint32_t box) {
  const GraphPicture& picture = scene.picture();
  const layout::DrawnBox& drawn = scene.content(box);
  const std::string name =
      drawn.shows.group.valid()
          ? layout::name_of(picture.grouping->groups[drawn.shows.group])
          : titled_name(picture.study->graph(), picture.study->current->dataflow, drawn.shows.node);
  QString tip = shown(name);
  if (drawn.memory.bytes > 0) {
    tip += QLatin1Char('\n') + GraphView::tr("%1, alive for %2 of %3 on average")
                                   .arg(allocated_text(drawn.memory))
                                   .arg(std::lround(average_slots(drawn.memory)))
                                   .arg(counted(picture.drawing.steps, GraphView::tr("1 slot"),
                                                GraphView::tr("%1 slots")));
  }
  if (drawn.memory.bytes == 0 && !drawn.shows.group.valid()) {
    const QString borrowed = borrowed_text(*picture.study, drawn.shows.node, true);
    if (!borrowed.isEmpty()) tip += QLatin1Char('\n') + borrowed;
  }
  if (drawn.memory.stashed_bytes > 0) {
    tip += QLatin1Char('\n') + GraphView::tr("%1 for backward").arg(stashed_text(drawn.memory));
  }
  if (drawn.memory.peak_bytes > 0) {
    tip += QLatin1Char('\n') +
           GraphView::tr("%1 alive at the peak").arg(bytes_text(drawn.memory.peak_bytes));
  }
  if (drawn.seconds > 0) {
    tip += QLatin1Char('\n') + GraphView::tr("runs for %1").arg(time_text(drawn.seconds));
  }
  if (drawn.shows.group.valid()) tip += QLatin1Char('\n') + click_text(scene, box);
  return tip;
}

QString tip_of_bundle(const GraphScene& scene, std::uint32_t bundle) {
  const layout::Drawing& drawing = scene.drawing();
  const layout::StashBundle& drawn = scene.shown().bundles[bundle];
  if (drawn.is_turn) return GraphView::tr("Here forward ends and backward begins");
  QString tip = GraphView::tr("%1 stashed by %2 for %3")
                    .arg(bytes_text(drawn.bytes), shown(drawing.boxes[drawn.from].title),
                         shown(drawing.boxes[drawn.to].title));
  if (drawn.stashes.size() > 1) {
    tip += QLatin1Char('\n') + GraphView::tr("%1 activations").arg(drawn.stashes.size());
  }
  return tip + QLatin1Char('\n') +
         GraphView::tr("click to select the nodes that make and read this memory");
}

}  // namespace stashscope::ui
