#pragma once

#include <QDockWidget>
#include <QPointer>
#include <QTimer>
#include <deque>
#include <vector>

namespace stashscope::ui {

/// Draws panels one after the other, each in an event of its own, because drawing all of them in
/// one event takes too long.
class PacedPanels : public QObject {
 public:
  explicit PacedPanels(QObject* parent = nullptr);

  /// Draws the visible panels again. A panel that still waits because of an earlier call is drawn
  /// only once.
  void draw(const std::vector<QDockWidget*>& panels);
  /// The number of panels that are not drawn yet.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  void draw_next();

  std::deque<QPointer<QDockWidget>> waiting_;
  QTimer timer_;
};

}  // namespace stashscope::ui
