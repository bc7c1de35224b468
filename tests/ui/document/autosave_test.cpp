// The files that keep unsaved choices: which are left alone, and which are removed.

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <chrono>
#include <thread>

#include "core/base/files.h"
#include "tests/ui/support/samples.h"
#include "ui/document/autosave.h"

namespace stashscope::ui::test {
namespace autosave_test {

using namespace Qt::StringLiterals;

TEST(Autosave, AFileOfANewerVersionIsLeftAlone) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(u"newer.stashscope"_s);
  write_file_atomically(file.toStdString(), "{\"stashscope_session\": 99}");
  Document document;
  const Autosave autosave(document, folder.path());
  EXPECT_TRUE(autosave.abandoned().empty());
  EXPECT_TRUE(QFile::exists(file));
}

TEST(Autosave, NothingIsWrittenAfterTheFileIsRemoved) {
  const QTemporaryDir folder;
  {
    Document document;
    Autosave autosave(document, folder.path());
    document.open(sample(u"gpt2_tiny"_s));
    ASSERT_TRUE(comes_true([&] { return document.study() != nullptr; }));
    document.files().write_in_background(
        {}, [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
    autosave.save();
  }
  EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files), QStringList());
}

/// Choices that a session file of the user holds are not offered again, even after a crash.
TEST(Autosave, SavedChoicesAreNoLongerKept) {
  const QTemporaryDir folder;
  const auto kept = [&] {
    return QDir(folder.filePath(u"kept"_s)).entryList({u"*.stashscope"_s}, QDir::Files);
  };
  Document document;
  Autosave autosave(document, folder.filePath(u"kept"_s));
  document.open(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([&] { return document.study() != nullptr; }));
  Choices choices = document.choices();
  choices.dims["inputs_input_ids_dim0"] = 2;
  document.choose(choices, u"batch"_s);
  ASSERT_TRUE(comes_true([&] { return document.is_up_to_date(); }));
  autosave.save();
  ASSERT_TRUE(comes_true([&] { return !kept().isEmpty(); }));
  document.save_session_as(folder.filePath(u"work.stashscope"_s));
  ASSERT_TRUE(comes_true([&] { return QFile::exists(folder.filePath(u"work.stashscope"_s)); }));
  EXPECT_TRUE(comes_true([&] { return kept().isEmpty(); }));
}

}  // namespace autosave_test
}  // namespace stashscope::ui::test
