#include "ui/graph/graph_export.h"

#include <QFile>
#include <QImage>

#include "core/base/error.h"
#include "tests/ui/graph/graph_test.h"
#include "ui/pictures/picture_file.h"

namespace stashscope::ui::test {
namespace graph_export_test {

using namespace Qt::StringLiterals;

TEST(PictureFormat, IsToldByTheSuffix) {
  EXPECT_EQ(picture_format("/a/b.svg"), PictureFormat::svg);
  EXPECT_EQ(picture_format("b.PNG"), PictureFormat::png);
  EXPECT_EQ(picture_format("b.x.pdf"), PictureFormat::pdf);
  for (const char* const other : {"graph", "graph.jpg", "png", ".svg/graph"}) {
    EXPECT_THROW(picture_format(other), Error) << other;
  }
}

TEST(PngScale, IsTwoUntilTheImageWouldBeTooLarge) {
  EXPECT_EQ(png_scale({800, 600}), 2);
  for (const QSizeF picture : {QSizeF(900, 60'000), QSizeF(20'000, 20'000), QSizeF(1e7, 10)}) {
    const QSizeF image = picture * png_scale(picture);
    EXPECT_LE(std::max(image.width(), image.height()), 16'384.5);
    EXPECT_LE(image.width() * image.height(), 100.1e6);
  }
}

class GraphExport : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  QByteArray export_as(const QString& name) {
    press(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    return saved_as(name);
  }
  /// The file that the open dialog saves under that name.
  QByteArray saved_as(const QString& name) {
    const QString path = in_folder(name);
    answer_file_dialog(u"save_dialog"_s, path);
    EXPECT_TRUE(comes_true([&] { return message().contains(name); })) << message().toStdString();
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << message().toStdString();
    return file.readAll();
  }
};

TEST_F(GraphExport, AsAnImageOfTheWholePicture) {
  const QByteArray bytes = export_as(u"graph.png"_s);
  const QImage image = QImage::fromData(bytes, "PNG");
  const QSizeF page = page_size(scene().drawing().bounds, {});
  EXPECT_EQ(image.size(), (page * png_scale(page)).toSize());
  // The colour of each box is drawn: its strip is 7 units from its left edge.
  const double scale = png_scale(page);
  const layout::Rect& bounds = scene().drawing().bounds;
  for (std::size_t i = 0; i < scene().drawing().boxes.size(); ++i) {
    const layout::DrawnBox& box = scene().drawing().boxes[i];
    if (box.is_open() || !scene().colour(i)) continue;
    const QPointF strip(box.rect.x + 7, box.rect.center().y);
    const QPointF corner = strip - to_qt(layout::Point{bounds.x, bounds.y}) + QPointF(32, 96);
    EXPECT_EQ(image.pixelColor((corner * scale).toPoint()), *scene().colour(i)) << box.title;
  }
}

TEST_F(GraphExport, AsPdf) {
  const QByteArray bytes = export_as(u"graph.pdf"_s);
  EXPECT_TRUE(bytes.startsWith("%PDF"));
  EXPECT_TRUE(bytes.trimmed().endsWith("%%EOF"));
  EXPECT_GT(bytes.size(), 4000);
}

TEST_F(GraphExport, AsSvgInTheColoursOnTheScreen) {
  choose_entry(u"graph_colours"_s, 2);
  const QByteArray bytes = export_as(u"graph.svg"_s);
  EXPECT_TRUE(bytes.startsWith("<svg"));
  EXPECT_TRUE(bytes.contains("no plan"));
  EXPECT_TRUE(bytes.contains(">gpt2_tiny, ")) << "the title line";
  choose_entry(u"graph_colours"_s, 0);
}

TEST_F(GraphExport, AnIsolatedPartIsExportedWithoutTheRestOfTheGraph) {
  const QImage whole = QImage::fromData(export_as(u"whole.png"_s), "PNG");
  const NodeId node = find_node(
      [this](NodeId each) { return makers(each).size() == 2 && readers(each).size() == 1; });
  go_to(node);
  press(Qt::Key_I);
  ASSERT_TRUE(view().isolation());
  const layout::Rect part = scene().isolated_bounds();
  EXPECT_LT(part.height, scene().drawing().bounds.height / 2);
  // The title with the name of the node is wider than this part.
  const QSizeF page = page_size(part, {});
  const QImage image = QImage::fromData(export_as(u"part.png"_s), "PNG");
  EXPECT_EQ(image.height(), qRound(page.height() * png_scale(page)));
  EXPECT_GE(image.width(), qRound(page.width() * png_scale(page)));
  EXPECT_LT(image.height(), whole.height());
  // The selected box is marked as in the window; each box of the part has its colour.
  const double scale = png_scale(page);
  for (std::size_t i = 0; i < scene().drawing().boxes.size(); ++i) {
    const layout::DrawnBox& box = scene().drawing().boxes[i];
    if (box.is_open() || !scene().colour(i) || scene().is_faded(i)) continue;
    const QPointF strip(box.rect.x + 7, box.rect.center().y);
    const QPointF corner = strip - to_qt(layout::Point{part.x, part.y}) + QPointF(32, 96);
    EXPECT_EQ(image.pixelColor((corner * scale).toPoint()), *scene().colour(i)) << box.title;
  }
}

TEST_F(GraphExport, TheMenuOfTheGraphSavesTheIsolatedPartAsSvg) {
  const auto save = [this](const QString& name) {
    choose(menu_by_key(), u"save_picture"_s);
    return saved_as(name);
  };
  const NodeId node = find_node([this](NodeId each) { return is_shown(each); });
  go_to(node);
  const QByteArray whole = save(u"whole.svg"_s);
  EXPECT_FALSE(whole.contains("opacity=\"0.3\"")) << "a selection fades nothing";
  press(Qt::Key_I);
  const QByteArray part = save(u"part.svg"_s);
  EXPECT_LT(part.count("<rect"), whole.count("<rect")) << "what lies outside is left out";
  EXPECT_TRUE(part.contains("class=\"selected\""));
  EXPECT_TRUE(part.contains("1 tensor away</text>")) << "the title line";
  press(Qt::Key_Escape);
  EXPECT_EQ(save(u"again.svg"_s), whole);
}

TEST_F(GraphExport, AnotherSuffixIsRefusedWithTheOnesThereAre) {
  const QString path = in_folder(u"graph.jpg"_s);
  choose(menu_at(QPoint(4, 4)), u"save_picture"_s);
  answer_file_dialog(u"save_dialog"_s, path);
  ASSERT_TRUE(comes_true([this] { return message().contains(u".png"_s); }));
  EXPECT_FALSE(QFile::exists(path));
}

}  // namespace graph_export_test
}  // namespace stashscope::ui::test
