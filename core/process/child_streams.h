#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What a parent and its child say to each other.
namespace stashscope {

/// A nameless file that holds a child's input: unlike a pipe, it takes any amount at once.
class InputFile {
 public:
  /// Throws a run Error when there is no room.
  explicit InputFile(std::string_view input);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

/// The parent's end of a stream that a child reads.
class InputStream {
 public:
  /// @param pieces views of what others own
  explicit InputStream(std::vector<std::string_view> pieces);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  int writing() const { return ends_[0]; }
  int reading() const { return ends_[1]; }
  void close_reading() { close_end(1); }

  /// Without waiting. Returns whether there is more to write.
  bool write_some();

 private:
  bool finish();
  void close_end(std::size_t end);

  std::array<int, 2> ends_{-1, -1};
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

/// Cuts a stream of bytes into lines.
class LineReader {
 public:
  using OnLine = std::function<void(const std::string&)>;

  /// @param most bytes before the stream counts as endless
  LineReader(std::size_t most, OnLine on_line) : left_(most), on_line_(std::move(on_line)) {}

  /// Whether the stream goes on. Throws a run Error for one without end.
  bool read_from(int fd);

 private:
  void cut(std::size_t searched);

  std::size_t left_;
  OnLine on_line_;
  std::string rest_;
};

}  // namespace stashscope
