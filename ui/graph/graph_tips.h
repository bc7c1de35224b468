#pragma once

#include <QString>

#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

/// Tool tips of the graph view, one fact on each line.
QString tip_of_box(const GraphScene& scene, std::uint32_t box);
/// @param bundle index in what the scene shows
QString tip_of_bundle(const GraphScene& scene, std::uint32_t bundle);

}  // namespace stashscope::ui
