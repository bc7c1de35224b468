#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace stashscope {

/// A file mapped read-only into memory; unmapped when the last owner is destroyed.
class MappedFile {
 public:
  /// Throws an input Error when `path` is not a regular, readable file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

  const std::byte* data_;
  std::size_t size_;
};

/// The whole file as text; throws an input Error when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// The paths of what is in a folder. If reading the folder fails, sets `status` and returns what
/// was read so far.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder,
                                            std::error_code& status);

/// Writes a temporary file beside the target and renames it over the target. Thus readers see
/// either the old or the new file, even after a crash. Symbolic links are followed; devices and
/// pipes are written directly. Throws an input Error that names the path when the file cannot be
/// written.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// Like write_file_atomically, for text written piece by piece. `finish` replaces the target.
/// Without a call of `finish`, a regular target stays unchanged.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& target);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  void flush();

  std::filesystem::path target_;
  std::filesystem::path part_;  // beside the target; empty when the target itself is written to
  std::string held_back_;
  int fd_ = -1;
};

/// FNV-1a hash of the file's bytes, as 16 hexadecimal digits. Detects that a model has changed.
std::string hash_file(const std::filesystem::path& path);

}  // namespace stashscope
