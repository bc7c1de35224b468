#include "core/process/file_bundle.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/error.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "stashscope-files 1\n";
constexpr std::string_view last_line = "end\n";
constexpr std::size_t longest_name = 4096;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;
constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr const char* ends_early = "ends before all files have arrived";

[[noreturn]] void fail_stream(const std::string& what) {
  fail_input("standard input", what, "send the files again");
}

/// Whether a file of that name stays inside its target folder.
bool lies_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() && name.has_filename() &&
         std::ranges::none_of(name, [](const fs::path& part) { return part == ".."; });
}

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class Unpacker {
 public:
  Unpacker(std::istream& stream, const fs::path& folder) : stream_(stream), folder_(folder) {}

  void unpack() {
    if (take_line() + "\n" != first_line) fail_stream("is not a bundle of files from stashscope");
    for (std::string line = take_line(); line + "\n" != last_line; line = take_line()) {
      take_file(line);
    }
  }

 private:
  std::string take_line() {
    std::string line;
    char next = 0;
    while (stream_.get(next) && next != '\n') {
      line += next;
      if (line.size() > first_line.size() + longest_name)
        fail_stream("is not a bundle of files from stashscope");
    }
    if (!stream_) fail_stream(ends_early);
    return line;
  }

  /// @param line `bytes name-length`; the name and the contents follow in the stream
  void take_file(const std::string& line) {
    std::istringstream numbers(line);
    std::uint64_t bytes = 0;
    std::uint64_t length = 0;
    numbers >> bytes >> length;
    const bool is_known = !numbers.fail() && numbers.peek() == EOF && line[0] != '-';
    if (!is_known || bytes > most_bytes || length > longest_name) {
      fail_stream("has a broken entry: " + printable(line));
    }
    std::string name(length, '\0');
    stream_.read(name.data(), static_cast<std::streamsize>(length));
    if (!stream_) fail_stream(ends_early);
    if (!lies_inside(name) || name.find('\0') != std::string::npos) {
      fail_stream("names a path outside its folder: " + printable(name));
    }
    write(folder_ / name, bytes);
  }

  void write(const fs::path& path, std::uint64_t bytes) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    std::string block;
    while (bytes > 0 && file) {
      block.resize(std::min<std::uint64_t>(bytes, block_bytes));
      stream_.read(block.data(), std::ssize(block));
      if (!stream_) fail_stream(ends_early);
      file.write(block.data(), std::ssize(block));
      bytes -= block.size();
    }
    file.flush();
    if (!file) fail_input(printable(path.string()), "cannot be written", "free some space there");
  }

  std::istream& stream_;
  const fs::path& folder_;
};

}  // namespace

void FileBundle::add(const std::string& name, std::size_t bytes, Entry entry) {
  if (!lies_inside(name)) {
    fail_input("'" + printable(name) + "'", "is outside the model's folder",
               "put the model and its data into one folder");
  }
  entry.header = std::to_string(bytes) + " " + std::to_string(name.size()) + "\n" + name;
  entries_.push_back(std::move(entry));
}

void FileBundle::add_text(const std::string& name, std::string text) {
  const std::size_t bytes = text.size();
  add(name, bytes, {{}, std::move(text), nullptr});
}

void FileBundle::add_file(const std::string& name, const fs::path& path) {
  auto file = MappedFile::open(path);
  const std::size_t bytes = file->bytes().size();
  add(name, bytes, {{}, {}, std::move(file)});
}

std::vector<std::string_view> FileBundle::pieces() const {
  std::vector<std::string_view> pieces = {first_line};
  for (const Entry& each : entries_) {
    pieces.push_back(each.header);
    pieces.push_back(each.file != nullptr ? text_of(*each.file) : std::string_view(each.text));
  }
  pieces.push_back(last_line);
  return pieces;
}

void unpack_bundle(std::istream& stream, const fs::path& folder) {
  Unpacker(stream, folder).unpack();
}

}  // namespace stashscope
