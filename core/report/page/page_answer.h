#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

/// A sentence of the page as HTML.
using Sentence = std::string;

/// The peak, whether it fits the device, the time, and what holds most; the peak first.
std::vector<Sentence> answer_sentences(const ReportInput& input,
                                       const std::vector<ModuleMemory>& modules);

/// The next moves with their price and what was tried, or that there are none.
/// @pre the input has moves
std::vector<Sentence> move_sentences(const ReportInput& input);

}  // namespace stashscope
