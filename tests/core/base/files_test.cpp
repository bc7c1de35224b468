#include "core/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace files_test {

namespace fs = std::filesystem;

/// Limits the size of every file of this process until destroyed, to act like a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

std::string refusal(const std::function<void()>& action) {
  return test::refusal(ErrorKind::input, action);
}

TEST(MappedFile, HasTheBytesOfTheFile) {
  const test::Folder folder;
  const std::string contents("a\0b\n\xff", 5);
  write_file_atomically(folder / "file", contents);
  EXPECT_EQ(read_file(folder / "file"), contents);
  EXPECT_EQ(MappedFile::open(folder / "file")->bytes().size(), 5U);
}

TEST(MappedFile, OfAnEmptyFileIsEmpty) {
  const test::Folder folder;
  write_file_atomically(folder / "empty", "");
  EXPECT_TRUE(MappedFile::open(folder / "empty")->bytes().empty());
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  const test::Folder folder;
  const auto open = [](const fs::path& path) { return refusal([&] { MappedFile::open(path); }); };
  EXPECT_NE(open(folder / "missing").find("missing"), std::string::npos);
  EXPECT_NE(open(folder.path()).find("not a regular file"), std::string::npos);
  // The pipe has no writer, so a plain open would wait forever.
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(open(folder / "pipe").find("not a regular file"), std::string::npos);
  EXPECT_EQ(open("/dev/zero").find("accepted"), std::string::npos);
  EXPECT_EQ(open("").find("accepted"), std::string::npos);
}

TEST(MappedFile, KeepsItsBytesWhenTheFileIsReplaced) {
  const test::Folder folder;
  write_file_atomically(folder / "file", "old");
  const auto mapped = MappedFile::open(folder / "file");
  write_file_atomically(folder / "file", "new and longer");
  EXPECT_EQ(static_cast<char>(mapped->bytes()[0]), 'o');
  EXPECT_EQ(read_file(folder / "file"), "new and longer");
}

TEST(AtomicWrite, ReplacesTheFileAndLeavesNothingElse) {
  const test::Folder folder;
  write_file_atomically(folder / "file", std::string(100000, 'x'));
  write_file_atomically(folder / "file", "short");
  EXPECT_EQ(read_file(folder / "file"), "short");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicWrite, KeepsTheOldFileWhenTheDiskIsFull) {
  const test::Folder folder;
  write_file_atomically(folder / "file", "old");
  {
    const FileSizeLimit limit(4096);
    const std::string contents(100000, 'x');
    EXPECT_NE(refusal([&] { write_file_atomically(folder / "file", contents); }).find("file"),
              std::string::npos);
  }
  EXPECT_EQ(read_file(folder / "file"), "old");
  EXPECT_EQ(folder.entries(), 1U) << "the part that was written is still there";
}

TEST(AtomicWrite, LeavesAWholeFileWhenTheWriterIsKilled) {
  const test::Folder folder;
  const fs::path file = folder / "file";
  const std::string ones(300'000, '1');
  const std::string twos(400'000, '2');
  write_file_atomically(file, ones);
  for (useconds_t round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    while (child == 0) {
      write_file_atomically(file, twos);
      write_file_atomically(file, ones);
    }
    ::usleep(1000 + 700 * round);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string found = read_file(file);
    EXPECT_TRUE(found == ones || found == twos) << found.size();
  }
}

TEST(AtomicWrite, RemovesWhatKilledWritersLeft) {
  const test::Folder folder;
  const fs::path stale = folder / "file.part-4711";
  const fs::path other = folder / "file.part-of-a-book";
  for (const fs::path& path : {stale, other}) write_file_atomically(path, "half");
  FileReplacement written(folder / "file");  // has a locked part file
  write_file_atomically(folder / "file", "new");
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_EQ(read_file(folder / "file"), "new");
}

TEST(AtomicWrite, LeavesThePartOfALivingWriter) {
  const test::Folder folder;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    FileReplacement written(folder / "file");
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const fs::path part = (folder / "file").string() + ".part-" + std::to_string(writer);
  write_file_atomically(folder / "file", "one");
  EXPECT_TRUE(fs::exists(part));
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  write_file_atomically(folder / "file", "two");
  EXPECT_FALSE(fs::exists(part));
  for (const int end : ready) ::close(end);
}

TEST(AtomicWrite, NamesThePlaceThatCannotBeWritten) {
  const test::Folder folder;
  const auto write = [](const fs::path& path) {
    return refusal([&] { write_file_atomically(path, "text"); });
  };
  EXPECT_NE(write(folder / "no_folder/file").find("no_folder/file"), std::string::npos);
  fs::create_directory(folder / "folder");
  EXPECT_NE(write(folder / "folder").find("folder"), std::string::npos);
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_TRUE(fs::is_directory(folder / "folder"));
}

TEST(AtomicWrite, FollowsLinks) {
  const test::Folder folder;
  fs::create_directory(folder / "inner");
  write_file_atomically(folder / "inner/file", "old");
  fs::create_symlink("inner/file", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "inner/file"), "new");
}

TEST(AtomicWrite, WritesIntoPipesAndLeavesThemInPlace) {
  const test::Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file_atomically(folder / "pipe", "text");
  std::array<char, 8> arrived{};
  EXPECT_EQ(::read(reader, arrived.data(), arrived.size()), 4);
  EXPECT_EQ(std::string(arrived.data()), "text");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  ::close(reader);
}

TEST(FileReplacement, TakesItsPlaceOnlyWhenItIsFinished) {
  const test::Folder folder;
  write_file_atomically(folder / "file", "old");
  {
    FileReplacement unfinished(folder / "file");
    unfinished.write("half");
  }
  EXPECT_EQ(read_file(folder / "file"), "old");
  FileReplacement file(folder / "file");
  const std::string large(3'000'000, 'x');
  file.write("a");
  file.write(large);
  file.write("b");
  EXPECT_EQ(read_file(folder / "file"), "old");
  file.finish();
  EXPECT_EQ(read_file(folder / "file"), "a" + large + "b");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(HashFile, TellsContentsApartAndNothingElse) {
  const test::Folder folder;
  write_file_atomically(folder / "a", "same");
  write_file_atomically(folder / "b", "same");
  write_file_atomically(folder / "c", "other");
  write_file_atomically(folder / "empty", "");
  EXPECT_EQ(hash_file(folder / "a"), hash_file(folder / "b"));
  EXPECT_NE(hash_file(folder / "a"), hash_file(folder / "c"));
  EXPECT_EQ(hash_file(folder / "empty"), "cbf29ce484222325");
}

}  // namespace files_test
}  // namespace stashscope
