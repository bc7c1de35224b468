#include "ui/window/recent_recorder.h"

#include "ui/memory/curve_thumbnail.h"

namespace stashscope::ui {

namespace {

/// Changes that follow each other within this time are recorded together.
constexpr int recording_delay = 500;  // milliseconds

}  // namespace

RecentRecorder::RecentRecorder(Document& document, const Thumbnails& thumbnails, QObject* parent)
    : QObject(parent), document_(document), thumbnails_(thumbnails) {
  timer_.setSingleShot(true);
  timer_.setInterval(recording_delay);
  connect(&timer_, &QTimer::timeout, this, &RecentRecorder::record);
  connect(&document_, &Document::study_changed, &timer_, qOverload<>(&QTimer::start));
  connect(&document_.files(), &DocumentFiles::session_saved, &timer_, qOverload<>(&QTimer::start));
}

void RecentRecorder::finish() {
  if (!timer_.isActive()) return;
  timer_.stop();
  record();
}

/// Choices that are not saved are not recorded, because they may still be discarded, or be saved as
/// another session.
void RecentRecorder::record() {
  const auto& study = document_.study();
  if (!document_.undo_stack().isClean() || !document_.is_up_to_date()) return;
  const QString& session = document_.files().session_path();
  const QString file = session.isEmpty() ? document_.model_path() : session;
  remember_peaks(file, {study->baseline->timeline.peak_bytes, study->current->timeline.peak_bytes});
  document_.files().write_in_background(
      {}, [study, file, thumbnails = thumbnails_, listed = recent_files()] {
        const QImage image = curve_thumbnail(study);
        if (!image.isNull()) thumbnails.keep(file, image, listed);
      });
}

}  // namespace stashscope::ui
