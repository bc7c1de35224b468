#pragma once

#include <istream>

#include "core/snapshot/pickle_document.h"

namespace stashscope {

/// Reads a pickle of protocols 0 to 5 that has only data: None, booleans, integers of 64 bits,
/// floats, texts, bytes, lists, tuples and dicts. A pickle is a program. Opcodes that would load a
/// class or call a function are refused, and nothing is executed. Throws an input Error; for an
/// opcode that is refused or wrong, the Error names the opcode's place in bytes.
/// @param bytes number of bytes that the stream has
/// @param budget must outlive the document
PickleDocument read_pickle(std::istream& stream, std::int64_t bytes, MemoryBudget& budget);

}  // namespace stashscope
