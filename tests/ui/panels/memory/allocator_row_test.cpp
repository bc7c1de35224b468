// The choice of the allocator, and what the window tells of its reserved memory.

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

#include "core/study/reserved/reserved_memory.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/choice_words.h"
#include "ui/memory/memory_view.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace allocator_row_test {

using namespace Qt::StringLiterals;

class AllocatorChoice : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  QToolButton& toggle() { return find<QToolButton>(u"memory_reserved"_s); }
  QLineEdit& field() { return find<QLineEdit>(u"allocator_settings"_s); }
  QLabel& fault() { return find<QLabel>(u"allocator_fault"_s); }
  MemoryView& view() { return find<MemoryView>(u"memory_view"_s); }
  void switch_on() {
    click(toggle());
    ASSERT_TRUE(settles());
  }
  void write(const QString& text) {
    field().setFocus();
    field().selectAll();
    text.isEmpty() ? QTest::keyClick(&field(), Qt::Key_Delete) : QTest::keyClicks(&field(), text);
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_TRUE(settles());
  }
  ReservedMemory expected(const char* settings) {
    const Study& study = *document().study();
    return reserved_memory(study, *study.current, parse_allocator_settings(settings));
  }
  bool tells(std::int64_t bytes) { return status().contains(bytes_text(bytes)); }
};

TEST_F(AllocatorChoice, IsOffUntilItIsSwitchedOn) {
  EXPECT_TRUE(find<QWidget>(u"allocator_row"_s).isHidden());
  EXPECT_EQ(document().reserved(), nullptr) << "nothing is computed";
  EXPECT_FALSE(status().contains(u"reserved"_s)) << status().toStdString();
  switch_on();
  EXPECT_TRUE(toggle().isChecked());
  EXPECT_TRUE(find<QWidget>(u"allocator_row"_s).isVisible());
  ASSERT_NE(document().reserved(), nullptr);
  const ReservedMemory memory = expected("");
  EXPECT_EQ(document().reserved()->memory.by_slot, memory.by_slot);
  EXPECT_TRUE(tells(memory.reserved_bytes)) << status().toStdString();
  EXPECT_TRUE(tells(memory.fragmentation_bytes)) << status().toStdString();
  EXPECT_TRUE(find<QLabel>(u"answer_text"_s).text().contains(bytes_text(memory.reserved_bytes)));
  const DeviceMemory device = document().reserved()->device;
  EXPECT_GE(device.low_bytes, memory.reserved_bytes + (std::int64_t{300} << 20));
  EXPECT_GT(device.high_bytes, device.low_bytes);
  EXPECT_TRUE(find<QLabel>(u"answer_text"_s).toolTip().contains(device_memory_text(device)));
  click(toggle());
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().reserved(), nullptr);
  EXPECT_FALSE(status().contains(u"reserved"_s)) << status().toStdString();
}

TEST_F(AllocatorChoice, TakesSettingsThatUndoTakesBack) {
  switch_on();
  write(u"expandable_segments:True"_s);
  EXPECT_EQ(document().choices().allocator, "expandable_segments:True");
  EXPECT_EQ(document().reserved()->memory.by_slot, expected("expandable_segments:True").by_slot);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().allocator, "");
  EXPECT_EQ(field().text(), QString());
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(document().choices().allocator);
  EXPECT_TRUE(find<QWidget>(u"allocator_row"_s).isHidden());
}

TEST_F(AllocatorChoice, AWrongTextStaysWithItsReason) {
  switch_on();
  write(u"max_split_size_mb:128"_s);
  const auto before = document().reserved();
  write(u"max_split_size_mb:many"_s);
  EXPECT_EQ(field().text(), u"max_split_size_mb:many"_s);
  EXPECT_TRUE(fault().isVisible());
  EXPECT_TRUE(fault().text().contains(u"max_split_size_mb"_s)) << fault().text().toStdString();
  EXPECT_EQ(document().choices().allocator, "max_split_size_mb:128") << "the choice stays";
  EXPECT_EQ(document().reserved(), before);
  write(u"max_split_size_mb:64"_s);
  EXPECT_TRUE(fault().isHidden());
  EXPECT_EQ(document().choices().allocator, "max_split_size_mb:64");
}

