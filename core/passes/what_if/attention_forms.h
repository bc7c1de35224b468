#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Gives the attentions of a model the form that `result.value` names:
/// - decomposed: step by step, with the scores in memory
/// - recomputed, efficient, flash: one node that works through the scores in blocks; see the
///   attribute `form` of FusedAttention
void choose_attention(Rewriter& graph, const std::vector<ValueId>& losses, WhatIfResult& result);

/// The form as it is written in files. Throws a usage Error for a form that does not exist.
std::string attention_form(const std::string& text);
std::string attention_words(const std::string& form);

}  // namespace stashscope
