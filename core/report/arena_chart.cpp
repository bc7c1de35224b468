#include "core/report/arena_chart.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/layout/scene/band_colour.h"
#include "core/study/facts/step_tensors.h"

namespace stashscope {

namespace {

constexpr double arena_width = 960;
constexpr double arena_height = 280;

std::string arena_label(double x, double y, const std::string& text) {
  return "<text x=\"" + format_fixed(x, 0) + "\" y=\"" + format_fixed(y, 0) +
         "\" font-size=\"12\" fill=\"#444\">" + text + "</text>\n";
}

std::string bound_line(std::int64_t bytes, double bytes_up) {
  const std::string y = format_fixed(arena_height - static_cast<double>(bytes) * bytes_up, 2);
  return "<line x1=\"0\" x2=\"960\" y1=\"" + y + "\" y2=\"" + y +
         "\" stroke=\"#222\" stroke-dasharray=\"6 4\"><title>load bound: " + format_bytes(bytes) +
         "</title></line>\n";
}

double area_of(const ArenaPiece& piece) {
  return static_cast<double>(piece.bytes) * (piece.last_slot - piece.first_slot + 1.0);
}

/// The pieces with the largest areas, in the order of the arena.
std::vector<const ArenaPiece*> largest_pieces(const StepArena& arena, std::size_t most) {
  std::vector<const ArenaPiece*> pieces;
  for (const ArenaPiece& each : arena.pieces) pieces.push_back(&each);
  std::ranges::stable_sort(pieces, std::greater<>(),
                           [](const auto* each) { return area_of(*each); });
  pieces.resize(std::min(most, pieces.size()));
  std::ranges::sort(pieces);
  return pieces;
}

std::string piece_title(const Study& study, const Variant& variant, const ArenaPiece& piece) {
  return xml_escaped(piece_name(study, variant, piece)) + ": " + format_bytes(piece.bytes) +
         " at " + with_thousands(piece.offset) + ", slots " + std::to_string(piece.first_slot + 1) +
         " to " + std::to_string(piece.last_slot + 1);
}

}  // namespace

ArenaChart arena_chart(const Study& study, const Variant& variant, const StepArena& arena,
                       std::size_t most) {
  const IdVector<BufferId, Band> bands = band_of_buffers(study, variant);
  const double across =
      arena_width / static_cast<double>(std::max<std::size_t>(1, variant.timeline.order.size()));
  const double up =
      arena_height / static_cast<double>(std::max<std::int64_t>(1, arena.capacity_bytes));
  std::string svg =
      "<svg viewBox=\"-8 -20 984 324\" width=\"984\" height=\"324\" role=\"img\" "
      "aria-label=\"Static arena of the step\">\n<rect width=\"960\" height=\"280\" "
      "fill=\"#f7f7f7\"/>\n<g stroke=\"#fff\" stroke-width=\"0.3\">\n";
  const std::vector<const ArenaPiece*> drawn = largest_pieces(arena, most);
  for (const ArenaPiece* const each : drawn) {
    const Band band = each->buffer.valid() ? bands[each->buffer] : Band::workspace;
    const double height = static_cast<double>(each->bytes) * up;
    svg += "<rect x=\"" + format_fixed(each->first_slot * across, 2) + "\" y=\"" +
           format_fixed(arena_height - static_cast<double>(each->offset) * up - height, 2) +
           "\" width=\"" + format_fixed((each->last_slot - each->first_slot + 1.0) * across, 2) +
           "\" height=\"" + format_fixed(height, 2) + "\" fill=\"" +
           std::string(layout::band_colour(band)) + "\"><title>" +
           piece_title(study, variant, *each) + "</title></rect>\n";
  }
  svg += "</g>\n" + bound_line(arena.load_bound_bytes, up) +
         arena_label(4, -6, format_bytes(arena.capacity_bytes)) +
         arena_label(4, 296, std::to_string(variant.timeline.order.size()) + " slots") + "</svg>\n";
  return {svg, arena.pieces.size() - drawn.size()};
}

}  // namespace stashscope
