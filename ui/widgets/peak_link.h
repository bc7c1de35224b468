#pragma once

#include <QKeySequence>
#include <QToolButton>

namespace stashscope::ui {

/// The shortcut that moves the memory cursor to the peak.
QKeySequence peak_key();

/// A button that looks like a link, "Back to the peak". It is hidden at first, and the caller shows
/// it while the memory cursor is not at the peak.
QToolButton* make_peak_link(const QString& name);

}  // namespace stashscope::ui
