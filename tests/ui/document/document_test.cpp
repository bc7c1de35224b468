// The document alone: edits, bursts, undo, saving.

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "core/base/files.h"
#include "core/study/edits/edits.h"
#include "tests/ui/support/samples.h"
#include "ui/document/document.h"
#include "ui/document/exports.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace document_test {

using namespace Qt::StringLiterals;

class DocumentTest : public testing::Test {
 protected:
  void SetUp() override {
    document_.open(sample(u"gpt2_tiny"_s));
    ASSERT_TRUE(is_answered());
  }
  bool is_answered() {
    return comes_true([this] {
      return !document_.study_job().is_busy() && document_.study() != nullptr &&
             document_.study()->choices == document_.choices();
    });
  }
  void choose_level() {
    Choices choices = document_.choices();
    choices.plans.level = 1;
    document_.choose(choices, u"level"_s);
    ASSERT_TRUE(is_answered());
  }
  Choices with_batch(int batch) {
    Choices choices = document_.choices();
    choices.dims["inputs_input_ids_dim0"] = batch;
    return choices;
  }

  /// The model allows up to 64 positions.
  Choices with_positions(int positions) {
    Choices choices = document_.choices();
    choices.dims["inputs_input_ids_dim1"] = positions;
    return choices;
  }

  Document document_;
  QTemporaryDir folder_;
};

TEST_F(DocumentTest, TheSameChoicesAreNoEdit) {
  const auto study = document_.study();
  document_.choose(document_.choices(), u"nothing"_s);
  EXPECT_EQ(document_.undo_stack().count(), 0);
  EXPECT_FALSE(document_.study_job().is_busy());
  EXPECT_EQ(document_.study(), study);
}

