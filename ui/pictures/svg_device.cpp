#include "ui/pictures/svg_device.h"

#include <QBuffer>
#include <QFontInfo>
#include <QImage>
#include <QPaintEngine>
#include <QPainterPath>
#include <limits>

#include "core/base/text.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString number(double value) { return QString::number(value, 'g', 7); }

QString attribute(QLatin1String name, const QString& value) {
  return u" %1=\"%2\""_s.arg(name, value);
}

QString attribute(QLatin1String name, double value) { return attribute(name, number(value)); }

QString escaped(const QString& text) {
  return QString::fromStdString(xml_escaped(to_valid_utf8(text.toStdString())));
}

/// The SVG attributes for a colour: `fill` or `stroke`, and the opacity if the colour is not
/// opaque.
QString paint_attributes(QLatin1String property, const QColor& colour) {
  QString text = attribute(property, colour.name());
  if (colour.alpha() < 255) {
    text += attribute(QLatin1String(property == "fill"_L1 ? "fill-opacity" : "stroke-opacity"),
                      colour.alphaF());
  }
  return text;
}

constexpr double hatch_size = 8;

/// The lines of one tile of a hatched brush, hatch_size wide and high. Empty for other brushes.
QString hatch_lines(Qt::BrushStyle style) {
  switch (style) {
    case Qt::HorPattern:
      return u"M0 4h8"_s;
    case Qt::VerPattern:
      return u"M4 0v8"_s;
    case Qt::CrossPattern:
      return hatch_lines(Qt::HorPattern) + hatch_lines(Qt::VerPattern);
    case Qt::BDiagPattern:
      return u"M-1 1l2 -2M0 8l8 -8M7 9l2 -2"_s;
    case Qt::FDiagPattern:
      return u"M-1 7l2 2M0 0l8 8M7 -1l2 2"_s;
    case Qt::DiagCrossPattern:
      return hatch_lines(Qt::BDiagPattern) + hatch_lines(Qt::FDiagPattern);
    default:
      return {};
  }
}

QString path_data(const QPainterPath& path) {
  QString data;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element each = path.elementAt(i);
    const QString at = number(each.x) + u' ' + number(each.y);
    switch (each.type) {
      case QPainterPath::MoveToElement:
        data += u'M' + at;
        break;
      case QPainterPath::LineToElement:
        data += u'L' + at;
        break;
      case QPainterPath::CurveToElement:
        data += u'C' + at;
        break;
      default:
        data += u' ' + at;
    }
  }
  return data;
}

/// Writes the shapes, texts and images that a painter paints as SVG elements.
class SvgEngine : public QPaintEngine {
 public:
  SvgEngine() : QPaintEngine(AllFeatures) {}

  const QString& body() const { return body_; }

  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  Type type() const override { return User; }

  void updateState(const QPaintEngineState& changed) override {
    const auto clip = DirtyClipPath | DirtyClipRegion | DirtyClipEnabled;
    if (changed.state() & clip) change_clip();
  }

