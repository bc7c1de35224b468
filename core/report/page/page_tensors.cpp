#include "core/report/page/page_tensors.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/facts/memory_tree.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::array groupings = {MemoryGrouping::module, MemoryGrouping::band,
                                  MemoryGrouping::op_type, MemoryGrouping::source_line};

/// The approximate bytes of page text for an entry and for a group, without their names.
constexpr std::size_t entry_bytes = 48;
constexpr std::size_t group_bytes = 16;
constexpr std::size_t longest_name = 300;

/// The part of a buffer's life in which it belongs to one band.
struct Piece {
  BufferId buffer;
  BandSpan span;
};

/// A tensor, or several tensors of the same groups.
struct Entry {
  std::string name;
  std::int64_t bytes = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Band band = Band::activations;
  int module = -1;
  std::array<std::uint32_t, groupings.size()> group = {};
};

std::string shown_name(const std::string& name) {
  const std::string text = to_valid_utf8(name);
  return text.size() <= longest_name ? text : utf8_prefix(text, longest_name) + "…";
}

/// The length in bytes of the longest common prefix of two texts, up to the first character that is
/// not ASCII.
std::size_t shared_start(const std::string& a, const std::string& b) {
  const auto end = std::ranges::mismatch(
      a, b, [](char x, char y) { return x == y && static_cast<unsigned char>(x) < 0x80; });
  return static_cast<std::size_t>(end.in1 - a.begin());
}

class TensorCollector {
 public:
  TensorCollector(const Study& study, const TensorHomes& homes,
                  const std::vector<ModuleMemory>& modules, const PageLimits& limits)
      : study_(study),
        variant_(*study.current),
        timeline_(variant_.timeline),
        homes_(homes),
        limits_(limits),
        group_of_(groupings.size()) {
    for (const BufferId id : IdRange<BufferId>(homes_.spans.size())) {
      first_piece_.push_back(pieces_.size());
      for (const BandSpan& span : homes_.spans[id]) pieces_.push_back({id, span});
    }
    for (std::size_t row = 0; row < std::min(modules.size(), limits.rows); ++row) {
      row_of_module_.emplace(modules[row].module, static_cast<int>(row));
    }
  }

  PageTensors collect() {
    page_.trees = json::object();
    for (std::size_t i = 0; i < groupings.size(); ++i) add_tree(i);
    page_.entries_of = IdVector<BufferId, std::vector<std::size_t>>(timeline_.buffers.size());
    add_all();
    if (!page_.is_complete) add_those_at_peak();
    write_columns();
    return std::move(page_);
  }

 private:
  static bool is_group(const MemoryTree& tree, std::size_t i) {
    return i == 0 || (!tree.nodes[i].buffer.valid() && tree.nodes[i].child_count > 0);
  }

