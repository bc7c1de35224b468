#pragma once

#include <QString>

#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

/// Tool tips of the graph view, one fact on each line.
QString tip_of_box(const GraphPicture& picture, std::uint32_t box);
QString tip_of_stash_edge(const layout::Drawing& drawing, std::uint32_t stash_edge);

}  // namespace stashscope::ui
