#include "core/base/gzip.h"

#include <zlib.h>

#include <array>
#include <memory>
#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

struct Close {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

}  // namespace

std::string read_maybe_gzip(const std::filesystem::path& path, std::int64_t most_bytes) {
  const std::string name = printable(path.string());
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) {
    fail_input(name, "is not a readable file", "check the path");
  }
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) fail_input(name, "cannot be opened", "check that you may read it");
  std::string text;
  std::array<char, 1 << 16> part{};
  while (true) {
    const int count = gzread(file.get(), part.data(), static_cast<unsigned>(part.size()));
    if (count < 0) fail_input(name, "is damaged: it cannot be uncompressed", "copy the file again");
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
    if (std::ssize(text) > most_bytes) {
      fail_input(name, "is larger than " + format_bytes(most_bytes), "give a smaller file");
    }
  }
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (error != Z_OK) fail_input(name, "is cut off", "copy the file again");
  return text;
}

}  // namespace stashscope
