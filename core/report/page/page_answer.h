#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// A sentence of the page as HTML.
using Sentence = std::string;

/// The answer of the page, one sentence after another: the peak; the memory that the allocator and
/// the pool reserve; whether the step fits into the device's memory; the time of a step; the moment
/// of the peak; the bands and the module with the most memory; plans that were left out for the
/// memory of the host; the choices of a joint plan. Sentences that do not apply are left out.
std::vector<Sentence> answer_sentences(const ReportInput& input,
                                       const std::vector<ModuleMemory>& modules);

/// Sentences on the next moves with their extra time, or one sentence that no tried move lowers the
/// peak. If not all plans were tried, a sentence says how many were.
/// @pre the input has moves
std::vector<Sentence> move_sentences(const ReportInput& input);

}  // namespace stashscope
