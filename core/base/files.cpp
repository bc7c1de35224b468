#include "core/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/base/error.h"
#include "core/base/fnv_hash.h"

namespace stashscope {

namespace {

std::string shown(const std::filesystem::path& path) { return printable(path.string()); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& hint = {}) {
  fail_input(shown(path), std::string("cannot write: ") + std::strerror(errno), hint);
}

/// The file at the end of a chain of symbolic links; renaming over this file keeps the links. A
/// path without a file is returned unchanged.
std::filesystem::path followed(const std::filesystem::path& path) {
  std::error_code missing;
  const std::filesystem::path real = std::filesystem::canonical(path, missing);
  return real.empty() ? path : real;
}

/// Whether `path` is a device or pipe. Devices and pipes are written directly, because renaming a
/// file over `/dev/null`, for example, would replace the device.
bool takes_writes(const std::filesystem::path& path) {
  std::error_code missing;
  const std::filesystem::file_status status = std::filesystem::status(path, missing);
  return exists(status) && !is_regular_file(status) && !is_directory(status);
}

/// A file that is being written is locked and called `TARGET.part-ID`, where ID is the id of the
/// process that writes it.
constexpr std::string_view part_mark = ".part-";

bool is_at(int fd, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat found {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &found) == 0 &&
         opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

/// Opens a file for writing and locks it. Tries again, up to eight times in all, if another process
/// removed the file before it was locked. Returns -1 with errno set if the file cannot be opened or
/// all tries fail. Ignores a failure to lock.
int open_locked(const std::filesystem::path& path) {
  constexpr int most_tries = 8;
  for (int i = 0; i < most_tries; ++i) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) != 0 || is_at(fd, path)) return fd;
    ::close(fd);
  }
  errno = EBUSY;
  return -1;
}

/// Removes the part files beside `target` that killed processes left: files whose lock nobody
/// holds.
void remove_stale_parts(const std::filesystem::path& target) {
  const std::string prefix = target.filename().string() + std::string(part_mark);
  std::error_code status;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  for (const std::filesystem::path& path : paths_in(folder, status)) {
    const std::string name = path.filename().string();
    const bool is_part = name.starts_with(prefix) && name.size() > prefix.size() &&
                         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (!is_part) continue;
    const Descriptor part(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const bool is_free = part.get() >= 0 && ::flock(part.get(), LOCK_EX | LOCK_NB) == 0;
    if (is_free && is_at(part.get(), path)) ::unlink(path.c_str());
  }
}

}  // namespace

std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder,
                                            std::error_code& status) {
  std::vector<std::filesystem::path> paths;
  for (std::filesystem::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    paths.push_back(entry->path());
  }
  return paths;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    fail_input(shown(path), std::string("cannot open: ") + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    fail_input(shown(path), "is not a regular file", "give the path of a file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) {
    fail_input(shown(path), std::string("cannot map into memory: ") + std::strerror(errno));
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::string read_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FileReplacement::FileReplacement(const std::filesystem::path& target) : target_(target) {
  if (takes_writes(target)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail_writing(target_);
    return;
  }
  target_ = followed(target);
  remove_stale_parts(target_);
  part_ = target_.string() + std::string(part_mark) + std::to_string(::getpid());
  fd_ = open_locked(part_);
  if (fd_ < 0) fail_writing(target_, "choose an existing folder in which you may write");
}

FileReplacement::~FileReplacement() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void FileReplacement::write(std::string_view text) {
  constexpr std::size_t most_held_back = std::size_t{1} << 20;
  if (held_back_.size() + text.size() > most_held_back) flush();
  if (text.size() <= most_held_back) {
    held_back_ += text;
  } else if (!write_all(fd_, text)) {
    fail_writing(target_);
  }
}

void FileReplacement::flush() {
  if (!write_all(fd_, held_back_)) fail_writing(target_);
  held_back_.clear();
}

void FileReplacement::finish() {
  flush();
  if (!part_.empty()) {
    if (::fsync(fd_) != 0 || std::rename(part_.c_str(), target_.c_str()) != 0) {
      fail_writing(target_);
    }
  }
  ::close(fd_);
  fd_ = -1;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  FileReplacement file(path);
  file.write(contents);
  file.finish();
}

std::string hash_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  FnvHash hash;
  for (const std::byte each : file->bytes()) hash.add_byte(static_cast<unsigned char>(each));
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash.value()));
  return text.data();
}

}  // namespace stashscope
