#pragma once

#include <QString>

#include "core/study/search/largest_fit.h"
#include "core/study/search/replanned_fit.h"
#include "core/study/step/study.h"

namespace stashscope::ui {

/// The largest sizes that fit without plans and with the current choices, as rich text, and why the
/// next larger sizes do not fit.
QString fit_answer_text(const Study& study, const LargestFit& fit);

/// The largest size that fits with the current choices, and the largest that fits with a plan made
/// for it: `fits 80 GiB: batch 12, or 19 with a plan made for that size`. While the size and the
/// plan of `replanned` are in use, only this size.
/// @param replanned null: not known
QString fit_summary(const Study& study, const LargestFit& fit, const ReplannedFit* replanned,
                    bool is_in_use);

}  // namespace stashscope::ui
