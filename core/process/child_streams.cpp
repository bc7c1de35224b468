#include "core/process/child_streams.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// Valid output of a worker or of a layout program has much shorter lines.
constexpr std::size_t longest_line = std::size_t{16} << 20;

[[noreturn]] void fail_by_errno(const std::string& what) {
  fail_run("", what + ": " + std::strerror(errno));
}

}  // namespace

InputFile::InputFile() : fd_(::memfd_create("input", MFD_CLOEXEC)) {
  if (fd_ < 0) fail_by_errno("cannot store the child process's input");
}

// The delegated constructor has ended, so the destructor closes the file if writing fails.
InputFile::InputFile(std::string_view input) : InputFile() {
  while (!input.empty()) {
    const ssize_t written = ::write(fd_, input.data(), input.size());
    if (written < 0 && errno != EINTR) fail_by_errno("cannot store the child process's input");
    input.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  ::lseek(fd_, 0, SEEK_SET);
}

InputFile::~InputFile() { ::close(fd_); }

InputStream::InputStream(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {
  // Unlike a pipe, a socket without a reader can be written to without raising SIGPIPE.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) {
    fail_by_errno("cannot open a socket");
  }
}

InputStream::~InputStream() {
  close_end(0);
  close_end(1);
}

bool InputStream::write_some() {
  while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
  if (next_ == pieces_.size()) return finish();
  std::string_view& piece = pieces_[next_];
  const ssize_t count = ::send(ends_[0], piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR || finish();
  piece.remove_prefix(static_cast<std::size_t>(count));
  return true;
}

bool InputStream::finish() {
  close_end(0);
  return false;
}

void InputStream::close_end(std::size_t end) {
  if (ends_[end] >= 0) ::close(ends_[end]);
  ends_[end] = -1;
}

bool LineReader::read_from(int fd) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  if (static_cast<std::size_t>(count) > left_)
    fail_run("", "the child process printed more bytes than allowed");
  left_ -= static_cast<std::size_t>(count);
  const std::size_t searched = rest_.size();
  rest_.append(buffer.data(), static_cast<std::size_t>(count));
  cut(searched);
  if (rest_.size() > longest_line) {
    fail_run("", "the child process printed a line longer than " + format_bytes(longest_line));
  }
  return true;
}

void LineReader::finish() {
  if (!rest_.empty()) on_line_(rest_);
  rest_.clear();
}

/// @param searched number of leading characters without an end of line
void LineReader::cut(std::size_t searched) {
  std::size_t start = 0;
  for (std::size_t end = rest_.find('\n', searched); end != std::string::npos;
       end = rest_.find('\n', start)) {
    on_line_(rest_.substr(start, end - start));
    start = end + 1;
  }
  rest_.erase(0, start);
}

}  // namespace stashscope
