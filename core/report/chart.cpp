#include "core/report/chart.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/layout/scene/band_colour.h"
#include "core/memory/envelope.h"

namespace stashscope {

namespace {

constexpr double chart_width = 960;
constexpr double chart_height = 280;

std::string point(double x, double y) {
  return format_fixed(x, 1) + "," + format_fixed(y, 1) + " ";
}

std::string polyline(const std::vector<std::int64_t>& live_bytes, std::int64_t top,
                     const char* style) {
  return "<polyline fill=\"none\" " + std::string(style) + " points=\"" +
         curve_points(live_bytes, chart_width, chart_height, top) + "\"/>\n";
}

std::string label(double x, double y, const std::string& text, const char* color) {
  return "<text x=\"" + format_fixed(x, 0) + "\" y=\"" + format_fixed(y, 0) +
         "\" font-size=\"12\" fill=\"" + color + "\">" + text + "</text>\n";
}

bool occurs(const Variant& variant, Band band) {
  return std::any_of(variant.bands.begin(), variant.bands.end(),
                     [&](const BandBytes& each) { return of(each, band) > 0; });
}

/// The bands of a variant. The area of each band reaches down to the axis; lower bands are drawn
/// over it.
std::string band_areas(const Variant& variant, std::int64_t top) {
  std::string areas;
  for (std::size_t i = 0; i < band_count; ++i) {
    const auto band = static_cast<Band>(i);
    if (!occurs(variant, band)) continue;
    const std::string edge =
        curve_points(stacked(variant.bands, band), chart_width, chart_height, top);
    areas = "<polygon fill=\"" + std::string(layout::band_colour(band)) + "\" points=\"0,280 " +
            edge + "960,280\"/>\n" + areas;
  }
  return areas;
}

// The reader's font is unknown; letters at font size 12 are at most about this wide.
constexpr double widest_letter = 6.8;
constexpr double legend_gap = 16;

std::string band_legend(const Variant& variant) {
  std::string legend;
  double x = 4;
  for (std::size_t i = 0; i < band_count; ++i) {
    const auto band = static_cast<Band>(i);
    if (!occurs(variant, band)) continue;
    legend += "<rect x=\"" + format_fixed(x, 0) +
              "\" y=\"304\" width=\"12\" height=\"12\" fill=\"" +
              std::string(layout::band_colour(band)) + "\"/>\n";
    const std::string title(title_of(band));
    legend += label(x + 17, 314, title, "#444");
    x += 17 + legend_gap + widest_letter * static_cast<double>(title.size());
  }
  return legend;
}

/// Left edge of the legend; leaves room for its longest text.
constexpr double curves_legend_x = 560;

std::string curves_legend(const Measurement* measured) {
  std::string legend = "before (dashed), after";
  if (measured == nullptr) return legend;
  legend += ", measured (dotted)";
  return measured->workspace_bytes.empty() ? legend : legend + ", with workspaces (thin)";
}

}  // namespace

std::string curve_points(const std::vector<std::int64_t>& live_bytes, double width, double height,
                         std::int64_t top) {
  if (live_bytes.empty() || top <= 0) return "";
  const auto steps = static_cast<double>(live_bytes.size());
  const auto height_of = [&](std::int64_t bytes) {
    return height - height * static_cast<double>(bytes) / static_cast<double>(top);
  };
  const auto columns = static_cast<std::size_t>(std::min(width, steps));
  const std::vector<double> bounds = even_bounds(0, steps, columns);
  const std::vector<Extremes> extremes = envelope(live_bytes, bounds);
  std::string points;
  for (std::size_t column = 0; column < columns; ++column) {
    const double x = width * bounds[column] / steps;
    const auto [low, high] = extremes[column];
    points += point(x, height_of(high));
    if (low != high) points += point(x, height_of(low));
  }
  return points + point(width, height_of(live_bytes.back()));
}

std::string memory_chart_svg(const Study& study, const Measurement* measured) {
  const Timeline& before = study.baseline->timeline;
  const Timeline& after = study.current->timeline;
  std::int64_t top = std::max({before.peak_bytes, after.peak_bytes, std::int64_t{1}});
  if (measured != nullptr) top = std::max(top, peak_with_workspace(*measured));
  std::string svg =
      "<svg viewBox=\"-8 -20 984 340\" "
      "width=\"984\" height=\"340\" role=\"img\" aria-label=\"Memory over the step\">\n";
  svg += "<rect width=\"960\" height=\"280\" fill=\"#f7f7f7\"/>\n";
  svg += band_areas(*study.current, top);
  svg += polyline(before.live_bytes, top, "stroke=\"#888\" stroke-dasharray=\"4 3\"");
  svg += polyline(after.live_bytes, top, "stroke=\"#0b63b5\" stroke-width=\"1.5\"");
  if (measured != nullptr) {
    svg += polyline(measured->live_bytes, top,
                    "stroke=\"#c2500a\" stroke-dasharray=\"1 3\" "
                    "stroke-width=\"2\"");
  }
  if (measured != nullptr && !measured->workspace_bytes.empty()) {
    svg += polyline(with_workspace(*measured), top, "stroke=\"#c2500a\" stroke-width=\"0.8\"");
  }
  svg += label(4, -6, format_bytes(top), "#444");
  svg += label(curves_legend_x, -6, curves_legend(measured), "#444");
  return svg + label(4, 296, std::to_string(after.order.size()) + " slots", "#444") +
         band_legend(*study.current) + "</svg>\n";
}

}  // namespace stashscope
