#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stashscope {

/// Writes the fields of a protobuf message. Source: protobuf.dev/programming-guides/encoding.
class ProtobufWriter {
 public:
  /// An integer, a boolean or an enum; negative numbers take ten bytes.
  void number(std::uint32_t field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  /// Text, bytes or a message.
  void bytes(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    message_ += value;
  }
  void message(std::uint32_t field, const ProtobufWriter& value) { bytes(field, value.message_); }

  const std::string& text() const { return message_; }

 private:
  void tag(std::uint32_t field, std::uint32_t type) { varint(field << 3U | type); }

  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      message_.push_back(static_cast<char>(value | 0x80U));
      value >>= 7U;
    }
    message_.push_back(static_cast<char>(value));
  }

  std::string message_;
};

}  // namespace stashscope
