#pragma once

#include <QLabel>

#include "core/study/facts/exported_config.h"
#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"

namespace stashscope::ui {

/// States peak and time that the exported config string leads to, if ONNX Runtime does not run the
/// plans as they are shown. If passes or what-ifs are on, says that the config string leaves them
/// out. Hidden otherwise, and until this is known. Computes on another thread, after every new
/// study.
class ExportHint : public QLabel {
  Q_OBJECT

 public:
  explicit ExportHint(Document& document, QWidget* parent = nullptr);

 private:
  using Effect = std::optional<ExportedEffect>;

  void ask();
  void show_changes();
  void show_effect(const Study& study, const Effect& effect);

  Document& document_;
  LatestAnswer<Effect> answers_{*this, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
