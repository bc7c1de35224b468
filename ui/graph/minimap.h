#pragma once

#include <QPixmap>
#include <QWidget>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/occupied.h"

namespace stashscope::ui {

/// A small map of the whole picture, with a frame around the visible part. Hidden while the whole
/// picture is in view, and while every place at the edges of the view would cover a box. Prefers
/// places without lines. The map keeps its place as long as it covers no box.
class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(QWidget* parent);

  /// @param scene may be null; must stay alive until another scene is set
  void set_scene(const GraphScene* scene);
  /// Call this when colours or marks of the scene have changed.
  void scene_changed();
  /// Call this when the size of texts has changed.
  void text_changed() { has_size_ = false; }
  /// Shows the map where it covers no box, or hides it.
  void set_camera(const Camera& camera, QSize view);

 Q_SIGNALS:
  /// The user wants this point of the picture in the middle of the view.
  void point_wanted(QPointF point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Camera own_camera() const;
  void ask_for(QPointF place);
  void update_place();
  bool find_place();
  bool take_place(const Occupied& occupied);
  QRectF in_corner(Qt::Corner corner) const;
  bool take_corner(const Occupied& occupied);
  QSize size_in(QSize view, double scale) const;
  void draw_boxes();

  const GraphScene* scene_ = nullptr;
  Camera view_camera_;
  QSize view_;
  Qt::Corner corner_ = Qt::BottomRightCorner;  // kept while the corner is free
  bool has_size_ = false;  // the size was computed for this scene, zoom and view
  bool pressed_ = false;   // while true, the map stays in place under the pointer
  QRectF seen_;            // visible part of the picture
  QPixmap boxes_;          // image of the map without the frame; null until it is drawn
};

}  // namespace stashscope::ui
