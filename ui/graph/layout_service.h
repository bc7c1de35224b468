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
  double text_scale = 1;  ///< size of the texts that the boxes have room for, at zoom 1
  layout::Drawing drawing;
};

/// Turns studies into drawings in the background. If a layout takes longer than
/// `patience_in_milliseconds`, a plain layout is shown first. If the layout process dies, the plain
/// layout stays. Layouts are cached in memory, so that undoing and closing groups again are
/// instant. Only the newest request is answered.
class LayoutService : public QObject {
  Q_OBJECT

 public:
  /// @param program is started as the layout child
  /// @param text_width measures texts on boxes; called on another thread
  LayoutService(std::filesystem::path program, layout::TextWidth text_width,
                QObject* parent = nullptr);
  ~LayoutService() override;

  /// @param open the open groups; empty: the groups of `initially_open`
  /// @param text_scale size of the texts on boxes, relative to `text_width`
  void request(std::shared_ptr<const Study> study, std::optional<layout::OpenGroups> open,
               double text_scale = 1);

  bool is_busy() const { return busy_; }

  /// Delay before the plain layout is shown.
  static constexpr int patience_in_milliseconds = 2500;

 Q_SIGNALS:
  /// @param is_final false: a better picture will follow
  void drawn(std::shared_ptr<const stashscope::ui::GraphPicture> picture, bool is_final);
  /// The fine layout failed; a plain one was drawn.
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
