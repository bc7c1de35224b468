// The overview and the headings of the graph cover no box, in several models, zooms and expansions.

#include "tests/ui/graph/graph_test.h"
#include "ui/graph/minimap.h"

namespace stashscope::ui::test {
namespace places_test {

using namespace Qt::StringLiterals;

class GraphPlaces : public GraphTest {
 protected:
  Minimap& minimap() { return find<Minimap>(u"minimap"_s); }

  std::vector<QRectF> boxes_in_view() {
    std::vector<QRectF> boxes;
    for (const layout::DrawnBox& box : scene().drawing().boxes) {
      const QRectF rect = view().camera().to_screen(to_qt(box.rect));
      if (!box.is_open() && rect.intersects(view().rect().toRectF())) boxes.push_back(rect);
    }
    return boxes;
  }
  bool covers_a_box(const QRectF& place) {
    const auto boxes = boxes_in_view();
    return std::any_of(boxes.begin(), boxes.end(),
                       [&](const QRectF& box) { return box.intersects(place); });
  }
  bool is_all_in_view() {
    const QRectF bounds = view().camera().to_screen(to_qt(scene().drawing().bounds));
    return view().rect().toRectF().contains(bounds);
  }

  void check_places() {
    EXPECT_FALSE(is_all_in_view() && minimap().isVisible());
    if (minimap().isVisible()) {
      ++overviews_;
      EXPECT_FALSE(covers_a_box(QRectF(minimap().geometry())));
      EXPECT_TRUE(view().rect().contains(minimap().geometry()));
    }
    const auto captions = view().texts().captions;
    EXPECT_TRUE(captions.size() < 2 || !captions[0].rect.intersects(captions[1].rect));
    for (const Caption& caption : captions) {
      ++captions_;
      EXPECT_FALSE(covers_a_box(caption.rect)) << caption.text.toStdString();
      EXPECT_FALSE(minimap().isVisible() && caption.rect.intersects(minimap().geometry()));
    }
  }
  /// Checks the whole range of zooms, each at several places of the picture.
  void check_zooms() {
    const layout::Rect bounds = scene().drawing().bounds;
    view().fit();
    check_places();
    for (int step = 0; step < 12; ++step) {
      view().zoom_by(1.4);
      for (const double down : {0.1, 0.5, 0.9}) {
        for (const double across : {0.0, 0.5, 0.9}) {
          view().center_on({bounds.x + across * bounds.width, bounds.y + down * bounds.height});
          check_places();
        }
      }
    }
  }
  int overviews_ = 0;
  int captions_ = 0;
};

TEST_F(GraphPlaces, TheOverviewAndTheHeadingsCoverNoBox) {
  for (const QString& model : {u"gpt2_tiny"_s, u"lenet"_s, u"mlp_gelu"_s}) {
    SCOPED_TRACE(model.toStdString());
    open(sample(model));
    check_zooms();
    open_groups();
    check_zooms();
  }
  EXPECT_GT(overviews_, 100);
  EXPECT_GT(captions_, 100);
}

TEST_F(GraphPlaces, TheOverviewKeepsItsPlaceWhileThatIsFree) {
  open(sample(u"gpt2_tiny"_s));
  view().zoom_by(1.2);
  const layout::Rect bounds = scene().drawing().bounds;
  view().center_on(to_qt(bounds.center()));
  ASSERT_TRUE(minimap().isVisible());
  const QRect before = minimap().geometry();
  view().center_on(to_qt(bounds.center()) + QPointF(0, 3));
  EXPECT_TRUE(minimap().isVisible());
  ASSERT_FALSE(covers_a_box(QRectF(before))) << "the move is too large for this test";
  EXPECT_EQ(minimap().geometry(), before);
}

}  // namespace places_test
}  // namespace stashscope::ui::test
