#include "core/report/module_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/layout/scene/band_colour.h"
#include "core/study/facts/icicle.h"
#include "core/study/facts/module_memory.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t shown_modules = 12;
constexpr double icicle_width = 960;
constexpr double icicle_row = 20;
// Letters at font size 11 are at most about this wide.
constexpr double icicle_letter = 6.2;
constexpr const char* group_colour = "#e4e6ea";

std::string share_of(std::int64_t bytes, std::int64_t all) {
  if (all == 0) return "0 %";
  return format_fixed(100 * static_cast<double>(bytes) / static_cast<double>(all), 1) + " %";
}

/// The longest text that fits into a box; empty if none does.
std::string fitting(const std::vector<std::string>& longest_first, double width) {
  for (const std::string& each : longest_first) {
    if (icicle_letter * static_cast<double>(each.size()) + 6 <= width) return each;
  }
  return "";
}

std::string box_svg(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                    const IcicleBox& box) {
  const MemoryTreeNode& node = tree.nodes[box.node];
  const std::string name = box.node == 0 ? "all tensors alive at the peak" : chain_name(tree, box);
  const std::string path = box.node == 0 ? name : printable(path_in_tree(tree, box.node));
  const double width = (box.right - box.left) * icicle_width;
  const std::string x = format_fixed(box.left * icicle_width, 2);
  const std::string y = format_fixed(box.row * icicle_row, 0);
  const std::string colour(node.band ? layout::band_colour(*node.band) : group_colour);
  std::string text = "<g><title>" +
                     xml_escaped(path + ": " + format_bytes(bytes[box.node]) + ", " +
                                 share_of(bytes[box.node], bytes[0])) +
                     "</title><rect x=\"" + x + "\" y=\"" + y + "\" width=\"" +
                     format_fixed(width, 2) + "\" height=\"" + format_fixed(icicle_row - 1, 0) +
                     "\" fill=\"" + colour + "\" stroke=\"#fff\" stroke-width=\"0.5\"/>";
  const std::string label =
      fitting({printable(name) + "  " + format_bytes(bytes[box.node]), printable(name)}, width);
  if (!label.empty()) {
    text += "<text x=\"" + format_fixed(box.left * icicle_width + 3, 2) + "\" y=\"" +
            format_fixed(box.row * icicle_row + 14, 0) + "\" font-size=\"11\" fill=\"#222\">" +
            xml_escaped(label) + "</text>";
  }
  return text + "</g>\n";
}

}  // namespace

std::string module_memory_text(const Study& study) {
  const std::vector<ModuleMemory> modules = module_memory(study);
  if (modules.empty()) return "";
  const std::int64_t peak = study.current->timeline.peak_bytes;
  std::string text = "Memory by module at the peak:\n";
  for (std::size_t i = 0; i < std::min(modules.size(), shown_modules); ++i) {
    const ModuleMemory& each = modules[i];
    text += "  " + printable(each.module) + (each.is_rest ? " (rest)" : "") + ": " +
            format_bytes(each.peak_bytes) + " (" + share_of(each.peak_bytes, peak) + "), " +
            format_bytes(each.stashed_at_peak) + " of it stashed, " + format_seconds(each.seconds) +
            "\n";
  }
  if (modules.size() > shown_modules) {
    text +=
        "  and " + counted(modules.size() - shown_modules, "more module", "more modules") + "\n";
  }
  return text;
}

json module_memory_json(const Study& study) {
  json rows = json::array();
  for (const ModuleMemory& each : module_memory(study)) {
    rows.push_back({{"module", to_valid_utf8(each.module)},
                    {"is_rest", each.is_rest},
                    {"peak_bytes", each.peak_bytes},
                    {"peak_symbolic", to_valid_utf8(each.symbolic)},
                    {"stashed_bytes", each.stashed_bytes},
                    {"stashed_at_peak_bytes", each.stashed_at_peak},
                    {"seconds", each.seconds}});
  }
  return rows;
}

std::string memory_icicle_svg(const Study& study, const TensorHomes& homes) {
  const Variant& variant = *study.current;
  const MemoryTree tree = memory_tree(study, variant, MemoryGrouping::module, homes);
  const std::vector<std::int64_t> bytes =
      tree_bytes(tree, variant.timeline, variant.timeline.peak_slot);
  const std::vector<IcicleBox> boxes = icicle_boxes(tree, bytes, 0, 1 / icicle_width);
  if (boxes.empty()) return "";
  const std::uint32_t rows = std::ranges::max(boxes, {}, &IcicleBox::row).row + 1;
  std::string svg = "<svg viewBox=\"0 0 960 " + format_fixed(rows * icicle_row, 0) +
                    "\" font-family=\"sans-serif\" role=\"img\" aria-label=\"Memory at the peak by "
                    "module\">\n";
  for (const IcicleBox& box : boxes) svg += box_svg(tree, bytes, box);
  return svg + "</svg>\n";
}

}  // namespace stashscope
