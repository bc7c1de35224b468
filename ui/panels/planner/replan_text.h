#pragma once

#include "ui/document/planning.h"

namespace stashscope::ui {

/// The largest size that fits if a plan is made for each size, as rich text: its peak, time and
/// passes, and why no plan is known with which the next larger size fits.
/// @param is_in_use whether the size and its plan are chosen
QString replanned_text(const ReplannedFit& fit, bool is_in_use);

/// The largest size found so far by a search that makes a plan for each size, and the size that it
/// tries, as rich text.
QString replanning_text(const Planning::Replanning& state);

/// The text of a button that sets the size together with its plan.
QString use_replanned_text(const Study& study, const LargestFit& asked, const PlannedFit& largest);
/// The tool tip of this button: what else the button changes.
QString use_replanned_tip(const PlannedFit& largest);

}  // namespace stashscope::ui
