// The overview without a graph view.

#include "ui/graph/minimap.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace stashscope::ui::test {
namespace minimap_test {

/// A picture that has only a size.
std::shared_ptr<const GraphPicture> picture_of(double width, double height) {
  auto picture = std::make_shared<GraphPicture>();
  picture->drawing.bounds = {0, 0, width, height};
  return picture;
}

/// A picture with two small boxes in its middle and straight lines between them, which run through
/// the given points.
std::shared_ptr<const GraphPicture> picture_with_lines(const std::vector<layout::Point>& points) {
  auto picture = std::make_shared<GraphPicture>();
  layout::Drawing& drawing = picture->drawing;
  drawing.bounds = {0, 0, 2000, 1600};
  drawing.boxes.resize(2);
  drawing.boxes[0].rect = {480, 390, 20, 10};
  drawing.boxes[1].rect = {500, 410, 20, 10};
  for (const layout::Point& to : points) {
    const layout::Point from = {490, 395};
    const layout::Point before = {(from.x + to.x) / 2, (from.y + to.y) / 2};
    const layout::Curve curve = {from, before, before, to};
    drawing.edges.push_back({curve, layout::bounds_of(curve), 0, 1, 1});
  }
  return picture;
}

Qt::Corner corner_of(const QWidget& map, const QSize& view) {
  const QPoint middle = map.geometry().center();
  const bool is_right = middle.x() > view.width() / 2;
  if (middle.y() > view.height() / 2)
    return is_right ? Qt::BottomRightCorner : Qt::BottomLeftCorner;
  return is_right ? Qt::TopRightCorner : Qt::TopLeftCorner;
}

TEST(Minimap, PrefersACornerWithoutLines) {
  const layout::Point corners[] = {{970, 770}, {30, 770}, {970, 30}, {30, 30}};
  const Qt::Corner names[] = {Qt::BottomRightCorner, Qt::BottomLeftCorner, Qt::TopRightCorner,
                              Qt::TopLeftCorner};
  for (std::size_t lines = 0; lines <= 4; ++lines) {
    const GraphScene scene(picture_with_lines({corners, corners + lines}));
    QWidget view;
    view.resize(1000, 800);
    Minimap minimap(&view);
    minimap.set_scene(&scene);
    minimap.set_camera({1, {}}, view.size());
    EXPECT_FALSE(minimap.isHidden()) << "lines alone do not hide the map";
    if (lines < 4) {
      EXPECT_EQ(corner_of(minimap, view.size()), names[lines]) << lines;
    }
  }
}

TEST(Minimap, HoldsPicturesThatNoViewDoes) {
  for (const double height : {500.0, 50'000.0, 2'000'000.0}) {
    const GraphScene scene(picture_of(400, height));
    QWidget view;
    view.resize(1000, 800);
    Minimap minimap(&view);
    minimap.set_scene(&scene);
    minimap.set_camera({2, {}}, view.size());
    const QSignalSpy wanted(&minimap, &Minimap::point_wanted);
    QTest::mousePress(&minimap, Qt::LeftButton, {}, QPoint(minimap.width() / 2, 6));
    QTest::mousePress(&minimap, Qt::LeftButton, {},
                      QPoint(minimap.width() / 2, minimap.height() - 6));
    ASSERT_EQ(wanted.size(), 2);
    EXPECT_NEAR(wanted[0][0].toPointF().y(), 0, 0.03 * height);
    EXPECT_NEAR(wanted[1][0].toPointF().y(), height, 0.03 * height);
  }
}

}  // namespace minimap_test
}  // namespace stashscope::ui::test