TEST_F(DocumentTest, WritesOverNothingThatWasRead) {
  const QString model = folder_.filePath(u"model.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), model));
  document_.open(model);
  ASSERT_TRUE(comes_true([&] { return document_.model_path() == model; }));
  const std::string before = read_file(model.toStdString());
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  choose_level();
  save_modified_model(document_, model);
  export_environment(document_, model);
  document_.save_session_as(model);
  document_.files().write_file(model, u"%1"_s,
                               [&] { write_file_atomically(model.toStdString(), "x"); });
  ASSERT_TRUE(comes_true([&] { return failed.count() == 4; }));
  EXPECT_EQ(read_file(model.toStdString()), before);
  const QString session = folder_.filePath(u"session.stashscope"_s);
  for (int saved = 1; saved <= 2; ++saved) {
    QSignalSpy done(&document_.files(), &DocumentFiles::session_saved);
    document_.save_session_as(session);
    ASSERT_TRUE(comes_true([&] { return done.count() == 1; }));
  }
}

TEST_F(DocumentTest, OfABurstOnlyTheNewestIsShown) {
  QSignalSpy shown(&document_, &Document::study_changed);
  for (int batch = 2; batch <= 20; ++batch) document_.choose(with_batch(batch), u"batch"_s);
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(shown.count(), 1);
  EXPECT_EQ(document_.study()->sizes->dims.dimensions.at(0).value, 20);
  EXPECT_EQ(document_.undo_stack().count(), 19);
}

TEST_F(DocumentTest, EditsWithOneKeyAreUndoneTogether) {
  for (int batch = 2; batch <= 5; ++batch)
    document_.choose(with_batch(batch), u"batch"_s, u"key"_s);
  document_.choose(with_batch(6), u"batch"_s, u"other"_s);
  EXPECT_EQ(document_.undo_stack().count(), 2);
  document_.undo_stack().undo();
  EXPECT_EQ(document_.choices(), with_batch(5));
}

TEST_F(DocumentTest, EditsThatCancelOutLeaveNothing) {
  const Choices first = document_.choices();
  document_.choose(with_batch(2), u"batch"_s, u"key"_s);
  document_.choose(first, u"batch"_s, u"key"_s);
  EXPECT_EQ(document_.undo_stack().count(), 0);
  ASSERT_TRUE(is_answered());
}

TEST_F(DocumentTest, CancelTakesTheEditBack) {
  const Choices before = document_.choices();
  document_.choose(with_batch(7), u"batch"_s);
  document_.cancel();
  EXPECT_EQ(document_.choices(), before);
  ASSERT_TRUE(is_answered());
}

TEST_F(DocumentTest, CancelAfterUndoGoesBackToWhatIsShown) {
  document_.choose(with_batch(2), u"batch"_s);
  ASSERT_TRUE(is_answered());
  document_.choose(with_batch(3), u"batch"_s);
  ASSERT_TRUE(is_answered());
  document_.undo_stack().undo();
  document_.cancel();
  EXPECT_EQ(document_.choices(), with_batch(3));
  EXPECT_EQ(document_.undo_stack().index(), 2);
  EXPECT_FALSE(document_.study_job().is_busy());
}

TEST_F(DocumentTest, CancelTakesBackOnlyWhatWasMergedSince) {
  document_.choose(with_batch(2), u"batch"_s, u"key"_s);
  ASSERT_TRUE(is_answered());
  document_.choose(with_batch(3), u"batch"_s, u"key"_s);
  document_.cancel();
  EXPECT_EQ(document_.choices(), with_batch(2));
  EXPECT_EQ(document_.undo_stack().count(), 1);
}

TEST_F(DocumentTest, CancelGoesBackToWhatCannotBeRedone) {
  document_.choose(with_batch(2), u"batch"_s);
  ASSERT_TRUE(is_answered());
  document_.undo_stack().undo();
  document_.choose(with_batch(3), u"batch"_s);
  document_.cancel();
  EXPECT_EQ(document_.choices(), with_batch(2));
  EXPECT_TRUE(document_.undo_stack().canUndo());
}

TEST_F(DocumentTest, ChoicesThatDoNotFitAreTakenBack) {
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  const auto study = document_.study();
  document_.choose(with_positions(100), u"positions"_s);
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  EXPECT_EQ(document_.study(), study);
  EXPECT_EQ(document_.choices(), study->choices);
  EXPECT_EQ(document_.undo_stack().count(), 0);
  EXPECT_TRUE(document_.undo_stack().isClean());
}

TEST_F(DocumentTest, OfMergedEditsOnlyTheRefusedOneIsTakenBack) {
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  document_.choose(with_positions(50), u"positions"_s, u"key"_s);
  ASSERT_TRUE(is_answered());
  document_.choose(with_positions(100), u"positions"_s, u"key"_s);
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  EXPECT_EQ(document_.choices(), with_positions(50));
  EXPECT_EQ(document_.undo_stack().count(), 1);
}

TEST_F(DocumentTest, WhatWasChosenBeforeARefusedEditStays) {
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  const Choices batch = with_batch(2);
  document_.choose(batch, u"batch"_s);
  document_.choose(with_positions(100), u"positions"_s);
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(document_.choices(), batch);
}

TEST_F(DocumentTest, RefusedChoicesAreNeverSaved) {
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  const Choices good = document_.choices();
  document_.choose(with_positions(100), u"positions"_s);
  EXPECT_EQ(document_.session().choices, good);
  const QString file = folder_.filePath(u"a.stashscope"_s);
  document_.save_session_as(file);
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  EXPECT_FALSE(QFileInfo::exists(file));
  document_.save_session_as(file);
  ASSERT_TRUE(comes_true([&] { return document_.files().session_path() == file; }));
  Document other;
  other.open(file);
  ASSERT_TRUE(comes_true([&] { return other.study() != nullptr; }));
  EXPECT_EQ(other.choices(), good);
}

TEST_F(DocumentTest, ASaveWaitsForTheStudyOfTheNewestChoices) {
  document_.choose(with_batch(3), u"batch"_s);
  const QString file = folder_.filePath(u"a.stashscope"_s);
  document_.save_session_as(file);
  ASSERT_TRUE(comes_true([&] { return document_.files().session_path() == file; }));
  EXPECT_TRUE(document_.undo_stack().isClean());
  Document other;
  other.open(file);
  ASSERT_TRUE(comes_true([&] { return other.study() != nullptr; }));
  EXPECT_EQ(other.choices(), with_batch(3));
}

TEST_F(DocumentTest, AFileThatCannotBeOpenedLosesNoEdit) {
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  const Choices chosen = with_batch(3);
  document_.choose(chosen, u"batch"_s);
  document_.open(folder_.filePath(u"missing.onnx"_s));
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(document_.study()->choices, chosen);
}

TEST_F(DocumentTest, AnEditIsTheSameAsFromScratch) {
  document_.choose(with_batch(4), u"batch"_s);
  ASSERT_TRUE(is_answered());
  document_.choose(with_plan(*document_.study(), document_.choices(),
                             document_.study()->plan_table->plans[0], true),
                   u"plan"_s);
  ASSERT_TRUE(is_answered());
  const auto fresh =
      compute_study(document_.study()->model, document_.choices(), nullptr, Progress());
  EXPECT_EQ(fresh->current->timeline.live_bytes, document_.study()->current->timeline.live_bytes);
  EXPECT_EQ(fresh->config, document_.study()->config);
}

TEST_F(DocumentTest, SavedAndOpenedAgainIsTheSame) {
  document_.choose(with_batch(3), u"batch"_s);
  ASSERT_TRUE(is_answered());
  QSignalSpy saved(&document_.files(), &DocumentFiles::session_saved);
  const QString file = folder_.filePath(u"a.stashscope"_s);
  document_.save_session_as(file);
  ASSERT_TRUE(comes_true([&] { return saved.count() == 1; }));
  EXPECT_TRUE(document_.undo_stack().isClean());
  Document other;
  other.open(file);
  ASSERT_TRUE(comes_true([&] { return other.study() != nullptr; }));
  EXPECT_EQ(other.choices(), document_.choices());
  EXPECT_EQ(other.files().session_path(), file);
  EXPECT_EQ(other.model_path(), document_.model_path());
}

TEST_F(DocumentTest, AFailedSaveLeavesTheOldFileAndTheChoicesUnsaved) {
  const QString file = folder_.filePath(u"a.stashscope"_s);
  document_.choose(with_batch(3), u"batch"_s);
  document_.save_session_as(file);
  ASSERT_TRUE(comes_true([&] { return document_.files().session_path() == file; }));
  const std::string before = read_file(file.toStdString());
  document_.choose(with_batch(4), u"batch"_s);
  QSignalSpy failed(&document_.notices(), &Notices::failed);
  document_.save_session_as(folder_.filePath(u"no/such/folder/b.stashscope"_s));
  ASSERT_TRUE(comes_true([&] { return failed.count() == 1; }));
  EXPECT_FALSE(document_.undo_stack().isClean());
  EXPECT_EQ(document_.files().session_path(), file);
  EXPECT_EQ(read_file(file.toStdString()), before);
}

TEST_F(DocumentTest, TheModifiedModelTheReportAndTheEnvironmentAreWritten) {
  QSignalSpy noticed(&document_.notices(), &Notices::noticed);
  choose_level();
  save_report(document_, folder_.filePath(u"r.html"_s));
  save_modified_model(document_, folder_.filePath(u"m.onnx"_s));
  export_environment(document_, folder_.filePath(u"e.sh"_s));
  ASSERT_TRUE(comes_true([&] { return noticed.count() == 3; }));
  const QString report =
      QString::fromStdString(read_file(folder_.filePath(u"r.html"_s).toStdString()));
  EXPECT_TRUE(report.startsWith(u"<!doctype html>"_s, Qt::CaseInsensitive));
  EXPECT_TRUE(report.contains(bytes_text(document_.study()->current->timeline.peak_bytes)));
  EXPECT_GT(QFileInfo(folder_.filePath(u"m.onnx"_s)).size(), 0);
  EXPECT_GT(QFileInfo(folder_.filePath(u"e.sh"_s)).size(), 0);
}

TEST_F(DocumentTest, TheSelectionSurvivesAnEdit) {
  document_.selection().select_slot(10);
  const NodeId node = document_.selection().node();
  document_.choose(with_batch(2), u"batch"_s);
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(document_.selection().node(), node);
  EXPECT_EQ(document_.selection().slot(), document_.selection().slot_of(node));
}

TEST_F(DocumentTest, TheSelectionFindsItsNodeInAnotherGraph) {
  const auto name = [this] {
    const NodeId node = document_.selection().node();
    return node.valid() ? document_.study()->graph().nodes()[node].name : "";
  };
  const std::size_t nodes = document_.study()->graph().nodes().size();
  document_.selection().select_slot(document_.study()->current->timeline.order.size() - 3);
  const NodeId before = document_.selection().node();
  const std::string selected = name();
  ASSERT_FALSE(selected.empty());
  Choices fused = document_.choices();
  fused.graph.passes.insert("fuse_layer_normalization");
  document_.choose(fused, u"fused"_s);
  ASSERT_TRUE(is_answered());
  ASSERT_NE(document_.study()->graph().nodes().size(), nodes);
  EXPECT_EQ(name(), selected);
  EXPECT_NE(document_.selection().node(), before) << "the test needs another id";
  EXPECT_EQ(document_.selection().slot(),
            document_.selection().slot_of(document_.selection().node()));
  document_.undo_stack().undo();
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(document_.selection().node(), before);
}

TEST_F(DocumentTest, ANodeThatTheStudyDoesNotHaveIsNotSelected) {
  document_.selection().select_slot(10);
  const NodeId node = document_.selection().node();
  document_.selection().select_node(NodeId(document_.study()->current->dataflow.topology.nodes()));
  document_.selection().select_node(NodeId());
  EXPECT_EQ(document_.selection().node(), node);
}

TEST(DocumentAlone, GoesAwayInTheMiddleOfEverything) {
  for (int i = 0; i < 5; ++i) {
    Document document;
    document.open(sample(u"gpt2_tiny"_s));
    QTest::qWait(i * 10);
  }
}

}  // namespace document_test
}  // namespace stashscope::ui::test
