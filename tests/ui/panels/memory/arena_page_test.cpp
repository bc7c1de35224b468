// The map of the static arena.

#include <QSignalSpy>
#include <QTabBar>
#include <cmath>

#include "core/study/facts/step_tensors.h"
#include "core/study/facts/tensor_facts.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/arena_map.h"
#include "ui/memory/memory_view.h"
#include "ui/panels/memory/arena_page.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace arena_page_test {

using namespace Qt::StringLiterals;

constexpr int arena_tab = 3;

class ArenaOfTheStep : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  void show_page() {
    find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(arena_tab);
    ASSERT_TRUE(comes_true([this] { return page().is_settled(); }));
    QApplication::processEvents();  // the map gets its size
  }
  void choose_batch(std::int64_t batch) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = batch;
    document().choose(choices, u"more samples"_s);
    ASSERT_TRUE(settles());
  }
  ArenaPage& page() { return find<ArenaPage>(u"arena_page"_s); }
  ArenaMap& map() { return find<ArenaMap>(u"arena_map"_s); }
  const StepArena& arena() { return *map().arena().arena; }
  QString line() { return find<QLabel>(u"arena_line"_s).text(); }
  std::size_t slot() { return document().selection().slot(); }
  const Variant& variant() { return *document().study()->current; }
  StepArena expected() { return step_arena(variant(), usual_arena_limit, Progress()); }
  QString name_of(BufferId buffer) {
    return shown(describe_buffer(*document().study(), variant(), buffer).name);
  }
  /// The tensor of the largest rectangle on the screen that a node makes.
  const ArenaPiece* largest() {
    const ArenaPiece* found = nullptr;
    const auto area = [this](const ArenaPiece& each) {
      return map().rectangle(each).width() * map().rectangle(each).height();
    };
    for (const ArenaPiece& each : arena().pieces) {
      if (!each.buffer.valid()) continue;
      if (found == nullptr || area(each) > area(*found)) found = &each;
    }
    return found;
  }
  QPoint middle_of(const ArenaPiece& piece) { return map().rectangle(piece).center().toPoint(); }
};

TEST_F(ArenaOfTheStep, IsThatOfTheEngine) {
  EXPECT_EQ(map().arena().arena, nullptr) << "nobody has asked for it";
  show_page();
  EXPECT_TRUE(map().isVisible());
  EXPECT_EQ(arena(), expected());
  EXPECT_TRUE(line().contains(bytes_text(arena().capacity_bytes))) << line().toStdString();
  EXPECT_TRUE(line().contains(bytes_text(arena().load_bound_bytes))) << line().toStdString();
  choose_batch(16);
  EXPECT_EQ(arena(), expected()) << "the page follows the study";
  find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(0);
  choose_batch(32);
  EXPECT_EQ(map().arena().arena, nullptr) << "no arena of another step stays";
  show_page();
  EXPECT_EQ(arena(), expected());
}

TEST_F(ArenaOfTheStep, AClickSelectsTheTensorEverywhere) {
  show_page();
  const ArenaPiece* const piece = largest();
  ASSERT_NE(piece, nullptr);
  const BufferId buffer = piece->buffer;
  const QPoint middle = middle_of(*piece);
  ASSERT_EQ(map().piece_at(middle), piece);
  const QStringList facts = map().facts_at(middle);
  EXPECT_EQ(facts.front(), name_of(buffer));
  EXPECT_TRUE(facts.contains(bytes_text(piece->bytes)));
  EXPECT_TRUE(facts.contains(u"at offset "_s + bytes_text(piece->offset)));
  QTest::mouseMove(&map(), middle);
  EXPECT_TRUE(comes_true([&] { return line().startsWith(name_of(buffer)); }));
  QTest::mouseClick(&map(), Qt::LeftButton, {}, middle);
  EXPECT_LE(piece->first_slot, slot());
  EXPECT_GE(piece->last_slot, slot());
  EXPECT_EQ(map().marked(), buffer);
  EXPECT_EQ(find<MemoryView>(u"memory_view"_s).marked(), buffer);
  const auto& producer = variant().dataflow.topology.producer;
  EXPECT_EQ(document().selection().node(), producer[variant().timeline.buffers[buffer].root]);
  document().selection().select_node(variant().timeline.order[2]);
  EXPECT_NE(map().marked(), buffer) << "the map follows a selection elsewhere";
}

