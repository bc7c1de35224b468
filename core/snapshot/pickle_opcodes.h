#pragma once

#include <cstdint>
#include <string_view>

namespace stashscope {

/// The opcodes of pickles that have only data. Source: Lib/pickletools.py of Python 3.13.
enum class PickleOpcode : std::uint8_t {
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  dup = '2',
  real_line = 'F',
  integer_line = 'I',
  integer4 = 'J',
  integer1 = 'K',
  long_line = 'L',
  integer2 = 'M',
  none = 'N',
  string_line = 'S',
  string4 = 'T',
  string1 = 'U',
  unicode_line = 'V',
  unicode4 = 'X',
  append = 'a',
  dict = 'd',
  empty_dict = '}',
  appends = 'e',
  get_line = 'g',
  get1 = 'h',
  get4 = 'j',
  list = 'l',
  empty_list = ']',
  put_line = 'p',
  put1 = 'q',
  put4 = 'r',
  set_item = 's',
  tuple = 't',
  empty_tuple = ')',
  set_items = 'u',
  real8 = 'G',
  bytes4 = 'B',
  bytes1 = 'C',
  protocol = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  true_value = 0x88,
  false_value = 0x89,
  long1 = 0x8a,
  long4 = 0x8b,
  unicode1 = 0x8c,
  unicode8 = 0x8d,
  bytes8 = 0x8e,
  memoize = 0x94,
  frame = 0x95
};

/// Name of an opcode that is refused, such as `REDUCE`; empty for any other byte.
std::string_view name_of_code(std::uint8_t opcode);
/// What the opcode would do, as the end of a sentence.
std::string_view effect_of_code(std::uint8_t opcode);

}  // namespace stashscope
