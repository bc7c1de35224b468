#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stashscope {

/// Writes data as a pickle of protocol 4. Equal texts are written once. The order of the calls is
/// the order of the values: `begin_dict`, then keys and values in turn, then `end_dict`.
class PickleWriter {
 public:
  PickleWriter();

  void none() { code('N'); }
  void boolean(bool value) { code(value ? '\x88' : '\x89'); }
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view text);
  void begin_dict();
  void end_dict() { code('u'); }
  void begin_list();
  void end_list() { code('e'); }
  /// Ends a piece of a list and begins the next one; for a call between two items. PyTorch's viewer
  /// cannot read long lists in one piece, and Python ends a piece after 1,000 items.
  void next_piece() {
    end_list();
    code('(');
  }
  void begin_tuple() { code('('); }
  void end_tuple() { code('t'); }

  /// Gives the list or dict that was just ended a number, by which `recall` writes it once more.
  std::uint32_t remember();
  void recall(std::uint32_t number);

  /// Ends the pickle.
  std::string finish() &&;

 private:
  void code(char opcode) { bytes_.push_back(opcode); }
  void fixed(std::uint64_t value, int bytes);

  std::string bytes_;
  std::uint32_t remembered_ = 0;
  std::unordered_map<std::string, std::uint32_t> texts_;
};

}  // namespace stashscope
