#include "core/base/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/base/files.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace gzip_test {

constexpr std::int64_t most = 1 << 20;

void write_compressed(const std::filesystem::path& path, const std::string& text) {
  gzFile_s* const file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

TEST(Gzip, ReadsCompressedAndPlainFiles) {
  const test::Folder folder;
  const std::string text = std::string(300'000, 'a') + "end";
  write_compressed(folder / "text.gz", text);
  write_file_atomically(folder / "text", text);
  EXPECT_EQ(read_maybe_gzip(folder / "text.gz", most), text);
  EXPECT_EQ(read_maybe_gzip(folder / "text", most), text);
  write_file_atomically(folder / "empty", "");
  EXPECT_EQ(read_maybe_gzip(folder / "empty", most), "");
}

TEST(Gzip, RefusesWhatItCannotRead) {
  const test::Folder folder;
  const auto refused = [&](const std::string& name) {
    return test::refusal(ErrorKind::input, [&] { read_maybe_gzip(folder / name, most); });
  };
  write_compressed(folder / "bomb.gz", std::string(static_cast<std::size_t>(2 * most), 'a'));
  EXPECT_NE(refused("bomb.gz").find("is larger than 1.00 MiB"), std::string::npos);
  std::string incompressible;
  for (unsigned i = 0; i < 40'000; ++i) incompressible += static_cast<char>(i * 2654435761U >> 24);
  write_compressed(folder / "whole.gz", incompressible);
  std::string cut = read_file(folder / "whole.gz");
  write_file_atomically(folder / "cut.gz", cut.substr(0, cut.size() / 2));
  EXPECT_NE(refused("cut.gz").find("is cut off"), std::string::npos) << refused("cut.gz");
  for (std::size_t i = 20; i < 200; ++i) cut[i] = static_cast<char>(~cut[i]);
  write_file_atomically(folder / "damaged.gz", cut);
  EXPECT_NE(refused("damaged.gz").find("damaged"), std::string::npos) << refused("damaged.gz");
  EXPECT_NE(refused("absent").find("absent"), std::string::npos);
  EXPECT_NE(refused("").find("is not a readable file"), std::string::npos) << "a folder";
  const std::string too_long(5000, 'x');
  EXPECT_NE(refused(too_long).find("is not a readable file"), std::string::npos);
}

}  // namespace gzip_test
}  // namespace stashscope