TEST_F(AllocatorChoice, AWrongTextDoesNotLoseTheSettings) {
  switch_on();
  write(u"max_split_size_mb:128"_s);
  write(u"max_split_size_mb:many"_s);
  click(toggle());
  ASSERT_TRUE(settles());
  switch_on();
  EXPECT_EQ(document().choices().allocator, "max_split_size_mb:128");
  EXPECT_EQ(field().text(), u"max_split_size_mb:128"_s);
  EXPECT_TRUE(fault().isHidden());
}

TEST_F(AllocatorChoice, AnotherFileBeginsWithItsOwnSettings) {
  switch_on();
  write(u"max_split_size_mb:128"_s);
  const QString session = in_folder(u"same.stashscope"_s);
  const QSignalSpy saved(&document().files(), &DocumentFiles::session_saved);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return !saved.isEmpty(); }));
  write(u"max_split_size_mb:many"_s);
  ASSERT_TRUE(fault().isVisible());
  open(session);
  EXPECT_EQ(field().text(), u"max_split_size_mb:128"_s);
  EXPECT_TRUE(fault().isHidden());
  write(u"max_split_size_mb:many"_s);
  open(sample(u"lenet"_s));
  EXPECT_FALSE(document().choices().allocator);
  switch_on();
  EXPECT_EQ(field().text(), QString()) << "the other file's settings are not taken over";
  EXPECT_EQ(document().choices().allocator, "");
  EXPECT_TRUE(fault().isHidden());
}

TEST_F(AllocatorChoice, TheRowIsNotBesideTheMeasuredPage) {
  auto& row = find<QWidget>(u"allocator_row"_s);
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  tabs.setCurrentIndex(1);
  tabs.setCurrentIndex(2);
  EXPECT_FALSE(row.isVisible()) << "no allocator is chosen";
  switch_on();
  EXPECT_TRUE(row.isVisible());
  tabs.setCurrentIndex(1);
  EXPECT_FALSE(row.isVisible());
  tabs.setCurrentIndex(0);
  EXPECT_TRUE(row.isVisible());
}

TEST_F(AllocatorChoice, LeavesUndoToTheWindowExceptInAHalfTypedText) {
  switch_on();
  write(u"max_split_size_mb:128"_s);
  const auto undo_is_taken_by_field = [&] {
    QKeyEvent asks(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    asks.ignore();
    QApplication::sendEvent(&field(), &asks);
    return asks.isAccepted();
  };
  EXPECT_FALSE(undo_is_taken_by_field());
  QTest::keyClicks(&field(), u"x"_s);
  EXPECT_TRUE(undo_is_taken_by_field());
}

TEST_F(AllocatorChoice, IsTakenBackIfItCannotBeRead) {
  switch_on();
  const auto before = document().reserved();
  Choices choices = document().choices();
  choices.allocator = "fastest:True";
  document().choose(choices, u"unknown settings"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().allocator, "");
  EXPECT_EQ(document().reserved(), before);
  EXPECT_TRUE(message().contains(u"fastest"_s)) << message().toStdString();
}

TEST_F(AllocatorChoice, IsKeptInTheSession) {
  switch_on();
  write(u"expandable_segments:True"_s);
  const QString session = in_folder(u"kept.stashscope"_s);
  const QSignalSpy saved(&document().files(), &DocumentFiles::session_saved);
  document().save_session_as(session);
  ASSERT_TRUE(comes_true([&] { return !saved.isEmpty(); }));
  start_window();
  open(session);
  EXPECT_TRUE(toggle().isChecked());
  EXPECT_EQ(field().text(), u"expandable_segments:True"_s);
  ASSERT_NE(document().reserved(), nullptr);
}

TEST_F(AllocatorChoice, IsComputedAgainOnlyForAnotherStepOrOtherSettings) {
  switch_on();
  const auto before = document().reserved();
  Choices choices = document().choices();
  choices.times.reserve_percent = 10;
  document().choose(choices, u"reserve"_s);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().reserved(), before) << "the step is the same";
  choices.update.optimizer = "adam";
  document().choose(choices, u"adam"_s);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().reserved(), before);
  EXPECT_EQ(document().reserved()->memory.by_slot, expected("").by_slot);
}

