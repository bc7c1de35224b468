#include "core/process/file_bundle.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/folder.h"
#include "tests/support/refusal.h"
#include "tests/support/stream_text.h"

namespace stashscope {
namespace file_bundle_test {

void unpack(const std::string& stream, const std::filesystem::path& folder) {
  std::istringstream input(stream);
  unpack_bundle(input, folder);
}

TEST(FileBundle, FilesArriveAsTheyWere) {
  const test::Folder from;
  const test::Folder to;
  const std::string bytes("\0\n1 2\nend\n\xff", 12);
  write_file_atomically(from / "data", bytes);
  FileBundle bundle;
  bundle.add_text("session", "");
  bundle.add_file("model/a b\n.bin", from / "data");
  unpack(test::stream_of(bundle), to.path());
  EXPECT_EQ(read_file(to / "session"), "");
  EXPECT_EQ(read_file(to / "model/a b\n.bin"), bytes);
}

TEST(FileBundle, LargeFilesArriveToo) {
  const test::Folder to;
  const std::string bytes(std::size_t{5} << 20, 'x');
  FileBundle bundle;
  bundle.add_text("large", bytes);
  unpack(test::stream_of(bundle), to.path());
  EXPECT_EQ(read_file(to / "large"), bytes);
}

TEST(FileBundle, NamesOutsideOfTheFolderAreRefusedOnBothSides) {
  for (const char* name : {"../up", "/etc/passwd", "a/../../b", "", "a/", ".."}) {
    FileBundle bundle;
    EXPECT_THROW(bundle.add_text(name, "x"), Error) << name;
    const test::Folder inner;
    const std::string text = name;
    const std::string stream =
        "stashscope-files 1\n1 " + std::to_string(text.size()) + "\n" + text + "xend\n";
    EXPECT_THROW(unpack(stream, inner.path()), Error) << name;
    EXPECT_EQ(inner.entries(), 0U) << name;
  }
}

TEST(FileBundle, BrokenStreamsAreRefused) {
  const std::string first = "stashscope-files 1\n";
  for (const std::string& stream :
       {std::string(), std::string("GET / HTTP/1.1\n"), std::string("stashscope-files 2\nend\n"),
        first, first + "5 1\naxx", first + "-1 1\nax", first + "1 1 1\nax", first + "1\nax",
        first + "99999999999999999999 1\na", first + "1 99999\na", first + "1 1\nax",
        std::string(100'000, 'z')}) {
    const test::Folder folder;
    const std::string said =
        test::refusal(ErrorKind::input, [&] { unpack(stream, folder.path()); });
    EXPECT_NE(said.find("standard input"), std::string::npos) << stream.substr(0, 60);
  }
}

}  // namespace file_bundle_test
}  // namespace stashscope
