#pragma once

#include <filesystem>
#include <string>

#include "core/layout/place/child.h"
#include "core/layout/scene/drawing.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The grouping of a study's graph. Studies that share `prepared` have equal groupings.
layout::Grouping grouping_of(const Study& study);

/// The parts of a study that a picture needs. The study and the grouping must outlive the result.
layout::StepView step_view(const Study& study, const layout::Grouping& grouping);

/// The title of a picture of the step, such as `resnet50, batch 32: peak 2.68 GiB`.
/// @param file the model or session, which is named without its folder and suffix
std::string picture_title(const Study& study, const std::filesystem::path& file);

/// The graph of the current variant as SVG, with the groups open that `initially_open` gives.
/// @param program the program that runs as the layout child (see core/layout/place/child.h)
/// @param warnings gets one line if the child fails and the plain layout is drawn instead
/// @param time_limit time limit of the layout
std::string graph_svg(const Study& study, const std::string& title,
                      const std::filesystem::path& program, std::vector<std::string>& warnings,
                      std::chrono::milliseconds time_limit = layout::layout_time_limit);

}  // namespace stashscope
