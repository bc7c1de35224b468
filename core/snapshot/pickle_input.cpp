#include "core/snapshot/pickle_input.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::uint64_t longest_text = std::uint64_t{1} << 20;

[[noreturn]] void fail_long(std::int64_t position) {
  fail_input("byte " + std::to_string(position), "has a text of more than 1 MiB",
             "give a snapshot of torch.cuda.memory._dump_snapshot");
}

}  // namespace

void PickleInput::fail_end() const {
  fail_input("byte " + std::to_string(position()), "the file is cut off",
             "copy the file again, or record the snapshot once more");
}

void PickleInput::fill() {
  constexpr std::int64_t piece = std::int64_t{1} << 18;
  filled_at_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.resize(static_cast<std::size_t>(std::min(left_, piece)));
  stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.resize(static_cast<std::size_t>(stream_.gcount()));
  at_ = 0;
  left_ -= stream_.gcount();
  if (buffer_.empty()) fail_end();
}

std::uint64_t PickleInput::number(int bytes) {
  std::uint64_t number = 0;
  for (int at = 0; at < bytes; ++at) number |= std::uint64_t{byte()} << (8 * at);
  return number;
}

void PickleInput::require(std::uint64_t bytes) const {
  const std::uint64_t left = static_cast<std::uint64_t>(left_) + (buffer_.size() - at_);
  if (bytes > left) fail_end();
}

std::string_view PickleInput::take(std::uint64_t bytes) {
  require(bytes);
  if (bytes > longest_text) fail_long(position());
  if (buffer_.size() - at_ >= bytes) {
    const std::string_view taken = std::string_view(buffer_).substr(at_, bytes);
    at_ += bytes;
    return taken;
  }
  taken_.clear();
  while (taken_.size() < bytes) taken_.push_back(static_cast<char>(byte()));
  return taken_;
}

std::string_view PickleInput::line() {
  taken_.clear();
  while (true) {
    const char next = static_cast<char>(byte());
    if (next == '\n') break;
    if (taken_.size() == longest_text) fail_long(position());
    taken_.push_back(next);
  }
  if (taken_.ends_with('\r')) taken_.pop_back();
  return taken_;
}

}  // namespace stashscope
