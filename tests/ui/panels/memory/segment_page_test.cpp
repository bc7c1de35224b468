// The map of segments and blocks at the cursor.

#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>
#include <memory>

#include "core/study/facts/tensor_facts.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/memory/segment_map.h"
#include "ui/memory/tensor_colours.h"
#include "ui/panels/memory/segment_page.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::test {
namespace segment_page_test {

using namespace Qt::StringLiterals;

class SegmentsAtTheCursor : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(2);
  }
  void switch_on() {
    click(find<QToolButton>(u"memory_reserved"_s));
    ASSERT_TRUE(settles());
    ASSERT_NE(document().reserved(), nullptr);
  }
  SegmentMap& map() { return find<SegmentMap>(u"segment_map"_s); }
  QString line() { return find<QLabel>(u"segment_line"_s).text(); }
  std::size_t slot() { return document().selection().slot(); }
  const Timeline& timeline() { return document().study()->current->timeline; }
  AllocatorMap expected() { return allocator_map_at(*document().reserved(), slot()); }
  QString name_of(BufferId buffer) {
    const Study& study = *document().study();
    return shown(describe_buffer(study, *study.current, buffer).name);
  }
  /// A tensor that a node makes, at least four pixels wide and in sight.
  const MapBlock* wide_block() {
    for (const MapBlock& each : map().map().blocks) {
      const QRectF place = map().rectangle(each);
      if (!each.buffer.valid() || place.width() < 4 || place.bottom() > map().height()) continue;
      if (!timeline().buffers[each.buffer].persistent) return &each;
    }
    return nullptr;
  }
};

TEST_F(SegmentsAtTheCursor, AreThoseOfTheEngineInEachSlot) {
  EXPECT_TRUE(map().isHidden());
  EXPECT_TRUE(find<QLabel>(u"segment_invitation"_s).isVisible());
  Q_EMIT find<QLabel>(u"segment_invitation"_s).linkActivated(u"on"_s);
  ASSERT_TRUE(settles());
  ASSERT_NE(document().reserved(), nullptr);
  EXPECT_TRUE(map().isVisible());
  const std::size_t slots_of_step = timeline().order.size();
  for (const std::size_t slot : {std::size_t{0}, slots_of_step / 2, slots_of_step - 1}) {
    document().selection().select_slot(slot);
    EXPECT_EQ(map().map().segments, expected().segments);
    EXPECT_EQ(map().map().blocks, expected().blocks);
    EXPECT_TRUE(line().contains(bytes_text(document().reserved()->memory.by_slot[slot])))
        << line().toStdString();
  }
}

TEST_F(SegmentsAtTheCursor, AreSavedAsATable) {
  switch_on();
  const std::string table = map().picture_data()();
  EXPECT_EQ(std::ranges::count(table, '\n'), std::ssize(map().map().blocks) + 1);
  EXPECT_TRUE(table.starts_with("segment,pool,"));
  const MapBlock* const block = wide_block();
  ASSERT_NE(block, nullptr);
  EXPECT_NE(table.find(std::to_string(block->offset) + "," + std::to_string(block->bytes) + "," +
                       name_of(block->buffer).toStdString()),
            std::string::npos);
}

TEST_F(SegmentsAtTheCursor, AreNotLookedUpOnAnotherPage) {
  switch_on();
  find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(0);
  const auto before = map().map().blocks;
  document().selection().select_slot(3);
  EXPECT_EQ(map().map().blocks, before);
  find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(2);
  EXPECT_EQ(map().map().blocks, expected().blocks);
}

TEST_F(SegmentsAtTheCursor, TheTextInTheirPlaceIsReachedByTheKeyboard) {
  auto& invitation = find<QLabel>(u"segment_invitation"_s);
  invitation.setFocus();
  QTest::keyClick(&invitation, Qt::Key_Tab);
  QTest::keyClick(&invitation, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().reserved(), nullptr);
}

