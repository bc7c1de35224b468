#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The streams between a parent and its child.
namespace stashscope {

/// A nameless file with a child's input. Unlike a pipe, it takes any amount of data at once.
class InputFile {
 public:
  /// Throws a run Error when the input cannot be stored.
  explicit InputFile(std::string_view input);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int get() const { return fd_; }

 private:
  InputFile();

  int fd_;
};

/// A stream that a parent writes and a child reads. The object holds both ends.
class InputStream {
 public:
  /// @param pieces views of texts, which must outlive this object
  explicit InputStream(std::vector<std::string_view> pieces);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  int writing() const { return ends_[0]; }
  int reading() const { return ends_[1]; }
  void close_reading() { close_end(1); }

  /// Writes what the child can take without waiting. Returns false when all is written or the child
  /// reads no more.
  bool write_some();

 private:
  bool finish();
  void close_end(std::size_t end);

  std::array<int, 2> ends_{-1, -1};
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

/// Splits a stream of bytes into lines.
class LineReader {
 public:
  using OnLine = std::function<void(const std::string&)>;

  /// @param most limit on the bytes of the whole stream
  LineReader(std::size_t most, OnLine on_line) : left_(most), on_line_(std::move(on_line)) {}

  /// Reads once. Returns false at the end of the stream or if reading fails. Throws a run Error
  /// when the stream or one of its lines is too long.
  bool read_from(int fd);
  /// Passes on a last line without an end of line. If the process was killed, this line may be
  /// incomplete; then call `finish` only if `on_line` accepts such a line.
  void finish();

 private:
  void cut(std::size_t searched);

  std::size_t left_;
  OnLine on_line_;
  std::string rest_;
};

}  // namespace stashscope