  /// The smallest depth whose groups have no room on the page. The page leaves out the groups of
  /// this depth and of greater depths, but never the root.
  std::uint32_t first_depth_without_room(const MemoryTree& tree) {
    std::vector<std::size_t> bytes;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!is_group(tree, i)) continue;
      const MemoryTreeNode& node = tree.nodes[i];
      bytes.resize(std::max<std::size_t>(bytes.size(), node.depth + 1));
      bytes[node.depth] += group_bytes + shown_name(node.name).size();
    }
    const std::size_t room = limits_.tensor_bytes / (2 * groupings.size());
    std::size_t taken = bytes.front();
    std::uint32_t depth = 1;
    while (depth < bytes.size() && taken + bytes[depth] <= room) taken += bytes[depth++];
    used_by_groups_ += taken;
    page_.has_all_groups = page_.has_all_groups && depth == bytes.size();
    return depth;
  }

  /// The piece of a leaf of a memory tree.
  std::size_t piece_of(const MemoryTreeNode& leaf) const {
    std::size_t piece = first_piece_[leaf.buffer];
    while (pieces_[piece].span.from != leaf.from) ++piece;
    return piece;
  }

  /// Adds the groups of a memory tree to the page and records the group of each piece.
  void add_tree(std::size_t grouping) {
    const MemoryTree tree = memory_tree(study_, variant_, groupings[grouping], homes_);
    std::vector<std::uint32_t> id(tree.nodes.size(), 0);
    json names = json::array();
    json parents = json::array();
    json bands = json::array();
    const std::uint32_t too_deep = first_depth_without_room(tree);
    group_of_[grouping].assign(pieces_.size(), 0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const MemoryTreeNode& node = tree.nodes[i];
      if (node.buffer.valid()) {
        group_of_[grouping][piece_of(node)] = id[node.parent];
        if (grouping == 0) in_order_.push_back(piece_of(node));
      } else if (node.depth >= too_deep) {
        id[i] = id[node.parent];
      } else if (is_group(tree, i)) {
        id[i] = static_cast<std::uint32_t>(names.size());
        names.push_back(shown_name(node.name));
        parents.push_back(id[node.parent]);
        bands.push_back(node.band ? static_cast<int>(*node.band) : -1);
      }
    }
    page_.trees[std::string(name_of(groupings[grouping]))] = {
        {"name", names}, {"parent", parents}, {"band", bands}};
  }

  Entry entry_for(std::size_t piece) const {
    const auto& [id, span] = pieces_[piece];
    const Buffer& buffer = timeline_.buffers[id];
    Entry entry = {shown_name(name_of(study_.graph(), variant_.dataflow, buffer)),
                   buffer.bytes,
                   span.from,
                   span.until,
                   span.band,
                   module_row(id),
                   {}};
    for (std::size_t i = 0; i < groupings.size(); ++i) entry.group[i] = group_of_[i][piece];
    return entry;
  }

  int module_row(BufferId id) const {
    const NodeId home = homes_.node[id];
    if (!home.valid()) return -1;
    const auto row = row_of_module_.find(block_of(homes_.modules.scope[home]));
    return row == row_of_module_.end() ? -1 : row->second;
  }

  /// Adds an entry for a piece, or returns false if the entries would take more than `room` bytes.
  bool add(std::size_t piece, std::size_t room) {
    Entry entry = entry_for(piece);
    const std::size_t shared =
        entries_.empty() ? 0 : shared_start(entries_.back().name, entry.name);
    const std::size_t bytes = entry_bytes + entry.name.size() - shared;
    if (used_ + bytes > room) return false;
    used_ += bytes;
    page_.entries_of[pieces_[piece].buffer].push_back(entries_.size());
    entries_.push_back(std::move(entry));
    return true;
  }

  void add_all() {
    for (const std::size_t piece : in_order_) {
      page_.is_complete = page_.is_complete && add(piece, room());
    }
  }

  /// Bytes of the page that entries may take.
  std::size_t room() const {
    return limits_.tensor_bytes - std::min(limits_.tensor_bytes, used_by_groups_);
  }

  void add_those_at_peak() {
    entries_.clear();
    used_ = 0;
    page_.entries_of = IdVector<BufferId, std::vector<std::size_t>>(timeline_.buffers.size());
    // Half of the room is left for the sums over small tensors.
    const std::size_t for_tensors = room() / 2;
    for (const BufferId id : alive_at(timeline_, timeline_.peak_slot)) {
      if (timeline_.buffers[id].bytes == 0) continue;
      const std::size_t piece = piece_at_peak(id);
      if (add(piece, for_tensors)) continue;
      const Entry small = entry_for(piece);
      add_to(sums_[small.group], small, 1);
      ++page_.summed;
    }
    write_sums();
  }

  /// The piece of a buffer that is alive at the peak.
  std::size_t piece_at_peak(BufferId id) const {
    std::size_t piece = first_piece_[id];
    while (pieces_[piece].span.until < timeline_.peak_slot) ++piece;
    return piece;
  }

  struct Sum {
    Entry entry;
    std::size_t tensors = 0;
  };

  static void add_to(Sum& sum, const Entry& entry, std::size_t tensors) {
    const std::int64_t before = sum.tensors == 0 ? 0 : sum.entry.bytes;
    if (sum.tensors == 0) sum.entry = entry;
    sum.entry.bytes = before + entry.bytes;
    sum.tensors += tensors;
  }

  /// Writes one entry for all small tensors of a group. Where the page has no room for the entries
  /// of groups, writes one entry for all small tensors of a band.
  void write_sums() {
    std::map<Band, Sum> by_use;
    for (const auto& [group, sum] : sums_) {
      used_ += entry_bytes;
      if (used_ <= room()) {
        write_sum(sum);
        continue;
      }
      Entry outside = sum.entry;
      outside.module = -1;
      for (std::size_t i = 0; i < groupings.size(); ++i) {
        if (groupings[i] != MemoryGrouping::band) outside.group[i] = 0;
      }
      add_to(by_use[outside.band], outside, sum.tensors);
    }
    for (const auto& [band, sum] : by_use) write_sum(sum);
  }

  void write_sum(const Sum& sum) {
    entries_.push_back(sum.entry);
    entries_.back().name = counted(sum.tensors, "small tensor", "small tensors");
  }

  void write_columns() {
    json columns = json::object();
    for (const char* key : {"shared", "name", "bytes", "first", "last", "band", "module"}) {
      columns[key] = json::array();
    }
    std::string previous;
    for (const Entry& entry : entries_) {
      const std::size_t shared = shared_start(previous, entry.name);
      columns["shared"].push_back(shared);
      columns["name"].push_back(entry.name.substr(shared));
      columns["bytes"].push_back(entry.bytes);
      columns["first"].push_back(entry.first);
      columns["last"].push_back(entry.last);
      columns["band"].push_back(static_cast<int>(entry.band));
      columns["module"].push_back(entry.module);
      previous = entry.name;
    }
    for (std::size_t i = 0; i < groupings.size(); ++i) {
      json groups = json::array();
      for (const Entry& entry : entries_) groups.push_back(entry.group[i]);
      columns["group"][std::string(name_of(groupings[i]))] = std::move(groups);
    }
    page_.columns = std::move(columns);
  }

  const Study& study_;
  const Variant& variant_;
  const Timeline& timeline_;
  const TensorHomes& homes_;
  const PageLimits& limits_;
  std::map<std::string, int, std::less<>> row_of_module_;
  std::vector<Piece> pieces_;  ///< buffer by buffer
  IdVector<BufferId, std::size_t> first_piece_;
  std::vector<std::vector<std::uint32_t>> group_of_;  ///< by grouping and piece
  std::vector<std::size_t> in_order_;                 ///< pieces in the order of the tree by module
  std::vector<Entry> entries_;
  std::size_t used_ = 0;  ///< page bytes taken by `entries_`
  std::size_t used_by_groups_ = 0;
  std::map<std::array<std::uint32_t, groupings.size()>, Sum> sums_;
  PageTensors page_;
};

}  // namespace

PageTensors page_tensors(const Study& study, const TensorHomes& homes,
                         const std::vector<ModuleMemory>& modules, const PageLimits& limits) {
  return TensorCollector(study, homes, modules, limits).collect();
}

}  // namespace stashscope
