#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/orders.h"
#include "core/study/study.h"

namespace stashscope {

/// The memory and cost of a step that runs as its timeline says.
std::shared_ptr<const Variant> make_variant(const Prepared& prepared, const Sizes& sizes,
                                            Dataflow dataflow, Timeline timeline);

/// What order strategies see of a step. Refers to its arguments.
OrderInput order_input(const Prepared& prepared, const Sizes& sizes, const UpdateMemory& update,
                       const Dataflow& dataflow, const Progress& progress = Progress());

/// A step in the order that was chosen, beside all orders with their peaks.
struct OrderedStep {
  Timeline timeline;
  std::vector<OrderRow> rows;
};

/// Searches that were not chosen are not done; they keep the peaks that `known` has of them.
/// @param known rows of the same step; may be empty
OrderedStep in_chosen_order(const OrderInput& input, const std::string& chosen,
                            const std::vector<OrderRow>& known);

}  // namespace stashscope
