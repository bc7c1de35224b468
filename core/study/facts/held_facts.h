#pragma once

#include <cstdint>
#include <optional>

#include "core/study/step/study.h"

namespace stashscope {

/// Why a storage of a captured step lives on after its last read.
struct Hold {
  enum class Holder : std::uint8_t {
    autograd,  ///< saved for the derivative of `node`
    script,    ///< a variable of the script, or an object that a variable refers to
    caller,    ///< the step returns the storage, or something still holds it when the step ends
  };
  Holder holder = Holder::script;
  std::size_t until = 0;  ///< the last slot during which the storage lives
  /// The forward node for which autograd holds the storage; invalid for other holders.
  NodeId node;

  friend bool operator==(const Hold&, const Hold&) = default;
};

/// Who holds a buffer of the current step after its last read. Nothing if the buffer is freed after
/// its last read, if it lives during the whole step, or if the step was not captured.
std::optional<Hold> hold_beyond_reads(const Study& study, BufferId buffer);

}  // namespace stashscope
