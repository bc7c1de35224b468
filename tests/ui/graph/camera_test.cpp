#include "ui/graph/camera.h"

#include <gtest/gtest.h>

namespace stashscope::ui {
namespace camera_test {

void expect_near(QPointF a, QPointF b) {
  EXPECT_NEAR(a.x(), b.x(), 1e-9);
  EXPECT_NEAR(a.y(), b.y(), 1e-9);
}

TEST(Camera, ThereAndBackAgain) {
  const Camera camera{0.4, {30, -7}};
  for (const QPointF point : {QPointF(0, 0), QPointF(-3, 900), QPointF(1e6, 0.5)}) {
    expect_near(camera.to_picture(camera.to_screen(point)), point);
  }
  const QRectF rect(1, 2, 30, 40);
  expect_near(camera.to_picture(camera.to_screen(rect)).bottomRight(), rect.bottomRight());
}

TEST(Camera, ZoomKeepsTheAnchor) {
  const Camera camera{0.7, {12, 34}};
  const QPointF anchor(200, 100);
  const QPointF below = camera.to_picture(anchor);
  for (const double factor : {0.5, 1.25, 3.0, 100.0, 1e-6}) {
    const Camera other = zoomed(camera, factor, anchor);
    expect_near(other.to_picture(anchor), below);
    EXPECT_GE(other.zoom, least_zoom);
    EXPECT_LE(other.zoom, most_zoom);
  }
}

TEST(Camera, FitShowsEverythingInTheMiddle) {
  const QSizeF screen(800, 600);
  for (const QRectF picture : {QRectF(-50, 20, 3000, 400), QRectF(0, 0, 10, 9000)}) {
    const Camera camera = fitted(picture, screen, 32);
    const QRectF shown = camera.to_screen(picture);
    EXPECT_TRUE(QRectF(QPointF(), screen).contains(shown));
    expect_near(shown.center(), QPointF(400, 300));
  }
}

TEST(Camera, FitNeverEnlarges) {
  EXPECT_EQ(fitted(QRectF(0, 0, 5, 5), {800, 600}, 32).zoom, 1);
  EXPECT_EQ(fitted(QRectF(), {800, 600}, 32).zoom, 1);
}

TEST(Camera, FitIntoNothingIsStillACamera) {
  const Camera camera = fitted(QRectF(0, 0, 500, 500), {1, 1}, 32);
  EXPECT_EQ(camera.zoom, least_zoom);
}

TEST(Camera, MovesAndAnchors) {
  const Camera camera{2, {0, 0}};
  expect_near(moved(camera, {5, 6}).to_screen(QPointF(1, 1)), {7, 8});
  expect_near(anchored(camera, {3, 4}, {100, 50}).to_screen(QPointF(3, 4)), {100, 50});
}

}  // namespace camera_test
}  // namespace stashscope::ui
