#pragma once

#include <QToolButton>

namespace stashscope::ui {

/// A button that looks like a link, "Back to the peak". It is hidden at first, and the caller shows
/// it while the memory cursor is not at the peak.
QToolButton* make_peak_link(const QString& name);

}  // namespace stashscope::ui
