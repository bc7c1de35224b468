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

  /// Saves in a loop until a signal ends the process, and tells of the first time.
  [[noreturn]] void keep_saving(int told) const {
    const Session sessions[] = {session_of(40'000), session_of(90'000)};
    for (std::size_t i = 0;; ++i) {
      save_session(sessions[i % 2], file_);
      if (i == 0 && ::write(told, "s", 1) != 1) std::_Exit(1);
    }
  }

  /// Kills a process that saves.
  /// @param microseconds how long it is let alone after it has saved once
  void kill_after(useconds_t microseconds) const {
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) keep_saving(ends[1]);
    ::close(ends[1]);
    char told = 0;
    const auto length = ::read(ends[0], &told, 1);
    ::usleep(microseconds);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ::close(ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(length, 1) << "the child saved nothing";
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(KilledSaving, LeavesTheOldOrTheNewFileWhole) {
  save_session(session_of(10), file_);
  for (int i = 0; i < 60; ++i) {
    kill_after(static_cast<useconds_t>(977 * i));
    const Session read = parse_session(read_file(file_), folder_);
    const std::size_t runs = read.choices.plans.sequence.value().runs.size();
    ASSERT_EQ(read, session_of(runs));
    ASSERT_TRUE(runs == 40'000 || runs == 90'000) << runs;
  }
}

}  // namespace killed_saving_test
}  // namespace stashscope
