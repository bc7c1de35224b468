#include <gtest/gtest.h>

#include "core/base/files.h"
#include "tests/app/limited_run.h"
#include "tests/support/folder.h"

/// Files that claim to be memory snapshots and want to run code, or to take all memory or time.
namespace stashscope {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t large = 240 * mebibyte;

/// A file that starts with some bytes and then has the same piece again and again.
struct HostileCase {
  std::string name;
  std::string start;
  std::string piece = {};
  std::size_t bytes = 0;  ///< of all pieces

  std::string text() const {
    std::string pieces = piece;
    while (pieces.size() < bytes) pieces += pieces;
    if (!piece.empty()) pieces.resize(bytes - bytes % piece.size());
    return start + pieces;
  }
};

std::vector<HostileCase> hostile_cases() {
  const std::string zero(1, '\0');
  const std::string keys = "\x8c\x08" + std::string("filename\x94\x8c\x04line\x94(");
  const std::string frame = "}(h" + zero + "\x8c\x04" + "AAAAh\1K\1u";
  return {
      {"code", "cposix\nsystem\n(S'touch ran'\ntR."},
      {"cycle", "]q" + zero + "h" + zero + "a."},
      {"sizes", "\x8e" + std::string(7, '\0') + "\x10."},
      {"cut off", "\x80\x04}\x94(\x8c\x08segments\x94]\x94"},
      {"recursion", "", "(", large},
      {"lists", "", "]", large},
      {"nothing", "", "N0", large},
      {"protocols", "", "\x80\x04", large},
      {"integers", "(", "K\1", large},
      {"memo", "N", "\x94", large},
      {"frames", keys, frame, large},
  };
}

void expect_refused(const std::string& file, const test::Folder& folder) {
  const LimitedRun run = run_limited({STASHSCOPE_PROGRAM, "--replay", file}, folder.path());
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.errors.size(), 1U);
  EXPECT_LT(run.seconds, most_seconds(2)) << file;
  if (!test::sanitized) {
    EXPECT_LT(run.resident_bytes, std::int64_t{500} << 20) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST(HostileSnapshots, AreRefusedByOneLineInLittleTimeAndMemory) {
  for (const HostileCase& each : hostile_cases()) {
    SCOPED_TRACE(each.name);
    const test::Folder folder;
    write_file_atomically(folder / "hostile.pickle", each.text());
    expect_refused("hostile.pickle", folder);
  }
}

TEST(HostileSnapshots, TwoGibibytesAreRefused) {
  const test::Folder folder;
  write_file_atomically(folder / "large.pickle", "\x80\x04");
  std::filesystem::resize_file(folder / "large.pickle", std::uintmax_t{2} << 30);
  expect_refused("large.pickle", folder);
}

}  // namespace
}  // namespace stashscope
