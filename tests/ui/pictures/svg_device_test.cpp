// What brushes become in an SVG document.

#include "ui/pictures/svg_device.h"

#include <gtest/gtest.h>

#include <QLinearGradient>
#include <QXmlStreamReader>
#include <vector>

namespace stashscope::ui {
namespace svg_device_test {

using namespace Qt::StringLiterals;

/// The attributes of all elements with this name in the picture of a filled square.
std::vector<QXmlStreamAttributes> all_of(const QString& element, const QBrush& brush) {
  const Picture picture{
      u"square"_s, {20, 20}, [&](QPainter& painter) { painter.fillRect(2, 2, 16, 16, brush); }, {}};
  QXmlStreamReader reader(QString::fromStdString(painted_svg(picture)));
  std::vector<QXmlStreamAttributes> found;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement() && reader.name() == element) found.push_back(reader.attributes());
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  return found;
}

TEST(SvgDevice, HatchedBrushesStayHatched) {
  for (const Qt::BrushStyle style : {Qt::HorPattern, Qt::VerPattern, Qt::CrossPattern,
                                     Qt::BDiagPattern, Qt::FDiagPattern, Qt::DiagCrossPattern}) {
    const QBrush brush(QColor(10, 20, 30, 51), style);
    const auto patterns = all_of(u"pattern"_s, brush);
    ASSERT_EQ(patterns.size(), 1U) << style;
    EXPECT_EQ(patterns[0].value("patternUnits"_L1), u"userSpaceOnUse"_s);
    const auto paths = all_of(u"path"_s, brush);
    ASSERT_EQ(paths.size(), 2U) << "the lines of the pattern, and the square";
    EXPECT_EQ(paths[1].value("fill"_L1), u"url(#"_s + patterns[0].value("id"_L1).toString() + u')');
    const QXmlStreamAttributes& lines = paths[0];
    EXPECT_EQ(lines.value("stroke"_L1), u"#0a141e"_s);
    EXPECT_DOUBLE_EQ(lines.value("stroke-opacity"_L1).toDouble(), 0.2);
  }
}

TEST(SvgDevice, GradientsKeepTheirTransparency) {
  QLinearGradient gradient(2, 2, 18, 2);
  gradient.setColorAt(0, QColor(10, 20, 30, 51));
  gradient.setColorAt(1, Qt::white);
  const auto stops = all_of(u"stop"_s, gradient);
  ASSERT_EQ(stops.size(), 2U);
  const QXmlStreamAttributes& stop = stops[0];
  EXPECT_EQ(stop.value("stop-color"_L1), u"#0a141e"_s);
  EXPECT_DOUBLE_EQ(stop.value("stop-opacity"_L1).toDouble(), 0.2);
}

}  // namespace svg_device_test
}  // namespace stashscope::ui
