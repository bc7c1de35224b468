// No box of an operator is empty where a part of its name has room.

#include <QAction>
#include <QFile>
#include <set>

#include "tests/ui/graph/graph_test.h"

namespace stashscope::ui::test {
namespace empty_boxes_test {

using namespace Qt::StringLiterals;

/// A box without a title is lower than a readable line, or narrower than three letters of it.
class EmptyBoxes : public GraphTest, public testing::WithParamInterface<const char*> {
 protected:
  const layout::DrawnBox& box(std::uint32_t index) { return scene().drawing().boxes[index]; }
  QRectF on_screen(std::uint32_t index) {
    return view().camera().to_screen(to_qt(box(index).rect));
  }
  void zoom_to(double zoom) { view().zoom_by(zoom / view().camera().zoom); }
  /// The boxes of nodes that are whole in view, and those of them that have room but no title.
  std::pair<std::size_t, std::size_t> count_boxes() {
    std::set<std::uint32_t> titled;
    for (const GraphLabel& label : view().texts().labels) {
      if (label.kind != LabelKind::line) titled.insert(label.box);
    }
    std::pair<std::size_t, std::size_t> counts;
    for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      const QRectF rect = on_screen(i);
      if (!scene().is_drawn(i) || !scene().is_leaf(i) || !box(i).shows.node.valid()) continue;
      if (!view().rect().toRectF().contains(rect)) continue;
      ++counts.first;
      if (rect.width() < 42 || rect.height() < 10 || titled.contains(i)) continue;
      ++counts.second;
      ADD_FAILURE() << box(i).title << " " << rect.width() << " x " << rect.height() << " at "
                    << view().camera().zoom;
    }
    return counts;
  }
  /// Opens three of the closed groups.
  void open_some_groups() {
    std::vector<layout::GroupId> closed;
    for (const layout::DrawnBox& each : scene().drawing().boxes) {
      const bool is_forward = each.shows.side == layout::Side::forward;
      const bool is_closed = each.shows.group.valid() && !each.is_open();
      if (is_closed && is_forward && closed.size() < 3) closed.push_back(each.shows.group);
    }
    for (const layout::GroupId group : closed) {
      window().graph().toggle(group);
      ASSERT_TRUE(settles());
    }
  }
};

TEST_P(EmptyBoxes, NoNodeIsAnEmptyBoxWhereLettersFit) {
  const QString model = QString::fromUtf8(GetParam());
  const QString path = QFile::exists(sample(model)) ? sample(model) : shared_model(model);
  if (!QFile::exists(path)) GTEST_SKIP() << "no reference data";
  open(path);
  window().resize(1366, 768);
  std::size_t boxes = 0;
  open_some_groups();
  for (const QString& workspace : {u"workspace_overview"_s, u"workspace_plan"_s}) {
    find<QAction>(workspace).trigger();
    ASSERT_TRUE(settles());
    for (int level = 0; level < 3; ++level) {
      open_some_groups();
      for (const double zoom : {0.2, 0.3, 0.36, 0.43, 0.5, 0.6, 0.75, 1.0, 1.6}) {
        zoom_to(zoom);
        for (const double share : {0.1, 0.3, 0.5}) {
          const layout::Rect& bounds = scene().drawing().bounds;
          view().center_on({bounds.x + 0.3 * bounds.width, bounds.y + share * bounds.height});
          const auto [seen, empty] = count_boxes();
          boxes += seen;
          ASSERT_EQ(empty, 0U);
        }
      }
    }
  }
  EXPECT_GT(boxes, 50U);
}

INSTANTIATE_TEST_SUITE_P(Models, EmptyBoxes,
                         testing::Values("gpt2_tiny", "lenet", "gpt2_124m_train_fwd"));

}  // namespace empty_boxes_test
}  // namespace stashscope::ui::test
