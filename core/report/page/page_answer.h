#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// A sentence of the page as HTML.
using Sentence = std::string;

/// Sentences on the peak, which comes first, on what allocators reserve, on whether the step fits
/// into the device's memory, on the time of the step, on the moment of the peak, on the bands
/// and the module that hold the most memory, and on the choices of a joint plan.
std::vector<Sentence> answer_sentences(const ReportInput& input,
                                       const std::vector<ModuleMemory>& modules);

/// Sentences on the next moves with their extra time, or one sentence that no tried move lowers the
/// peak. If not all plans were tried, a sentence says how many were.
/// @pre the input has moves
std::vector<Sentence> move_sentences(const ReportInput& input);

}  // namespace stashscope
