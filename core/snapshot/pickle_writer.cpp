#include "core/snapshot/pickle_writer.h"

#include <bit>
#include <limits>

namespace stashscope {

namespace {

constexpr char protocol = '\x80';
constexpr char memoize = '\x94';

}  // namespace

PickleWriter::PickleWriter() {
  code(protocol);
  code(4);
}

void PickleWriter::fixed(std::uint64_t value, int bytes) {
  for (int byte = 0; byte < bytes; ++byte) code(static_cast<char>(value >> (8 * byte)));
}

void PickleWriter::integer(std::int64_t value) {
  if (value >= std::numeric_limits<std::int32_t>::min() &&
      value <= std::numeric_limits<std::int32_t>::max()) {
    code('J');
    fixed(static_cast<std::uint64_t>(value), 4);
  } else {
    code('\x8a');
    code(8);
    fixed(static_cast<std::uint64_t>(value), 8);
  }
}

void PickleWriter::real(double value) {
  code('G');
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int byte = 7; byte >= 0; --byte) code(static_cast<char>(bits >> (8 * byte)));
}

void PickleWriter::text(std::string_view text) {
  const auto [known, is_new] = texts_.emplace(std::string(text), remembered_);
  if (!is_new) return recall(known->second);
  code('X');
  fixed(text.size(), 4);
  bytes_ += text;
  remember();
}

void PickleWriter::begin_dict() {
  code('}');
  code('(');
}

void PickleWriter::begin_list() {
  code(']');
  code('(');
}

std::uint32_t PickleWriter::remember() {
  code(memoize);
  return remembered_++;
}

void PickleWriter::recall(std::uint32_t number) {
  code('j');
  fixed(number, 4);
}

std::string PickleWriter::finish() && {
  code('.');
  return std::move(bytes_);
}

}  // namespace stashscope
