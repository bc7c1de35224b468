// What brushes become in an SVG document.

#include "ui/pictures/svg_device.h"

#include <gtest/gtest.h>

#include <QLinearGradient>
#include <QXmlStreamReader>

namespace stashscope::ui {
namespace svg_device_test {

using namespace Qt::StringLiterals;

/// The attributes of the first element with this name in the picture of a filled square.
QXmlStreamAttributes first_of(const QString& element, const QBrush& brush) {
  const Picture picture{
      u"square"_s, {20, 20}, [&](QPainter& painter) { painter.fillRect(2, 2, 16, 16, brush); }, {}};
  QXmlStreamReader reader(QString::fromStdString(painted_svg(picture)));
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement() && reader.name() == element) return reader.attributes();
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  return {};
}

TEST(SvgDevice, HatchedBrushesStayHatched) {
  for (const Qt::BrushStyle style : {Qt::HorPattern, Qt::VerPattern, Qt::CrossPattern,
                                     Qt::BDiagPattern, Qt::FDiagPattern, Qt::DiagCrossPattern}) {
    const QBrush brush(QColor(10, 20, 30, 51), style);
    const QXmlStreamAttributes pattern = first_of(u"pattern"_s, brush);
    ASSERT_EQ(pattern.value("patternUnits"_L1), u"userSpaceOnUse"_s) << style;
    const QXmlStreamAttributes square = first_of(u"rect"_s, brush);
    EXPECT_EQ(square.value("fill"_L1), u"url(#"_s + pattern.value("id"_L1).toString() + u')');
    const QXmlStreamAttributes lines = first_of(u"path"_s, brush);
    EXPECT_EQ(lines.value("stroke"_L1), u"#0a141e"_s);
    EXPECT_DOUBLE_EQ(lines.value("stroke-opacity"_L1).toDouble(), 0.2);
  }
}

TEST(SvgDevice, GradientsKeepTheirTransparency) {
  QLinearGradient gradient(2, 2, 18, 2);
  gradient.setColorAt(0, QColor(10, 20, 30, 51));
  gradient.setColorAt(1, Qt::white);
  const QXmlStreamAttributes stop = first_of(u"stop"_s, gradient);
  EXPECT_EQ(stop.value("stop-color"_L1), u"#0a141e"_s);
  EXPECT_DOUBLE_EQ(stop.value("stop-opacity"_L1).toDouble(), 0.2);
}

}  // namespace svg_device_test
}  // namespace stashscope::ui
