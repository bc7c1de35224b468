#include "core/report/arena_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace stashscope {

using nlohmann::json;

namespace {

json arena_json(const Study& study, const Variant& variant, const StepArena& arena) {
  json buffers = json::array();
  for (const ArenaPiece& each : arena.pieces) {
    buffers.push_back({{"name", to_valid_utf8(piece_name(study, variant, each))},
                       {"bytes", each.bytes},
                       {"offset", each.offset},
                       {"first_slot", each.first_slot + std::size_t{1}},
                       {"last_slot", each.last_slot + std::size_t{1}},
                       {"is_workspace", !each.buffer.valid()}});
  }
  return {{"capacity_bytes", arena.capacity_bytes},
          {"load_bound_bytes", arena.load_bound_bytes},
          {"lower_bound_bytes", arena.lower_bound_bytes},
          {"persistent_bytes", arena.persistent_bytes},
          {"buffers", buffers}};
}

}  // namespace

std::string arena_text(const FoundArena& found) {
  if (found.failure) return std::string("  no static arena: ") + found.failure->what() + "\n";
  const StepArena& arena = *found.arena;
  const bool is_least = arena.capacity_bytes == arena.lower_bound_bytes;
  std::string text = "  static arena: " + exact_bytes(arena.capacity_bytes) + " for " +
                     counted(arena.pieces.size(), "buffer", "buffers") +
                     (is_least ? ", the least possible" : "") + "\n";
  text += "  load bound of the arena: " + exact_bytes(arena.load_bound_bytes) + ", ratio " +
          format_fixed(arena_ratio(arena), 4) +
          "; outside of the arena: " + format_bytes(arena.persistent_bytes) +
          " of persistent tensors\n";
  return text;
}

void add_arena(json& memory, const Study& study, const Variant& variant, const FoundArena& found) {
  if (found.failure) {
    memory["arena"] = nullptr;
    memory["no_arena"] = to_valid_utf8(found.failure->what());
  } else {
    memory["arena"] = arena_json(study, variant, *found.arena);
  }
}

}  // namespace stashscope
