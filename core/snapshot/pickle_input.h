#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace stashscope {

/// The bytes of a pickle, read piece by piece.
class PickleInput {
 public:
  /// @param bytes number of bytes that the stream has
  PickleInput(std::istream& stream, std::int64_t bytes) : stream_(stream), left_(bytes) {}

  std::uint8_t byte() {
    if (at_ == buffer_.size()) fill();
    return static_cast<std::uint8_t>(buffer_[at_++]);
  }
  /// An unsigned integer of `bytes` bytes, the lowest byte first.
  std::uint64_t number(int bytes);
  /// The next bytes; valid until the next read. Throws an input Error for more than 1 MiB, and if
  /// the stream has too few bytes.
  std::string_view take(std::uint64_t bytes);
  /// The bytes up to the end of the line, without the line break; valid until the next read.
  std::string_view line();

  /// The number of bytes that were read.
  std::int64_t position() const { return filled_at_ + static_cast<std::int64_t>(at_); }
  /// Throws an input Error unless the stream has at least `bytes` more bytes.
  void require(std::uint64_t bytes) const;

 private:
  void fill();
  [[noreturn]] void fail_end() const;

  std::istream& stream_;
  std::int64_t left_;           ///< not yet in the buffer
  std::int64_t filled_at_ = 0;  ///< place of the buffer in the stream
  std::string buffer_;
  std::size_t at_ = 0;
  std::string taken_;
};

}  // namespace stashscope
