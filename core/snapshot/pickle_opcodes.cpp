#include "core/snapshot/pickle_opcodes.h"

#include <algorithm>

namespace stashscope {

namespace {

struct CodeOpcode {
  std::uint8_t opcode;
  std::string_view name;
  std::string_view effect;
};

constexpr std::string_view loads = "loads a class or a function";
constexpr std::string_view calls = "calls a function";
constexpr std::string_view makes = "makes an object of a class";
constexpr std::string_view no_data = "makes an object that no snapshot has";

constexpr CodeOpcode code_opcodes[] = {
    {'P', "PERSID", "asks for an object outside the file"},
    {'Q', "BINPERSID", "asks for an object outside the file"},
    {'R', "REDUCE", calls},
    {'b', "BUILD", "sets the state of an object"},
    {'c', "GLOBAL", loads},
    {'i', "INST", makes},
    {'o', "OBJ", makes},
    {0x81, "NEWOBJ", makes},
    {0x82, "EXT1", loads},
    {0x83, "EXT2", loads},
    {0x84, "EXT4", loads},
    {0x8f, "EMPTY_SET", no_data},
    {0x90, "ADDITEMS", no_data},
    {0x91, "FROZENSET", no_data},
    {0x92, "NEWOBJ_EX", makes},
    {0x93, "STACK_GLOBAL", loads},
    {0x96, "BYTEARRAY8", no_data},
    {0x97, "NEXT_BUFFER", "asks for an object outside the file"},
    {0x98, "READONLY_BUFFER", "asks for an object outside the file"},
};

const CodeOpcode* find(std::uint8_t opcode) {
  const auto* const found = std::ranges::find(code_opcodes, opcode, &CodeOpcode::opcode);
  return found == std::end(code_opcodes) ? nullptr : found;
}

}  // namespace

std::string_view name_of_code(std::uint8_t opcode) {
  const CodeOpcode* const found = find(opcode);
  return found == nullptr ? std::string_view() : found->name;
}

std::string_view effect_of_code(std::uint8_t opcode) {
  const CodeOpcode* const found = find(opcode);
  return found == nullptr ? std::string_view() : found->effect;
}

}  // namespace stashscope
