#pragma once

#include <QString>

#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

/// The tool tip of a box of the graph, with one fact on each line.
QString tip_of_box(const GraphScene& scene, std::uint32_t box);
/// The tool tip of a bundle of stashed activations.
/// @param bundle index in the bundles of `GraphScene::shown`
QString tip_of_bundle(const GraphScene& scene, std::uint32_t bundle);

}  // namespace stashscope::ui