TEST_F(SegmentsAtTheCursor, AStepWithoutNodesIsToldApart) {
  open_step_without_nodes();
  switch_on();
  EXPECT_TRUE(map().isHidden());
  auto& invitation = find<QLabel>(u"segment_invitation"_s);
  EXPECT_TRUE(invitation.isVisible());
  EXPECT_FALSE(invitation.text().contains(u"href"_s)) << invitation.text().toStdString();
}

TEST_F(SegmentsAtTheCursor, ATensorChosenOnAnotherPageIsInSight) {
  Choices choices = document().choices();
  choices.dims["inputs_input_ids_dim0"] = 64;
  document().choose(choices, u"more samples"_s);
  switch_on();
  map().setFixedHeight(40);
  document().selection().select_slot(0);
  const std::size_t last = timeline().order.size() / 2;
  const AllocatorMap there = allocator_map_at(*document().reserved(), last);
  const auto lowest =
      std::ranges::find_if(there.blocks.rbegin(), there.blocks.rend(),
                           [](const MapBlock& each) { return each.buffer.valid(); });
  ASSERT_NE(lowest, there.blocks.rend());
  ASSERT_GE(lowest->segment, 4U) << "not in sight without scrolling";
  find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(0);
  document().selection().select_slot(last);
  find<SegmentPage>(u"segment_page"_s).mark(lowest->buffer);
  find<QTabBar>(u"memory_tabs"_s).setCurrentIndex(2);
  EXPECT_EQ(map().marked(), lowest->buffer);
  const QRectF place = map().rectangle(*lowest);
  EXPECT_GE(place.top(), 0);
  EXPECT_LE(place.bottom(), map().height());
}

TEST_F(SegmentsAtTheCursor, AClickSelectsTheTensorEverywhere) {
  switch_on();
  const MapBlock* const block = wide_block();
  ASSERT_NE(block, nullptr);
  const BufferId buffer = block->buffer;
  const std::size_t before = slot();
  const QPoint middle = map().rectangle(*block).center().toPoint();
  EXPECT_EQ(map().facts_at(middle).front(), name_of(buffer));
  const AliveTensor tensor =
      describe_buffer(*document().study(), *document().study()->current, buffer);
  ASSERT_NE(tensor.shape, tensor.sized_shape);
  EXPECT_EQ(map().facts_at(middle).at(1), shown(tensor.sized_shape)) << "sizes, not their names";
  QTest::mouseClick(&map(), Qt::LeftButton, {}, middle);
  EXPECT_EQ(slot(), before) << "the cursor stays";
  EXPECT_EQ(map().marked(), buffer);
  const auto& producer = document().study()->current->dataflow.topology.producer;
  EXPECT_EQ(document().selection().node(), producer[timeline().buffers[buffer].root]);
  EXPECT_EQ(find<MemoryView>(u"memory_view"_s).marked(), buffer);
  document().selection().select_slot(before);
  document().selection().select_node(timeline().order[2]);
  EXPECT_NE(map().marked(), buffer) << "the map follows a selection elsewhere";
}

TEST_F(SegmentsAtTheCursor, KeysWalkThroughTheTensors) {
  switch_on();
  map().setFocus();
  const auto pressed = [&](Qt::Key key) {
    QTest::keyClick(&map(), key);
    const auto& blocks = map().map().blocks;
    const auto at = std::ranges::find(blocks, map().marked(), &MapBlock::buffer);
    return at == blocks.end() ? MapBlock() : *at;
  };
  const MapBlock first = pressed(Qt::Key_Right);
  EXPECT_TRUE(first.buffer.valid());
  EXPECT_EQ(first.segment, 0U);
  const MapBlock second = pressed(Qt::Key_Right);
  EXPECT_EQ(second.segment, 0U);
  EXPECT_GT(second.offset, first.offset);
  EXPECT_EQ(pressed(Qt::Key_Left), first);
  ASSERT_GT(map().map().segments.size(), 1U);
  EXPECT_EQ(pressed(Qt::Key_Down).segment, 1U);
  EXPECT_EQ(pressed(Qt::Key_Up).segment, 0U);
}

