#include "core/study/arena/arena_csv.h"

#include <algorithm>
#include <unordered_set>

#include "core/arena/arena_file.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// Turns names into ids: on one line, without commas, and each of them once.
class Ids {
 public:
  std::string id_of(const std::string& name) {
    std::string plain = trimmed(to_valid_utf8(name));
    std::ranges::replace(plain, ',', '_');
    if (plain.empty()) plain = "_";
    std::string id = plain;
    for (int number = 2; !taken_.insert(id).second; ++number) {
      id = plain + " #" + std::to_string(number);
    }
    return id;
  }

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::string arena_csv(const Study& study, const Variant& variant, const StepArena& arena) {
  ArenaFile file;
  file.header = {"id", "lower", "upper", "size"};
  file.buffers = arena_buffers(arena);
  Ids ids;
  for (std::size_t i = 0; i < arena.pieces.size(); ++i) {
    const ArenaBuffer& buffer = file.buffers[i];
    file.rows.push_back({ids.id_of(piece_name(study, variant, arena.pieces[i])),
                         std::to_string(buffer.lower), std::to_string(buffer.upper),
                         std::to_string(buffer.bytes)});
  }
  return arena_text(file, arena_offsets(arena));
}

}  // namespace stashscope