TEST_F(ArenaOfTheStep, AClickOnFreeMemoryMovesTheCursor) {
  show_page();
  const QRectF plot = map().plot();
  const QPointF corner(std::ceil(plot.left()), std::ceil(plot.top()));
  ASSERT_EQ(map().piece_at(corner), nullptr) << "the peak is not in the first slot";
  EXPECT_TRUE(map().facts_at(corner).front().startsWith(u"free: "_s));
  QTest::mouseClick(&map(), Qt::LeftButton, {}, corner.toPoint());
  EXPECT_EQ(slot(), 0U);
}

TEST_F(ArenaOfTheStep, KeysMoveTheCursorAndWalkThroughTheTensors) {
  show_page();
  map().setFocus();
  QTest::keyClick(&map(), Qt::Key_P);
  EXPECT_EQ(slot(), variant().timeline.peak_slot);
  QTest::keyClick(&map(), Qt::Key_Left);
  EXPECT_EQ(slot(), variant().timeline.peak_slot - 1);
  const auto pressed = [&](Qt::Key key) {
    QTest::keyClick(&map(), key);
    return *std::ranges::find(arena().pieces, map().marked(), &ArenaPiece::buffer);
  };
  document().selection().select_slot(variant().timeline.peak_slot);
  map().mark({});
  const ArenaPiece first = pressed(Qt::Key_Up);
  for (const ArenaPiece& each : arena().pieces) {
    EXPECT_TRUE(!is_there(each, slot()) || each.bytes <= first.bytes)
        << "the largest at the cursor comes first";
  }
  const ArenaPiece second = pressed(Qt::Key_Down);
  EXPECT_LT(second.offset, first.offset);
  EXPECT_EQ(pressed(Qt::Key_Up), first);
}

TEST_F(ArenaOfTheStep, KeysTellOfTheChosenTensor) {
  show_page();
  map().setFocus();
  document().selection().select_slot(variant().timeline.peak_slot);
  const ArenaPiece* const piece = largest();
  ASSERT_NE(piece, nullptr);
  for (const bool rests : {false, true}) {
    if (rests) {
      QTest::mouseMove(&map(), QPoint(1, 1));
      QTest::mouseMove(&map(), middle_of(*piece));
      ASSERT_TRUE(comes_true([&] { return line().contains(name_of(piece->buffer)); }));
    }
    for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Down, Qt::Key_Left}) {
      QTest::keyClick(&map(), key);
      const auto marked = std::ranges::find(arena().pieces, map().marked(), &ArenaPiece::buffer);
      ASSERT_NE(marked, arena().pieces.end());
      EXPECT_TRUE(line().startsWith(name_of(marked->buffer))) << line().toStdString();
      EXPECT_TRUE(line().contains(u"at offset "_s + bytes_text(marked->offset)));
    }
  }
}

TEST_F(ArenaOfTheStep, ZoomsAndPansAsTheCurveDoes) {
  show_page();
  const double whole_length = map().axis().last - map().axis().first;
  map().setFocus();
  QTest::keyClick(&map(), Qt::Key_Plus);
  EXPECT_LT(map().axis().last - map().axis().first, whole_length);
  const double first = map().axis().first;
  const QPoint middle = map().plot().center().toPoint();
  const auto drag = [&](Qt::KeyboardModifiers modifiers, QPoint from, QPoint to) {
    QTest::mousePress(&map(), Qt::LeftButton, modifiers, from);
    QMouseEvent move(QEvent::MouseMove, to, map().mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                     modifiers);
    QApplication::sendEvent(&map(), &move);
    QTest::mouseRelease(&map(), Qt::LeftButton, modifiers, to);
  };
  const std::size_t before = slot();
  drag({}, middle, middle - QPoint(60, 0));
  EXPECT_GT(map().axis().first, first);
  EXPECT_EQ(slot(), before) << "a drag is no click";
  QTest::keyClick(&map(), Qt::Key_0);
  EXPECT_EQ(map().axis().last - map().axis().first, whole_length);
  const double from = map().axis().step_of(middle.x());
  drag(Qt::ShiftModifier, middle, middle + QPoint(200, 0));
  EXPECT_NEAR(map().axis().first, from, 0.01);
  EXPECT_LT(map().axis().last - map().axis().first, whole_length);
}

