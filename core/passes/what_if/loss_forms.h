#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Gives the losses of a model the form that `result.value` names: `whole` leaves them as they are;
/// `pieces` and `pieces:ROWS` compute the scores of some rows at a time.
void choose_loss(Rewriter& graph, const std::vector<ValueId>& losses, WhatIfResult& result);

/// The form as it is written in files. Throws a usage Error for a form that does not exist.
std::string loss_form(const std::string& text);
std::string loss_words(const std::string& form);

}  // namespace stashscope
