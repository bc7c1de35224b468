#pragma once

#include <QTimer>

#include "ui/document/document.h"
#include "ui/document/recent_files.h"

namespace stashscope::ui {

/// Keeps the peaks and a small picture of the open file for the start page, a moment after each
/// change.
class RecentRecorder : public QObject {
  Q_OBJECT

 public:
  RecentRecorder(Document& document, const Thumbnails& thumbnails, QObject* parent);

  /// Records what is still to be recorded.
  void finish();

 private:
  void record();

  Document& document_;
  Thumbnails thumbnails_;
  QTimer timer_;
};

}  // namespace stashscope::ui
