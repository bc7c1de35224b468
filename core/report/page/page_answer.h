#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// A sentence of the page as HTML.
using Sentence = std::string;

/// Sentences on the peak, whether it fits the device, the time of the step, and the bands and the
/// module that hold most; the peak comes first.
std::vector<Sentence> answer_sentences(const ReportInput& input,
                                       const std::vector<ModuleMemory>& modules);

/// Sentences on the next moves with their extra time, or that there are none. If not all plans were
/// tried, the last sentence says how many.
/// @pre the input has moves
std::vector<Sentence> move_sentences(const ReportInput& input);

}  // namespace stashscope
