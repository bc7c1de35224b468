#pragma once

#include <filesystem>
#include <string>

#include "core/layout/place/child.h"
#include "core/layout/scene/drawing.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The nodes of a study's graph in groups; the same for all studies that share `prepared`.
layout::Grouping grouping_of(const Study& study);

/// What of a study a picture shows. The study and the grouping must outlive it.
layout::StepView step_view(const Study& study, const layout::Grouping& grouping);

/// The current variant as SVG, open down to the layers.
/// @param program lays the graph out as a child (see core/layout/child.h)
/// @param warnings gets a line when that failed and a plain layout is drawn instead
/// @param patience how long it may take
std::string graph_svg(const Study& study, const std::string& title,
                      const std::filesystem::path& program, std::vector<std::string>& warnings,
                      std::chrono::milliseconds patience = layout::layout_time_limit);

}  // namespace stashscope
