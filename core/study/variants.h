#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace stashscope {

/// The memory and cost of a step whose dataflow runs in a named order.
std::shared_ptr<const Variant> make_variant(const Prepared& prepared, const Sizes& sizes,
                                            const UpdateMemory& update, Dataflow dataflow,
                                            const std::string& order);

/// The peak of `current` in every order. @param chosen the order that it has
std::vector<OrderRow> order_rows(const Prepared& prepared, const Sizes& sizes,
                                 const UpdateMemory& update, const Variant& current,
                                 const std::string& chosen);

}  // namespace stashscope