TEST_F(SegmentsAtTheCursor, KeysTellOfTheChosenTensorBesideARestingPointer) {
  switch_on();
  const MapBlock* const block = wide_block();
  ASSERT_NE(block, nullptr);
  const QPoint resting = map().rectangle(*block).center().toPoint();
  QTest::mouseMove(&map(), QPoint(1, 1));
  QTest::mouseMove(&map(), resting);
  const QString hovered = name_of(block->buffer);
  ASSERT_TRUE(comes_true([&] { return line().contains(hovered); }));
  map().setFocus();
  for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down}) {
    QTest::keyClick(&map(), key);
    ASSERT_TRUE(map().marked().valid());
    EXPECT_TRUE(line().startsWith(name_of(map().marked()) + u" · "_s)) << line().toStdString();
  }
  QTest::mouseMove(&map(), resting + QPoint(1, 0));
  EXPECT_TRUE(comes_true([&] { return line().contains(hovered); })) << "the pointer moves again";
}

AllocatorMap map_of(std::vector<MapBlock> blocks, std::int64_t bytes) {
  AllocatorMap map{{{0, bytes, MemoryPool::large}}, std::move(blocks), {0}};
  map.first_block.push_back(map.blocks.size());
  return map;
}

/// A segment with one block, again and again.
AllocatorMap rows_of(std::uint32_t segments) {
  AllocatorMap map;
  for (std::uint32_t i = 0; i < segments; ++i) {
    map.segments.push_back({0, 1000, MemoryPool::large});
    map.blocks.push_back({i, 0, 900, 900, BufferId(i)});
    map.first_block.push_back(i);
  }
  map.first_block.push_back(map.blocks.size());
  return map;
}

class BareMap : public testing::Test {
 protected:
  void show(const AllocatorMap& blocks) {
    const auto number = [](const MapBlock& block) {
      return QStringList{QString::number(block.buffer.index())};
    };
    map.resize(1000, 60);
    map.set_segments({blocks, std::vector<BlockLook>(blocks.blocks.size()), number});
    map.show();
    picture = map.grab().toImage();
  }
  QColor colour_at(const MapBlock& block) {
    const QPointF middle = map.rectangle(block).center();
    return picture.pixelColor(qFloor(middle.x()), qFloor(middle.y()) + 3);
  }
  /// The colour of blocks with the looks of `show`.
  QColor colour_of_blocks() {
    return QColor(TensorColours(theme_of(map.palette())).of_life(BlockLook().life));
  }

  SegmentMap map;
  QImage picture;
};

TEST_F(BareMap, TellsWhatIsFree) {
  show(map_of({{0, 0, 1000, 900, BufferId(4)}, {0, 3000, 1000, 1000, BufferId(5)}}, 5000));
  const QRectF bar = map.bar_of(0);
  const auto at = [&](double share) {
    return map.facts_at({bar.left() + share * bar.width(), bar.center().y()});
  };
  EXPECT_EQ(at(0.1).front(), u"4"_s);
  EXPECT_EQ(at(0.1)[1], u"takes %1"_s.arg(bytes_text(1000))) << "more than the tensor has";
  EXPECT_EQ(at(0.4).front(), u"free piece of %1"_s.arg(bytes_text(2000)));
  EXPECT_EQ(at(0.7).front(), u"5"_s);
  EXPECT_EQ(at(0.9).front(), u"free piece of %1"_s.arg(bytes_text(1000)));
  EXPECT_TRUE(map.facts_at({bar.left() - 3, bar.center().y()}).last().contains(bytes_text(3000)));
}

