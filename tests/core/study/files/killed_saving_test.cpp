// A program that is killed while it saves a session leaves either the complete old file or the
// complete new one.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "core/base/files.h"
#include "core/study/files/session.h"

namespace stashscope {
namespace killed_saving_test {

namespace fs = std::filesystem;

/// Sessions of different lengths, each larger than one write.
Session session_of(std::size_t runs) {
  Session session;
  session.model = "/models/model.onnx";
  session.choices.plans.sequence = {std::vector<std::uint32_t>(runs, 7), runs};
  session.choices.order.strategy.reset();
  return session;
}

class KilledSaving : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stashscope-kill-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "work.stashscope";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Saves in a loop until a signal ends the process.
  [[noreturn]] void keep_saving() const {
    const Session sessions[] = {session_of(40'000), session_of(90'000)};
    for (std::size_t i = 0;; ++i) save_session(sessions[i % 2], file_);
  }

  void kill_after(useconds_t microseconds) const {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) keep_saving();
    ::usleep(microseconds);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(KilledSaving, LeavesTheOldOrTheNewFileWhole) {
  save_session(session_of(10), file_);
  int replaced = 0;
  for (int i = 0; i < 60; ++i) {
    kill_after(static_cast<useconds_t>(3'000 + 977 * i));
    const Session read = parse_session(read_file(file_), folder_);
    const std::size_t runs = read.choices.plans.sequence.value().runs.size();
    ASSERT_EQ(read, session_of(runs));
    ASSERT_TRUE(runs == 10 || runs == 40'000 || runs == 90'000) << runs;
    replaced += runs == 10 ? 0 : 1;
  }
  EXPECT_GT(replaced, 0) << "no child ever got to save";
}

}  // namespace killed_saving_test
}  // namespace stashscope