  void drawPath(const QPainterPath& path) override {
    const QString rule = path.fillRule() == Qt::OddEvenFill ? u"evenodd"_s : u"nonzero"_s;
    add(u"path"_s,
        attribute("d"_L1, path_data(path)) + attribute("fill-rule"_L1, rule) + brush() + pen());
  }

  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    QString list;
    for (int i = 0; i < count; ++i) {
      list += number(points[i].x()) + u',' + number(points[i].y()) + u' ';
    }
    const bool is_line = mode == PolylineMode;
    add(is_line ? u"polyline"_s : u"polygon"_s,
        attribute("points"_L1, list.trimmed()) +
            (is_line ? attribute("fill"_L1, u"none"_s) : brush()) + pen());
  }

  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QFont font = item.font();
    QString text = attribute("x"_L1, at.x()) + attribute("y"_L1, at.y()) +
                   attribute("font-family"_L1, escaped(font.family()) + u", sans-serif"_s) +
                   attribute("font-size"_L1, QFontInfo(font).pixelSize()) +
                   attribute("textLength"_L1, item.width()) +
                   attribute("lengthAdjust"_L1, u"spacingAndGlyphs"_s) +
                   paint_attributes("fill"_L1, state->pen().color());
    if (font.weight() != QFont::Normal) text += attribute("font-weight"_L1, font.weight());
    add(u"text"_s, text + attribute("xml:space"_L1, u"preserve"_s), escaped(item.text()));
  }

  void drawPixmap(const QRectF& place, const QPixmap& pixmap, const QRectF& source) override {
    drawImage(place, pixmap.toImage(), source, Qt::AutoColor);
  }

  void drawImage(const QRectF& place, const QImage& image, const QRectF& source,
                 Qt::ImageConversionFlags) override {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.copy(source.toAlignedRect()).save(&buffer, "PNG");
    add(u"image"_s,
        attribute("x"_L1, place.x()) + attribute("y"_L1, place.y()) +
            attribute("width"_L1, place.width()) + attribute("height"_L1, place.height()) +
            attribute("preserveAspectRatio"_L1, u"none"_s) +
            attribute("href"_L1,
                      u"data:image/png;base64,"_s + QString::fromLatin1(bytes.toBase64())));
  }

 private:
  void change_clip() {
    clip_.clear();
    if (!painter()->hasClipping()) return;
    const QString data = path_data(state->transform().map(painter()->clipPath()));
    const QString name = u"clip%1"_s.arg(++names_);
    body_ += u"<clipPath id=\"%1\"><path d=\"%2\"/></clipPath>\n"_s.arg(name, data);
    clip_ = attribute("clip-path"_L1, u"url(#%1)"_s.arg(name));
  }

  /// The clip is in the coordinates of the page, so it belongs to a group around the element.
  void add(const QString& element, const QString& attributes, const QString& content = {}) {
    QString text = u'<' + element + attributes + placed();
    text += content.isEmpty() ? u"/>"_s : u'>' + content + u"</"_s + element + u'>';
    body_ += (clip_.isEmpty() ? text : u"<g"_s + clip_ + u'>' + text + u"</g>"_s) + u'\n';
  }

  QString placed() const {
    QString text;
    const QTransform& at = state->transform();
    if (!at.isIdentity()) {
      text += attribute("transform"_L1, u"matrix(%1 %2 %3 %4 %5 %6)"_s.arg(
                                            number(at.m11()), number(at.m12()), number(at.m21()),
                                            number(at.m22()), number(at.dx()), number(at.dy())));
    }
    if (state->opacity() < 1) text += attribute("opacity"_L1, state->opacity());
    return text;
  }

  QString brush() {
    const QBrush brush = state->brush();
    if (brush.style() == Qt::NoBrush) return attribute("fill"_L1, u"none"_s);
    if (const QString lines = hatch_lines(brush.style()); !lines.isEmpty()) {
      return hatched(lines, brush.color());
    }
    if (brush.style() != Qt::LinearGradientPattern) {
      return paint_attributes("fill"_L1, brush.color());
    }
    const auto* const gradient = static_cast<const QLinearGradient*>(brush.gradient());
    const QString name = u"gradient%1"_s.arg(++names_);
    body_ += u"<linearGradient"_s + attribute("id"_L1, name) +
             attribute("gradientUnits"_L1, u"userSpaceOnUse"_s) +
             attribute("x1"_L1, gradient->start().x()) + attribute("y1"_L1, gradient->start().y()) +
             attribute("x2"_L1, gradient->finalStop().x()) +
             attribute("y2"_L1, gradient->finalStop().y()) + u'>';
    for (const auto& [place, colour] : gradient->stops()) {
      body_ += u"<stop"_s + attribute("offset"_L1, place) +
               attribute("stop-color"_L1, colour.name()) +
               attribute("stop-opacity"_L1, colour.alphaF()) + u"/>"_s;
    }
    body_ += u"</linearGradient>\n"_s;
    return attribute("fill"_L1, u"url(#%1)"_s.arg(name));
  }

  QString hatched(const QString& lines, const QColor& colour) {
    const QString name = u"hatch%1"_s.arg(++names_);
    body_ += u"<pattern"_s + attribute("id"_L1, name) +
             attribute("patternUnits"_L1, u"userSpaceOnUse"_s) + attribute("width"_L1, hatch_size) +
             attribute("height"_L1, hatch_size) + u"><path"_s + attribute("d"_L1, lines) +
             paint_attributes("stroke"_L1, colour) + u"/></pattern>\n"_s;
    return attribute("fill"_L1, u"url(#%1)"_s.arg(name));
  }

  QString pen() const {
    const QPen pen = state->pen();
    if (pen.style() == Qt::NoPen) return {};
    const double width = std::max(pen.widthF(), pen.widthF() > 0 ? 0.0 : 1.0);
    QString text = paint_attributes("stroke"_L1, pen.color()) + attribute("stroke-width"_L1, width);
    if (pen.capStyle() == Qt::RoundCap) text += attribute("stroke-linecap"_L1, u"round"_s);
    if (pen.joinStyle() == Qt::RoundJoin) text += attribute("stroke-linejoin"_L1, u"round"_s);
    if (pen.style() == Qt::SolidLine) return text;
    QStringList dashes;
    for (const double each : pen.dashPattern()) dashes << number(each * width);
    return text + attribute("stroke-dasharray"_L1, dashes.join(u' '));
  }

  QString body_;
  QString clip_;  ///< `clip-path` attribute of elements; empty without a clip
  int names_ = 0;
};

class SvgDevice : public QPaintDevice {
 public:
  explicit SvgDevice(const QSizeF& size) : size_(size.toSize()) {}

  QPaintEngine* paintEngine() const override { return &engine_; }
  const QString& body() const { return engine_.body(); }

 protected:
  int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
      case PdmWidth:
        return size_.width();
      case PdmHeight:
        return size_.height();
      case PdmWidthMM:
        return in_millimetres(size_.width());
      case PdmHeightMM:
        return in_millimetres(size_.height());
      case PdmNumColors:
        return std::numeric_limits<int>::max();
      case PdmDepth:
        return 32;
      case PdmDevicePixelRatio:
        return 1;
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return screen_resolution();
      default:
        return QPaintDevice::metric(metric);
    }
  }

 private:
  static int in_millimetres(int pixels) {
    constexpr double per_inch = 25.4;
    return qRound(pixels * per_inch / screen_resolution());
  }

  QSize size_;
  mutable SvgEngine engine_;
};

}  // namespace

int screen_resolution() { return QImage(1, 1, QImage::Format_RGB32).logicalDpiX(); }

std::string painted_svg(const Picture& picture) {
  SvgDevice device(picture.size);
  QPainter painter(&device);
  picture.paint(painter);
  painter.end();
  const QString width = number(picture.size.width());
  const QString height = number(picture.size.height());
  const QString head =
      u"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" "
      "viewBox=\"0 0 %1 %2\">\n<title>%3</title>\n"_s.arg(width, height, escaped(picture.title));
  return (head + device.body() + u"</svg>\n"_s).toStdString();
}

}  // namespace stashscope::ui
