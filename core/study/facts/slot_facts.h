#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The part of the step that a slot belongs to.
enum class SlotPhase : std::uint8_t {
  forward,
  recompute,  ///< runs a forward node once more
  backward,
  optimizer
};

/// Name in machine-read output, such as `forward`.
std::string_view name_of(SlotPhase phase);

/// Facts about the node that runs in a slot.
struct SlotFacts {
  std::string node;  ///< name of the node, or of its first output
  std::string op_type;
  std::string module;  ///< modules from the outside in, joined by dots; may be empty
  SlotPhase phase = SlotPhase::forward;
  std::string file;  ///< file of the source line that made the node; empty: unknown
  int line = 0;      ///< in `file`, from 1
};

/// The slots of a variant of the study's step, in execution order.
std::vector<SlotFacts> slot_facts(const Study& study, const Variant& variant);

}  // namespace stashscope
