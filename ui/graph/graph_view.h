#pragma once

#include <QWidget>
#include <optional>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

class Minimap;

/// The graph on the screen: moves by dragging, zooms by wheel, tells what is clicked. The arrow
/// keys walk from box to box, Return opens and closes groups.
class GraphView : public QWidget {
  Q_OBJECT

 public:
  explicit GraphView(QWidget* parent = nullptr);

  /// Null empties the view. A picture of the same model keeps what the user looks at in place.
  void set_picture(std::shared_ptr<const GraphPicture> picture);
  /// Null while there is nothing to show.
  const GraphScene* scene() const { return scene_.get(); }
  void set_selection(const Selection& selection);
  /// A line across the top, such as why something is not shown; empty: none.
  void set_notice(const QString& notice);

  const Camera& camera() const { return camera_; }
  void fit();
  void zoom_by(double factor);
  void center_on(QPointF point);
  /// Moves the box that shows a node into view.
  void reveal(NodeId node);

  QSize sizeHint() const override { return {640, 480}; }

 Q_SIGNALS:
  void node_clicked(stashscope::NodeId node);
  void group_clicked(stashscope::layout::GroupId group, stashscope::layout::Side side);
  void toggle_wanted(stashscope::layout::GroupId group);
  void nothing_clicked();
  void camera_changed();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  /// A group box that is to stay where it is while the picture around it changes.
  struct Held {
    layout::GroupId group;
    layout::Side side = layout::Side::forward;
    QPointF screen;
  };

  std::optional<std::uint32_t> box_under(QPointF screen) const;
  std::optional<std::uint32_t> selected_box() const;
  std::optional<std::uint32_t> neighbour(std::uint32_t box, Qt::Key direction) const;
  Camera first_view() const;
  Camera first_view_of_normal_text() const;
  void set_camera(const Camera& camera);
  void keep_in_place(const GraphScene& before);
  void click(std::uint32_t box);
  void toggle(std::uint32_t box);
  void walk(Qt::Key direction);
  void set_hovered(std::optional<std::uint32_t> box);
  QString tip_of(std::uint32_t box) const;

  std::unique_ptr<GraphScene> scene_;
  Selection selection_;
  Camera camera_;
  bool moved_by_user_ = false;
  std::optional<Held> held_;
  std::optional<std::uint32_t> hovered_;
  QString notice_;
  QPointF pressed_at_;
  QPointF dragged_to_;
  bool dragging_ = false;
  Minimap* minimap_;
};

}  // namespace stashscope::ui
