// Files are either the old or the new ones, whatever happens to who writes them.

#include "core/base/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/error.h"

namespace stashscope {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stashscope-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path folder;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string contents("a\0b\n", 4);
  write_file_atomically(folder / "a", contents);
  EXPECT_EQ(read_file(folder / "a"), contents);
  write_file_atomically(folder / "a", "");
  EXPECT_EQ(read_file(folder / "a"), "");
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  write_file_atomically(folder / "a", "old");
  EXPECT_THROW(write_file_atomically(folder / "a" / "b", "new"), Error);
  EXPECT_THROW(write_file_atomically(folder / "none" / "a", "new"), Error);
  EXPECT_EQ(read_file(folder / "a"), "old");
}

TEST_F(Files, AWriterThatIsKilledLeavesAWholeFile) {
  const fs::path file = folder / "a";
  const std::string ones(300'000, '1');
  const std::string twos(400'000, '2');
  write_file_atomically(file, ones);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (true) {
        write_file_atomically(file, twos);
        write_file_atomically(file, ones);
      }
    }
    ::usleep(static_cast<useconds_t>(1000 + 700 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string found = read_file(file);
    EXPECT_TRUE(found == ones || found == twos) << found.size();
  }
}

}  // namespace
}  // namespace stashscope
