#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <unordered_map>

#include "core/report/graph_picture.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// The content of the graph view: a drawing, and the study and grouping that the ids in the drawing
/// refer to.
struct GraphPicture {
  std::shared_ptr<const Study> study;
  std::shared_ptr<const layout::Grouping> grouping;
  layout::OpenGroups open;
  /// Size of the texts for which the boxes were laid out, relative to the normal size.
  double text_scale = 1;
  layout::Drawing drawing;
};

/// Turns studies into drawings in the background. If a layout takes longer than
/// `patience_in_milliseconds`, a plain layout is shown first. If the layout fails, the plain layout
/// stays. Layouts are cached in memory, so that a layout that was shown before appears at once.
/// Only the newest request is answered.
class LayoutService : public QObject {
  Q_OBJECT

 public:
  /// @param program the program that computes layouts in a child process
  /// @param text_width measures texts on boxes; called on another thread
  LayoutService(std::filesystem::path program, layout::TextWidth text_width,
                QObject* parent = nullptr);
  ~LayoutService() override;

  /// @param open the open groups; empty: the groups of `initially_open`
  /// @param text_scale size of the texts on boxes, relative to the size that `text_width` measures
  void request(std::shared_ptr<const Study> study, std::optional<layout::OpenGroups> open,
               double text_scale = 1);

  bool is_busy() const { return busy_; }

  /// Delay before the plain layout is shown.
  static constexpr int patience_in_milliseconds = 2500;

 Q_SIGNALS:
  /// @param is_final false: the picture has the plain layout, and the final picture will follow
  void drawn(std::shared_ptr<const stashscope::ui::GraphPicture> picture, bool is_final);
  /// The layout failed. The plain layout stays, if there is one.
  void degraded(const QString& reason);

 private:
  class Work;
  using Answer = std::shared_ptr<const GraphPicture>;

  void take_plain(std::uint64_t generation, Answer picture);
  void take_final(std::uint64_t generation, Answer picture, const QString& failure);
  void show_plain();

  std::shared_ptr<Work> work_;
  std::uint64_t generation_ = 0;
  bool busy_ = false;
  Progress progress_;
  Answer plain_;
  QTimer patience_;
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
