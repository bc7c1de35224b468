#pragma once

#include <QPixmap>
#include <QWidget>

#include "ui/graph/camera.h"
#include "ui/graph/graph_scene.h"

namespace stashscope::ui {

/// A small map of the whole picture, with a frame around the visible part. Hidden while everything
/// is in view. Placed where it covers the fewest boxes, and translucent while it covers any.
class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(QWidget* parent);

  /// @param scene may be null; must stay alive until another one is set
  void set_scene(const GraphScene* scene);
  /// To be called when colours or marks of the scene have changed.
  void scene_changed();
  void set_camera(const Camera& camera, QSize view);
  /// Looks for the best place in a view of this size.
  void place_in(QSize view);

 Q_SIGNALS:
  /// The user wants this point of the picture in the middle of the view.
  void point_wanted(QPointF point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Camera own_camera() const;
  void fit_into(QSize view);
  /// The boxes that touch a part of the screen.
  std::vector<QRectF> boxes_in(const QRectF& place) const;
  void draw_boxes();

  const GraphScene* scene_ = nullptr;
  Camera view_camera_;
  bool placed_ = false;  // a place was found for this scene at this zoom
  QRectF seen_;          // visible part of the picture
  bool covers_ = false;  // it covers boxes at its current place
  QPixmap boxes_;        // image of the map without the frame; null until it is drawn
};

}  // namespace stashscope::ui
