// Bands or tensors, slots or time, brush, pinned variants: by mouse and by keyboard.

#include <QTabBar>
#include <QToolButton>

#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/models/difference_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace memory_modes_test {

using namespace Qt::StringLiterals;
using Fill = MemoryLook::Fill;
using Colouring = MemoryLook::Colouring;

class MemoryModes : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  MemoryView& view() { return find<MemoryView>(u"memory_view"_s); }
  void key(Qt::Key key) {
    view().setFocus();
    press(key);
  }
  void click_button(const QString& name) { click(find<QToolButton>(name)); }
  bool is_down(const QString& name) { return find<QToolButton>(name).isChecked(); }
  std::size_t slot() { return document().selection().slot(); }
  NodeId selected() { return document().selection().node(); }
  const Timeline& timeline() { return document().study()->current->timeline; }

  /// The middle of a tensor in a slot.
  QPoint middle_of(const StackedTensor& tensor, std::size_t step) {
    const TensorBand& band = view().curves().tensors->bands.bands()[tensor.band];
    return QPointF(view().x_of(step), view().y_of(tensor.bottom + band.bytes / 2)).toPoint();
  }
  /// The largest tensor in a slot that a node made.
  StackedTensor largest_made(std::size_t step) {
    const TensorBands& bands = view().curves().tensors->bands;
    std::optional<StackedTensor> largest;
    for (const StackedTensor& each : bands.stack(step)) {
      if (bands.bands()[each.band].persistent) continue;
      const auto bytes = [&](const StackedTensor& one) { return bands.bands()[one.band].bytes; };
      if (!largest || bytes(each) > bytes(*largest)) largest = each;
    }
    return largest.value();
  }
};

TEST_F(MemoryModes, ButtonsAndKeysChangeBetweenBandsAndTensors) {
  EXPECT_EQ(view().look().fill, Fill::bands);
  EXPECT_FALSE(find<QToolButton>(u"tensors_by_band"_s).isVisible());
  click_button(u"memory_tensors"_s);
  EXPECT_EQ(view().look().fill, Fill::tensors);
  EXPECT_TRUE(is_down(u"memory_tensors"_s));
  EXPECT_FALSE(is_down(u"memory_bands"_s));
  EXPECT_EQ(view().look().colouring, Colouring::lifetime);
  click_button(u"tensors_by_band"_s);
  EXPECT_EQ(view().look().colouring, Colouring::band);
  key(Qt::Key_C);
  EXPECT_EQ(view().look().colouring, Colouring::lifetime);
  EXPECT_TRUE(is_down(u"tensors_by_lifetime"_s));
  key(Qt::Key_T);
  EXPECT_EQ(view().look().fill, Fill::bands);
  EXPECT_TRUE(is_down(u"memory_bands"_s));
}

TEST_F(MemoryModes, ADownButtonStaysDown) {
  click_button(u"memory_bands"_s);
  EXPECT_TRUE(is_down(u"memory_bands"_s));
  EXPECT_EQ(view().look().fill, Fill::bands);
}

TEST_F(MemoryModes, OverTimeTheSameStepsAreInSight) {
  key(Qt::Key_Plus);
  key(Qt::Key_Plus);
  const std::size_t at = view().step_at(view().plot().center().x());
  const auto in_sight = [&](std::size_t step) {
    const double x = view().x_of(step);
    return x >= view().plot().left() && x <= view().plot().right();
  };
  ASSERT_TRUE(in_sight(at));
  click_button(u"memory_over_time"_s);
  EXPECT_EQ(view().look().unit, AxisUnit::time);
  EXPECT_TRUE(in_sight(at));
  key(Qt::Key_0);
  EXPECT_NEAR(view().axis().last,
              1e3 * step_seconds(*document().study(), *document().study()->current), 1e-6);
  key(Qt::Key_M);
  EXPECT_EQ(view().look().unit, AxisUnit::steps);
  EXPECT_EQ(view().axis().last, static_cast<double>(timeline().order.size()));
}

