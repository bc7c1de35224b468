#include "kernel_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "tests/support/folder.h"

namespace stashscope::testing_run {
namespace kernel_store_test {

namespace fs = std::filesystem;

class KernelStoreTest : public testing::Test {
 protected:
  /// The contents of a file that is made from the origin, or was made from it before.
  std::string got(const std::string& origin) {
    const test::Folder mine;
    KernelStore(store_.path()).get(origin, mine / "made", [&] {
      ++made_;
      std::ofstream(mine / "made") << "made of " << origin;
    });
    return contents_of(mine / "made");
  }

  test::Folder store_;
  int made_ = 0;
};

TEST_F(KernelStoreTest, MakesAFileOnceForEachOrigin) {
  EXPECT_EQ(got("a"), "made of a");
  EXPECT_EQ(got("a"), "made of a");
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(got("b"), "made of b");
  EXPECT_EQ(made_, 2);
}

TEST_F(KernelStoreTest, MakesAFileAgainThatWasLost) {
  got("a");
  const std::string lost = std::to_string(std::hash<std::string>()("a"));
  ASSERT_TRUE(fs::remove(store_ / lost));
  EXPECT_EQ(got("a"), "made of a");
  EXPECT_EQ(made_, 2);
  EXPECT_TRUE(fs::exists(store_ / lost));
}

TEST_F(KernelStoreTest, KeepsNothingOfWhatFails) {
  const KernelStore store(store_.path());
  const auto fails = [] { fail_run("", "does not compile"); };
  EXPECT_THROW(store.once("a", fails), Error);
  EXPECT_THROW(store.once("a", fails), Error);
  EXPECT_THROW(store.get("b", store_ / "made", fails), Error);
  int checks = 0;
  for (int i = 0; i < 2; ++i) store.once("a", [&] { ++checks; });
  EXPECT_EQ(checks, 1);
}

TEST_F(KernelStoreTest, RemovesWhatIsOld) {
  got("a");
  for (const fs::directory_entry& file : fs::directory_iterator(store_.path())) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::days(8));
  }
  got("b");
  EXPECT_EQ(store_.entries(), 2U);
  EXPECT_EQ(got("a"), "made of a");
  EXPECT_EQ(made_, 3);
}

TEST_F(KernelStoreTest, TestsAtTheSameTimeGetWholeFiles) {
  const std::string origin(std::size_t{1} << 20, 'x');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const test::Folder mine;
      const KernelStore store(store_.path());
      for (int round = 0; round < 20; ++round) {
        fs::remove(mine / "made");
        store.get(origin, mine / "made", [&] { std::ofstream(mine / "made") << origin; });
        EXPECT_EQ(contents_of(mine / "made"), origin);
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace kernel_store_test
}  // namespace stashscope::testing_run
