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