TEST_F(MemoryModes, OverTimeAClickFindsTheStepThatRuns) {
  click_button(u"memory_over_time"_s);
  const StepClock& clock = view().curves().current->clock;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < clock.steps(); ++i) {
    const auto length = [&](std::size_t step) {
      const auto from = static_cast<double>(step);
      return clock.time_at(from + 1) - clock.time_at(from);
    };
    if (length(i) > length(longest)) longest = i;
  }
  QTest::mouseClick(&view(), Qt::LeftButton, {},
                    QPointF(view().x_of(longest), view().plot().center().y()).toPoint());
  EXPECT_EQ(slot(), longest);
}

TEST_F(MemoryModes, AClickOnATensorSelectsItsMaker) {
  click_button(u"memory_tensors"_s);
  const std::size_t at = timeline().peak_slot;
  const StackedTensor tensor = largest_made(at);
  const BufferId buffer = view().curves().tensors->bands.bands()[tensor.band].buffer;
  const QPoint point = middle_of(tensor, at);
  ASSERT_EQ(view().tensor_at(point).value().buffer, buffer);
  QTest::mouseClick(&view(), Qt::LeftButton, {}, point);
  EXPECT_EQ(selected(), view().maker_of(buffer));
  EXPECT_TRUE(selected().valid());
  EXPECT_NEAR(static_cast<double>(slot()), static_cast<double>(at), 1);
  EXPECT_EQ(view().marked(), buffer);
}

TEST_F(MemoryModes, UpAndDownWalkThroughTheStack) {
  view().setFocus();
  key(Qt::Key_T);
  key(Qt::Key_P);
  const TensorBands& bands = view().curves().tensors->bands;
  const auto stack = bands.stack(slot());
  const auto buffer_at = [&](std::size_t place) { return bands.bands()[stack[place].band].buffer; };
  view().mark(buffer_at(0));
  const std::size_t at = slot();
  for (std::size_t place = 1; place < stack.size(); ++place) {
    key(Qt::Key_Up);
    ASSERT_EQ(view().marked(), buffer_at(place));
    ASSERT_EQ(slot(), at);
    if (view().maker_of(buffer_at(place)).valid()) {
      ASSERT_EQ(selected(), view().maker_of(buffer_at(place)));
    }
  }
  key(Qt::Key_Up);
  EXPECT_EQ(view().marked(), buffer_at(stack.size() - 1)) << "the top stays";
  key(Qt::Key_Down);
  EXPECT_EQ(view().marked(), buffer_at(stack.size() - 2));
}

TEST_F(MemoryModes, ASelectedNodeMarksWhatItMakes) {
  click_button(u"memory_tensors"_s);
  const TensorBands& bands = view().curves().tensors->bands;
  const StackedTensor tensor = largest_made(timeline().peak_slot);
  const NodeId maker = view().maker_of(bands.bands()[tensor.band].buffer);
  document().selection().select_node(maker);
  EXPECT_EQ(view().maker_of(view().marked()), maker);
  document().selection().clear();
  EXPECT_FALSE(view().marked().valid());
}

TEST_F(MemoryModes, WhereNoTensorLiesIsNone) {
  EXPECT_FALSE(view().tensor_at(view().plot().center())) << "bands are no tensors";
  click_button(u"memory_tensors"_s);
  EXPECT_FALSE(view().tensor_at(view().plot().topLeft() + QPointF(3, 3)));
  EXPECT_FALSE(view().tensor_at({2, 2}));
  const auto ground = view().tensor_at({view().plot().center().x(), view().plot().bottom() - 2});
  ASSERT_TRUE(ground);
  EXPECT_TRUE(ground->persistent);
}

