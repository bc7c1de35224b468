#pragma once

#include <cstdint>
#include <string_view>

namespace stashscope {

/// FNV-1a (Fowler, Noll, Vo), 64 bits. Detects changes; does not resist deliberate collisions.
class FnvHash {
 public:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * prime; }
  void add_number(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<unsigned char>(number >> (8 * byte)));
  }
  /// Mixes in all 64 bits in one step; the result differs from that of `add_number`.
  void add_word(std::uint64_t word) { value_ = (value_ ^ word) * prime; }
  /// Adds the text and a zero byte that ends it.
  void add_text(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3U;

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace stashscope
