#pragma once

#include <QTimer>

#include "ui/document/document.h"
#include "ui/document/recent_files.h"

namespace stashscope::ui {

/// Records the peaks and a small picture of the open file for the start page, half a second after
/// the last change. It records the step of the saved file, not a step with unsaved choices.
class RecentRecorder : public QObject {
  Q_OBJECT

 public:
  RecentRecorder(Document& document, const Thumbnails& thumbnails, QObject* parent);

  /// Records at once if a change has not been recorded yet.
  void finish();

 private:
  void record();

  Document& document_;
  Thumbnails thumbnails_;
  QTimer timer_;
};

}  // namespace stashscope::ui