TEST_F(ArenaOfTheStep, TheSelectedTensorStaysOutlinedWhenAnArenaArrives) {
  const auto largest_made_by = [&](NodeId node) {
    return buffers_made_by(*document().study(), node).front();
  };
  const NodeId node = variant().timeline.order[2];
  document().selection().select_node(node);
  show_page();
  EXPECT_EQ(map().marked(), largest_made_by(node)) << "it was selected on another page";
  choose_batch(16);
  ASSERT_EQ(document().selection().node(), node);
  EXPECT_EQ(map().marked(), largest_made_by(node));
}

TEST_F(ArenaOfTheStep, StaysDimmedWhileTheNextOneIsComputed) {
  show_page();
  map().setFocus();
  const QPoint middle = middle_of(*largest());
  const QSignalSpy chosen(&map(), &ArenaMap::tensor_chosen);
  int seen_waiting = 0;
  const auto connection = QObject::connect(&document(), &Document::study_changed, &map(), [&] {
    if (!map().is_waiting()) return;
    ++seen_waiting;
    EXPECT_TRUE(map().isVisible());
    EXPECT_FALSE(map().arena().empty());
    EXPECT_TRUE(map().facts_at(middle).isEmpty()) << "its tensors are those of another step";
    QTest::mouseClick(&map(), Qt::LeftButton, {}, middle);
    EXPECT_FALSE(map().grab().isNull());
  });
  choose_batch(16);
  QObject::disconnect(connection);
  EXPECT_GT(seen_waiting, 0);
  EXPECT_TRUE(chosen.isEmpty());
  EXPECT_FALSE(map().is_waiting());
  EXPECT_EQ(map().window()->focusWidget(), &map()) << "the keyboard focus stays";
  EXPECT_EQ(arena(), expected());
}

TEST_F(ArenaOfTheStep, AStepThatIsTooLargeHasAReason) {
  show_page();
  choose_batch(8'000'000'000'000);
  EXPECT_TRUE(map().isHidden());
  const QLabel& state = find<QLabel>(u"arena_state"_s);
  EXPECT_TRUE(state.isVisible());
  EXPECT_TRUE(state.text().contains(u"choose smaller dimensions"_s)) << state.text().toStdString();
  choose_batch(16);
  EXPECT_TRUE(state.isHidden());
  EXPECT_EQ(arena(), expected());
}

TEST_F(ArenaOfTheStep, IsSavedAsATable) {
  EXPECT_FALSE(map().has_picture());
  show_page();
  const std::string table = map().picture_data()();
  EXPECT_EQ(std::ranges::count(table, '\n'), std::ssize(arena().pieces) + 1);
  EXPECT_TRUE(table.starts_with("tensor,bytes,offset,"));
  EXPECT_FALSE(map().picture(u"gpt2"_s).size.isEmpty());
}

TEST_F(ArenaOfTheStep, AStepWithoutNodesIsToldApart) {
  show_page();
  open_step_without_nodes();
  EXPECT_TRUE(map().isHidden());
  EXPECT_TRUE(find<QLabel>(u"arena_state"_s).isVisible());
}

TEST_F(ArenaOfTheStep, ALaterChoiceEndsTheSearchForAnEarlierOne) {
  show_page();
  for (const std::int64_t batch : {3, 5, 7}) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = batch;
    document().choose(choices, u"samples"_s);
    ASSERT_TRUE(comes_true([&] { return document().study()->choices == document().choices(); }));
  }
  ASSERT_TRUE(settles());
  EXPECT_EQ(arena(), expected());
}

}  // namespace arena_page_test
}  // namespace stashscope::ui::test
