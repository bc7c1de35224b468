#include "ui/widgets/paced_panels.h"

#include <chrono>
#include <utility>

namespace stashscope::ui {

namespace {

constexpr std::chrono::milliseconds wait_between{8};

}  // namespace

PacedPanels::PacedPanels(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setInterval(wait_between);
  connect(&timer_, &QTimer::timeout, this, &PacedPanels::draw_next);
}

void PacedPanels::draw(const std::vector<QDockWidget*>& panels) {
  // Panels that still wait are released first. Only visible panels are made to wait again.
  for (const QPointer<QDockWidget>& each : std::exchange(waiting_, {})) {
    if (each != nullptr) each->setUpdatesEnabled(true);
  }
  for (QDockWidget* const panel : panels) {
    if (!panel->isVisible()) continue;
    panel->setUpdatesEnabled(false);
    waiting_.emplace_back(panel);
  }
  timer_.start();
}

/// Starts the timer for the next panel only after this panel was released. With a repeating timer,
/// several panels would be due at once after one that takes long to draw.
void PacedPanels::draw_next() {
  if (waiting_.empty()) return;
  const QPointer<QDockWidget> panel = waiting_.front();
  waiting_.pop_front();
  if (panel != nullptr) panel->setUpdatesEnabled(true);
  if (!waiting_.empty()) timer_.start();
}

}  // namespace stashscope::ui