TEST_F(AllocatorChoice, AStepWhoseTensorsFitMayReserveTooMuch) {
  switch_on();
  const std::int64_t reserved = document().reserved()->memory.reserved_bytes;
  ASSERT_GT(reserved - 512, peak());
  Choices choices = document().choices();
  choices.times.device_memory = reserved - 512;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
  auto& answer = find<QLabel>(u"answer_text"_s);
  EXPECT_TRUE(answer.text().contains(u"exceeds"_s)) << answer.text().toStdString();
  EXPECT_TRUE(answer.text().contains(bytes_text(512))) << answer.text().toStdString();
  choices.times.device_memory = reserved;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(answer.text().contains(u"exceeds"_s)) << answer.text().toStdString();
  EXPECT_TRUE(answer.text().contains(u"not with the CUDA context"_s))
      << answer.text().toStdString();
  const std::int64_t device = document().reserved()->device.low_bytes;
  EXPECT_TRUE(answer.text().contains(bytes_text(device))) << answer.text().toStdString();
  choices.times.device_memory = device - 1;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(answer.text().contains(u"not with the CUDA context"_s))
      << answer.text().toStdString();
  choices.times.device_memory = device;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(answer.text().contains(u"perhaps not with the CUDA context"_s))
      << answer.text().toStdString();
  const std::int64_t most = document().reserved()->device.high_bytes;
  EXPECT_TRUE(answer.text().contains(bytes_text(most))) << answer.text().toStdString();
  choices.times.device_memory = most + 1024;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(answer.text().contains(u"CUDA context"_s)) << answer.text().toStdString();
  EXPECT_TRUE(answer.text().contains(u"reserved memory fits "_s)) << answer.text().toStdString();
  EXPECT_TRUE(answer.text().contains(bytes_text(1024) + u" left"_s)) << "beside the context";
  EXPECT_FALSE(answer.toolTip().contains(u"rounding"_s)) << "it is counted";
}

TEST_F(AllocatorChoice, TheLargestBatchIsOneWhoseReservedMemoryFitsBesideTheContext) {
  constexpr std::int64_t memory = std::int64_t{2} << 30;
  auto& button = find<QPushButton>(u"answer_samples"_s);
  Choices choices = document().choices();
  choices.times.device_memory = memory;
  document().choose(choices, u"memory"_s);
  switch_on();
  ASSERT_TRUE(comes_true([&] { return button.isVisible(); }));
  click(button);
  ASSERT_TRUE(settles());
  EXPECT_LE(document().reserved()->device.high_bytes, memory);
  EXPECT_GT(document().reserved()->memory.reserved_bytes, memory / 4);
}

TEST_F(AllocatorChoice, IsACurveAboveTheTensors) {
  EXPECT_EQ(view().curves().predicted_reserved, nullptr);
  switch_on();
  const MemoryCurves& curves = view().curves();
  ASSERT_NE(curves.predicted_reserved, nullptr);
  const ReservedMemory memory = expected("");
  EXPECT_EQ(curves.predicted_reserved->peak_bytes, memory.reserved_bytes);
  EXPECT_GT(view().top(), memory.reserved_bytes);
  EXPECT_FALSE(view().key_texts().filter(bytes_text(memory.reserved_bytes)).isEmpty())
      << view().key_texts().join(u", "_s).toStdString();
}

TEST_F(AllocatorChoice, TheCurveIsMadeOnlyForAnotherStepOrOtherSettings) {
  switch_on();
  const SharedCurve before = view().curves().predicted_reserved;
  press(Qt::Key_P, Qt::ControlModifier | Qt::AltModifier);
  ASSERT_EQ(view().curves().pinned.size(), 1U);
  EXPECT_EQ(view().curves().predicted_reserved, before);
  write(u"expandable_segments:True"_s);
  EXPECT_NE(view().curves().predicted_reserved, before);
  click(toggle());
  ASSERT_TRUE(settles());
  EXPECT_EQ(view().curves().predicted_reserved, nullptr);
}

}  // namespace allocator_row_test
}  // namespace stashscope::ui::test