/// A hundred thousand blocks: each is much narrower than a pixel, yet none is lost.
TEST_F(BareMap, DrawsBlocksNarrowerThanAPixelTogether) {
  std::vector<MapBlock> blocks;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    blocks.push_back({0, 512 * i, 512, 512, BufferId(static_cast<std::size_t>(i))});
  }
  show(map_of(blocks, 512 * 200'000));
  const QColor filled = colour_of_blocks();
  for (const std::size_t i : {1000U, 50'000U, 99'000U}) {
    EXPECT_EQ(colour_at(blocks[i]), filled) << i;
  }
  const MapBlock behind{0, 512 * 150'000, 512, 512, BufferId()};
  EXPECT_NE(colour_at(behind), filled);
  EXPECT_NE(map.block_at(map.rectangle(blocks[70'000]).center()), nullptr);
  EXPECT_EQ(map.block_at(map.rectangle(behind).center()), nullptr);
}

TEST_F(BareMap, ShowsOneLoneBlockOfAFewBytes) {
  const MapBlock lone{0, std::int64_t{1} << 29, 512, 512, BufferId(0)};
  show(map_of({lone}, std::int64_t{1} << 30));
  const MapBlock* const found = map.block_at(map.rectangle(lone).center());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->buffer, lone.buffer);
  EXPECT_EQ(colour_at(lone), colour_of_blocks());
}

/// Blocks and gaps begin and end within pixels.
TEST_F(BareMap, APixelIsTheBlockThatIsPaintedThere) {
  std::vector<MapBlock> blocks;
  for (std::int64_t i = 0; i < 150; ++i) {
    blocks.push_back({0, 1000 * i, 530, 530, BufferId(static_cast<std::size_t>(i))});
  }
  show(map_of(blocks, 150'000));
  const QRectF bar = map.bar_of(0);
  const int y = qRound(bar.center().y());
  int painted = 0;
  for (int x = qRound(bar.left()) + 1; x < qRound(bar.right()) - 1; ++x) {
    const bool is_painted = picture.pixelColor(x, y) == colour_of_blocks();
    painted += is_painted ? 1 : 0;
    for (const double within : {0.0, 0.9}) {
      const QPointF point(x + within, y);
      EXPECT_EQ(map.block_at(point) != nullptr, is_painted) << x;
      EXPECT_EQ(map.facts_at(point).front().contains(u"free"_s), !is_painted) << x;
    }
  }
  EXPECT_GT(painted, 150);
}

TEST_F(BareMap, OfBlocksInOnePixelTheLastIsFound) {
  std::vector<MapBlock> blocks;
  for (std::int64_t i = 0; i < 100; ++i) {
    blocks.push_back({0, i, 1, 1, BufferId(static_cast<std::size_t>(i))});
  }
  show(map_of(blocks, 1'000'000));
  const MapBlock* const found = map.block_at(map.rectangle(blocks.front()).center());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->buffer, blocks.back().buffer);
}

TEST_F(BareMap, TellsWhatScrollingBringsUnderThePointer) {
  show(rows_of(40));
  const QPoint pointer = map.bar_of(0).center().toPoint();
  QTest::mouseMove(&map, pointer);
  const QSignalSpy told(&map, &SegmentMap::pointed_at);
  auto* const bar = map.findChild<QScrollBar*>(u"segment_scroll"_s);
  bar->setValue(bar->singleStep() * 3);
  ASSERT_EQ(told.size(), 1);
  EXPECT_EQ(told.front().front().toStringList(), map.facts_at(pointer));
  EXPECT_EQ(told.front().front().toStringList().front(), u"3"_s);
}

/// On another thread, because it takes long.
TEST_F(BareMap, DescribesItsBlocksOnlyAsTheTableIsMade) {
  const auto described = std::make_shared<int>(0);
  const AllocatorMap blocks = rows_of(3);
  map.set_segments({blocks, std::vector<BlockLook>(3), [described](const MapBlock&) {
                      ++*described;
                      return QStringList{u"name"_s};
                    }});
  const PictureData data = map.picture_data();
  EXPECT_EQ(*described, 0);
  map.set_segments({});
  EXPECT_EQ(std::ranges::count(data(), '\n'), 4);
  EXPECT_EQ(*described, 3);
}

TEST(UnallocatedText, TellsOfPiecesOnlyWhereThereAreSome) {
  EXPECT_EQ(unallocated_text({}), u"0 B of it unallocated"_s);
  EXPECT_EQ(unallocated_text({512, 512, 1}), u"512 B of it unallocated in 1 piece"_s);
  EXPECT_EQ(unallocated_text({768, 512, 2}),
            u"768 B of it unallocated in 2 pieces, the largest 512 B"_s);
}

}  // namespace segment_page_test
}  // namespace stashscope::ui::test
