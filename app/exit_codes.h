#pragma once

namespace stashscope::app {

// Exit codes other than 0 and those of errors.

/// `stashscope` found no plan within the budget, or `stashscope-plan --arena` found no placement
/// within the capacity.
constexpr int budget_not_met = 4;
/// A limit of --check is broken.
constexpr int limit_broken = 5;

}  // namespace stashscope::app