TEST_F(MemoryModes, DraggingWithShiftZoomsToTheStretch) {
  const double left = view().plot().left() + 100;
  const double right = left + 150;
  const double first = view().axis().step_of(left);
  const double last = view().axis().step_of(right);
  const int y = qRound(view().plot().center().y());
  const std::size_t at = slot();
  QTest::mousePress(&view(), Qt::LeftButton, Qt::ShiftModifier, QPoint(qRound(left), y));
  QTest::mouseMove(&view(), QPoint(qRound(right), y));
  QTest::mouseRelease(&view(), Qt::LeftButton, Qt::ShiftModifier, QPoint(qRound(right), y));
  EXPECT_NEAR(view().axis().first, first, 1);
  EXPECT_NEAR(view().axis().last, last, 1);
  EXPECT_EQ(slot(), at) << "a brush is no click";
  QTest::mouseDClick(&view(), Qt::LeftButton, {}, QPoint(qRound(left), y));
  EXPECT_EQ(view().axis().first, 0);
  EXPECT_EQ(view().axis().last, static_cast<double>(timeline().order.size()));
}

TEST_F(MemoryModes, PagesPan) {
  document().selection().select_slot(timeline().order.size() / 3);
  for (int i = 0; i < 10; ++i) key(Qt::Key_Plus);
  const double first = view().axis().first;
  key(Qt::Key_PageDown);
  EXPECT_GT(view().axis().first, first);
  key(Qt::Key_PageUp);
  EXPECT_NEAR(view().axis().first, first, 1e-6);
}

class Pins : public MemoryModes {
 protected:
  void pin() { press(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier); }
  void choose_batch(std::int64_t batch) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = batch;
    document().choose(choices, u"batch"_s);
    ASSERT_TRUE(settles());
  }
  std::size_t count() { return view().curves().pinned.size(); }
};

TEST_F(Pins, StayInSightAndBringTheirChoicesBack) {
  const Choices before = document().choices();
  const std::int64_t peak_before = peak();
  click_button(u"pin_button"_s);
  ASSERT_EQ(count(), 1U);
  EXPECT_TRUE(find<QWidget>(u"pinned_row"_s).isVisible());
  EXPECT_TRUE(find<QToolButton>(u"pinned_0"_s).text().contains(u"no plans"_s));
  choose_batch(7);
  EXPECT_NE(peak(), peak_before);
  ASSERT_EQ(count(), 1U);
  EXPECT_EQ(view().curves().pinned[0].curve->peak_bytes, peak_before);
  EXPECT_GT(view().top(), std::max(peak(), peak_before));
  click_button(u"pinned_0"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices(), before);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().dims.at("inputs_input_ids_dim0"), 7);
}

TEST_F(Pins, CanBeMadeAndRemovedByKeys) {
  pin();
  ASSERT_EQ(count(), 1U);
  auto& unpin = find<QToolButton>(u"unpin_0"_s);
  unpin.setFocus();
  QTest::keyClick(&unpin, Qt::Key_Space);
  EXPECT_EQ(count(), 0U);
  EXPECT_FALSE(find<QWidget>(u"pinned_row"_s).isVisible());
}

TEST_F(Pins, KeepTheirColoursWhenOthersGo) {
  for (const std::int64_t batch : {2, 3, 4}) {
    choose_batch(batch);
    pin();
  }
  ASSERT_EQ(count(), 3U);
  QCoreApplication::processEvents();
  click_button(u"unpin_0"_s);
  ASSERT_EQ(count(), 2U);
  EXPECT_EQ(view().curves().pinned[0].slot, 1U);
  EXPECT_EQ(view().curves().pinned[1].slot, 2U);
  choose_batch(9);
  pin();
  EXPECT_EQ(view().curves().pinned[2].slot, 0U);
}

TEST_F(Pins, AFifthAsksToUnpinAndTheSameIsPinnedOnce) {
  pin();
  pin();
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(message().contains(u"pinned already"_s)) << message().toStdString();
  for (const std::int64_t batch : {2, 3, 4, 5}) {
    choose_batch(batch);
    pin();
  }
  EXPECT_EQ(count(), 4U);
  EXPECT_TRUE(message().contains(u"unpin one"_s)) << message().toStdString();
}

