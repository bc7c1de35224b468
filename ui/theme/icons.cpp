#include "ui/theme/icons.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>

namespace stashscope::ui {

namespace {

/// Side of the square that icons are drawn on.
constexpr double side = 24;

QPainterPath lines(std::initializer_list<QPointF> points) {
  QPainterPath path(*points.begin());
  for (const QPointF& point : points) path.lineTo(point);
  return path;
}

QPainterPath together(std::initializer_list<QPainterPath> parts) {
  QPainterPath path;
  for (const QPainterPath& part : parts) path.addPath(part);
  return path;
}

QPainterPath box(double x, double y, double width, double height) {
  QPainterPath path;
  path.addRoundedRect(QRectF(x, y, width, height), 2, 2);
  return path;
}

QPainterPath folder() {
  return together({lines({{3, 19}, {3, 5}, {9, 5}, {11, 8}, {19, 8}, {19, 11}}),
                   lines({{3, 19}, {6, 11}, {22, 11}, {19, 19}, {3, 19}})});
}

QPainterPath disk() {
  return together(
      {box(4, 4, 16, 16), lines({{8, 4}, {8, 9}, {15, 9}, {15, 4}}), box(7, 13, 10, 7)});
}

/// An arrow that turns back to the left.
QPainterPath turn_back() {
  QPainterPath path(QPointF(5, 9));
  path.lineTo(14, 9);
  path.arcTo(QRectF(9, 9, 10, 10), 90, -180);
  path.lineTo(8, 19);
  return together({path, lines({{9, 5}, {5, 9}, {9, 13}})});
}

QPainterPath mirrored(const QPainterPath& path) {
  return QTransform(-1, 0, 0, 1, side, 0).map(path);
}

QPainterPath lens() {
  QPainterPath path;
  path.addEllipse(QPointF(10, 10), 6, 6);
  path.addPath(lines({{14.5, 14.5}, {20, 20}}));
  return path;
}

QPainterPath magnifier(bool plus) {
  const QPainterPath path = together({lens(), lines({{7, 10}, {13, 10}})});
  return plus ? together({path, lines({{10, 7}, {10, 13}})}) : path;
}

QPainterPath corners() {
  return together({lines({{4, 9}, {4, 4}, {9, 4}}), lines({{15, 4}, {20, 4}, {20, 9}}),
                   lines({{20, 15}, {20, 20}, {15, 20}}), lines({{9, 20}, {4, 20}, {4, 15}})});
}

QPainterPath path_of(Icon which) {
  switch (which) {
    case Icon::open:
      return folder();
    case Icon::save:
      return disk();
    case Icon::undo:
      return turn_back();
    case Icon::redo:
      return mirrored(turn_back());
    case Icon::run:
      return lines({{7, 4}, {20, 12}, {7, 20}, {7, 4}});
    case Icon::stop:
      return box(6, 6, 12, 12);
    case Icon::copy:
      return together({box(9, 8, 11, 13), lines({{6, 16}, {4, 16}, {4, 3}, {15, 3}, {15, 5}})});
    case Icon::fit:
      return corners();
    case Icon::zoom_in:
      return magnifier(true);
    case Icon::zoom_out:
      return magnifier(false);
    case Icon::collapse:
      return together({lines({{6, 9}, {12, 4}, {18, 9}}), lines({{6, 15}, {12, 20}, {18, 15}})});
    case Icon::close:
      return together({lines({{6, 6}, {18, 18}}), lines({{18, 6}, {6, 18}})});
    case Icon::find:
      return lens();
    case Icon::list:
      return together(
          {lines({{4, 6}, {20, 6}}), lines({{4, 12}, {20, 12}}), lines({{4, 18}, {14, 18}})});
    case Icon::peak:
      return lines({{3, 19}, {9, 13}, {13, 5}, {17, 15}, {21, 19}});
  }
  return {};
}

class LineIcon : public QIconEngine {
 public:
  explicit LineIcon(Icon which) : which_(which) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    const QColor colour = QGuiApplication::palette().color(group, QPalette::WindowText);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / side, rect.height() / side);
    painter->setPen(QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (which_ == Icon::run) painter->setBrush(colour);
    painter->drawPath(path_of(which_));
    painter->restore();
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }

  QIconEngine* clone() const override { return new LineIcon(which_); }

 private:
  Icon which_;
};

}  // namespace

QIcon icon(Icon which) { return QIcon(new LineIcon(which)); }

}  // namespace stashscope::ui
