// The drawing of the graph if its layout process misbehaves.

#include <signal.h>

#include <QAction>
#include <QFile>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace layout_test {

using namespace Qt::StringLiterals;

class LayoutTest : public WindowTest {
 protected:
  std::filesystem::path script(const QByteArray& body) {
    const QString name = in_folder(u"layout"_s);
    QFile file(name);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + body + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return name.toStdString();
  }
  const GraphScene* scene() { return window().graph().view().scene(); }
};

TEST_F(LayoutTest, AProcessThatFailsCostsTheFineLayoutOnly) {
  for (const char* body : {"exit 3", "kill -SEGV $$", "kill -KILL $$", "echo nonsense", "true"}) {
    SCOPED_TRACE(body);
    start_window(script(body));
    open(sample(u"gpt2_tiny"_s));
    ASSERT_NE(scene(), nullptr);
    EXPECT_TRUE(scene()->drawing().is_plain);
    EXPECT_FALSE(scene()->drawing().boxes.empty());
    EXPECT_TRUE(comes_true([this] { return message().contains(u"plain layout"_s); }));
    click_check_box(plans(), 0, PlanTreeModel::plan);
    ASSERT_TRUE(settles());
  }
}

TEST_F(LayoutTest, AProgramThatIsNotThere) {
  start_window(in_folder(u"nothing"_s).toStdString());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(scene()->drawing().is_plain);
}

TEST_F(LayoutTest, AProcessThatHangsIsPrecededByAPlainDrawingAndEnded) {
  start_window(script("exec sleep 1000"));
  document().open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return scene() != nullptr; }));
  EXPECT_TRUE(scene()->drawing().is_plain);
  EXPECT_FALSE(window().graph().is_settled());
  EXPECT_EQ(window().pending(), u"the layout of the graph"_s);
  window_.reset();
}

TEST_F(LayoutTest, AProcessThatIsKilledFromOutsideLeavesTheWindowUsable) {
  const QString pid_file = in_folder(u"pid"_s);
  start_window(script("echo $$ > " + pid_file.toUtf8() + "\nexec sleep 1000"));
  document().open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return scene() != nullptr; }));
  QFile file(pid_file);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const int pid = file.readAll().trimmed().toInt();
  ASSERT_GT(pid, 1);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(scene()->drawing().is_plain);
  EXPECT_TRUE(comes_true([this] { return message().contains(u"plain layout"_s); }));
  document().selection().select_slot(3);
  EXPECT_EQ(document().selection().slot(), 3U);
}

TEST_F(LayoutTest, TheRealOneIsNotPlain) {
  open(sample(u"gpt2_tiny"_s));
  EXPECT_FALSE(scene()->drawing().is_plain);
}

TEST_F(LayoutTest, GroupsOpenAndClose) {
  open(sample(u"gpt2_tiny"_s));
  const std::size_t before = scene()->drawing().boxes.size();
  layout::GroupId closed;
  for (const layout::DrawnBox& box : scene()->drawing().boxes) {
    if (box.shows.group.valid() && !box.is_open()) closed = box.shows.group;
  }
  ASSERT_TRUE(closed.valid());
  window().graph().toggle(closed);
  ASSERT_TRUE(settles());
  EXPECT_GT(scene()->drawing().boxes.size(), before);
  auto& button = find<QWidget>(u"close_groups_button"_s);
  EXPECT_EQ(button.accessibleName(), u"Close groups down to the layers"_s)
      << "groups that contain layers stay open";
  EXPECT_EQ(find<QAction>(u"close_groups"_s).text().remove(u'&'), button.accessibleName());
  click(button);
  ASSERT_TRUE(settles());
  EXPECT_EQ(scene()->drawing().boxes.size(), before);
}

TEST_F(LayoutTest, TheGraphIsInSightAfterAllGroupsAreClosed) {
  open(sample(u"gpt2_tiny"_s));
  GraphView& view = window().graph().view();
  view.fit();
  const QRectF whole = view.seen();
  for (int i = 0; i < 20; ++i) view.zoom_by(1.25);
  ASSERT_LT(view.seen().width(), whole.width() / 2);
  window().graph().close_groups();
  ASSERT_TRUE(settles());
  EXPECT_EQ(view.seen(), whole);
}

TEST_F(LayoutTest, AClickOnABoxSelectsIt) {
  window().resize(1920, 1200);
  open(sample(u"gpt2_tiny"_s));
  GraphView& view = window().graph().view();
  view.fit();
  const std::vector<layout::DrawnBox>& boxes = scene()->drawing().boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const layout::DrawnBox& box = boxes[i];
    // A small view shows open groups as blocks, without their nodes.
    if (!box.shows.node.valid() || scene()->shown().boxes[i] == 0) continue;
    const QPointF middle = view.camera().to_screen(to_qt(box.rect).center());
    QTest::mouseClick(&view, Qt::LeftButton, {}, middle.toPoint());
    EXPECT_EQ(document().selection().node(), box.shows.node);
    break;
  }
  EXPECT_TRUE(document().selection().node().valid());
}

TEST_F(LayoutTest, AClickOnAPictureOfAnEarlierStudySelectsNothing) {
  open(sample(u"mlp_gelu"_s));
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  GraphView& view = window().graph().view();
  view.fit();
  const Dataflow& dataflow = document().study()->current->dataflow;
  const auto& boxes = scene()->drawing().boxes;
  const auto recomputed = std::find_if(boxes.begin(), boxes.end(), [&](const auto& box) {
    return box.shows.node.valid() && dataflow.is_clone(box.shows.node);
  });
  ASSERT_NE(recomputed, boxes.end());
  const NodeId node = recomputed->shows.node;
  const QPoint middle = view.camera().to_screen(to_qt(recomputed->rect).center()).toPoint();
  // The new study has arrived, its picture has not.
  QObject::connect(&document(), &Document::study_changed, &view,
                   [&] { QTest::mouseClick(&view, Qt::LeftButton, {}, middle); });
  choose_entry(u"level"_s, 0);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().selection().node(), node);
}

}  // namespace layout_test
}  // namespace stashscope::ui::test