TEST_F(Pins, OfOtherSizesThanTheChosenOnesSayTheirSizes) {
  const auto text = [this](int index) {
    return find<QToolButton>(u"pinned_%1"_s.arg(index)).text();
  };
  choose_batch(2);
  pin();
  EXPECT_TRUE(text(0).startsWith(u"no plans  "_s)) << text(0).toStdString();
  choose_batch(3);
  EXPECT_TRUE(text(0).startsWith(u"no plans, batch 2  "_s)) << text(0).toStdString();
  pin();
  EXPECT_TRUE(text(1).startsWith(u"no plans  "_s)) << text(1).toStdString();
  choose_batch(4);
  EXPECT_TRUE(text(0).startsWith(u"no plans, batch 2  "_s)) << text(0).toStdString();
  EXPECT_TRUE(text(1).startsWith(u"no plans, batch 3  "_s)) << text(1).toStdString();
  EXPECT_TRUE(find<QToolButton>(u"pinned_1"_s).toolTip().contains(u"no plans, batch 3, peak"_s));
  click_button(u"pinned_0"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().undo_stack().undoText(), u"Back to no plans, batch 2"_s);
}

TEST_F(Pins, GoWithTheirModel) {
  pin();
  ASSERT_EQ(count(), 1U);
  open(sample(u"lenet"_s));
  EXPECT_EQ(count(), 0U);
}

TEST_F(MemoryModes, ARunIsComparedWithItsPredictionStepByStep) {
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
  auto& table = find<QTableView>(u"difference_table"_s);
  EXPECT_TRUE(table.isVisible());
  EXPECT_EQ(table.model()->rowCount(), 0);
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([&] { return document().measured() != nullptr; }));
  ASSERT_EQ(table.model()->rowCount(), std::ssize(timeline().order));
  const QString summary = find<QLabel>(u"difference_summary"_s).text();
  EXPECT_TRUE(summary.contains(u"every slot took exactly the predicted bytes"_s))
      << summary.toStdString();
  const auto difference = [&](int row) {
    return table.model()
        ->index(row, DifferenceModel::time_difference)
        .data(TableModel::sort_role)
        .toDouble();
  };
  for (int row = 1; row < table.model()->rowCount(); ++row) {
    ASSERT_GE(difference(row - 1), difference(row)) << "where all bytes are as predicted";
  }
  click_cell(table, 3, DifferenceModel::node);
  EXPECT_EQ(QString::number(slot() + 1),
            table.model()->index(3, DifferenceModel::step).data().toString());
  const auto selected_slot = slot();
  QTest::keyClick(&table, Qt::Key_Down);
  EXPECT_NE(slot(), selected_slot);
  EXPECT_NE(view().curves().measured, nullptr);
  tabs.setFocus();
  QTest::keyClick(&tabs, Qt::Key_Left);
  EXPECT_TRUE(view().isVisible());
}

/// Runs do not measure for how long nodes wait for copies; the summary says what is predicted.
TEST_F(MemoryModes, WaitingForCopiesStandsBesideTheMeasuredTimes) {
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
  Choices choices = document().choices();
  choices.times.transfer_bandwidth = 1e9;
  choices.plans.overlaps_copies = true;
  for (const PlanRow& row : document().study()->plan_table->extensions) {
    if (row.type == PlanType::offload) {
      choices.plans.config.insert(row.entries.begin(), row.entries.end());
    }
  }
  document().choose(choices, u"offload"_s);
  ASSERT_TRUE(settles());
  const std::shared_ptr<const Study> predicted = document().study();
  ASSERT_FALSE(predicted->current->copies.empty());
  const QString waiting = time_text(waiting_seconds(*predicted, *predicted->current));
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([&] { return document().measured() != nullptr; }));
  const QString summary = find<QLabel>(u"difference_summary"_s).text();
  EXPECT_TRUE(summary.contains(u"Nodes wait %1 for copies"_s.arg(waiting)))
      << summary.toStdString();
  document().choose({}, u"nothing"_s);
  ASSERT_TRUE(settles());
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([&] {
    return document().measured() != nullptr && document().study()->current->copies.empty() &&
           !find<QLabel>(u"difference_summary"_s).text().contains(u"for copies"_s);
  }));
}

}  // namespace memory_modes_test
}  // namespace stashscope::ui::test
