#include "core/layout/svg.h"

#include "core/base/text.h"
#include "core/layout/colour_map.h"

namespace stashscope::layout {

namespace {

constexpr double margin = 32;
constexpr double header = 56;
constexpr double legend_width = 200;
constexpr double character_width = 6.6;

std::string number(double value) { return format_fixed(value, 1); }

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string rect(const Rect& r, const std::string& rest) {
  return "<rect" + attribute("x", number(r.x)) + attribute("y", number(r.y)) +
         attribute("width", number(r.width)) + attribute("height", number(r.height)) + rest;
}

std::string path(const Curve& curve, const std::string& rest) {
  const auto point = [](Point p) { return number(p.x) + "," + number(p.y) + " "; };
  std::string d = "M" + point(curve.front());
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) {
    d += "C" + point(curve[i]) + point(curve[i + 1]) + point(curve[i + 2]);
  }
  return "<path" + attribute("d", d) + rest;
}

std::string text(Point at, const std::string& words, const char* kind) {
  return "<text" + attribute("x", number(at.x)) + attribute("y", number(at.y)) +
         attribute("class", kind) + ">" + xml_escaped(words) + "</text>\n";
}

/// What fits on a box of this width.
std::string fitted(const std::string& words, double width) {
  const auto most = static_cast<std::size_t>(std::max(1.0, (width - 20) / character_width));
  return words.size() <= most ? words : utf8_prefix(words, most - 1) + "…";
}

std::string box_svg(const DrawnBox& box) {
  const Rect& r = box.rect;
  std::string svg = "<g>";
  if (!box.is_open()) svg += "<title>" + xml_escaped(box.title + " " + box.detail) + "</title>";
  svg += rect(r, attribute("class", box.is_open() ? "open" : "box") + " rx=\"4\"/>");
  if (box.heat >= 0 && !box.is_open()) {
    svg += rect({r.x + 3, r.y + 4, 6, r.height - 8},
                attribute("fill", to_hex(lifetime_colour(box.heat))) + " rx=\"2\"/>");
  }
  const double first_line =
      box.is_open() || !box.detail.empty() ? r.y + 18 : r.y + r.height / 2 + 4;
  svg += text({r.x + 15, first_line}, fitted(box.title, r.width), "title");
  if (!box.detail.empty()) {
    svg += text({r.x + 15, r.y + 34}, fitted(box.detail, r.width), "detail");
  }
  return svg + "</g>\n";
}

std::string bridge_svg(const Bridge& bridge, std::int64_t most) {
  if (bridge.is_turn) return path(bridge.curve, " class=\"edge\"/>\n");
  const double share = most > 0 ? static_cast<double>(bridge.bytes) / static_cast<double>(most) : 0;
  return path(bridge.curve,
              " class=\"stash\"" + attribute("stroke-width", number(1 + 7 * share)) + ">") +
         "<title>" + xml_escaped("stashed: " + format_bytes(bridge.bytes)) + "</title></path>\n";
}

std::string legend_svg(const Drawing& drawing) {
  std::string svg = "<g transform=\"translate(" + number(drawing.bounds.x) + "," +
                    number(drawing.bounds.y - 34) + ")\">";
  constexpr int parts = 20;
  for (int i = 0; i < parts; ++i) {
    const double share = (i + 0.5) / parts;
    svg += rect({legend_width / parts * i, 0, legend_width / parts + 0.5, 8},
                attribute("fill", to_hex(lifetime_colour(share))) + "/>");
  }
  svg += text({0, 22}, "lifetime: 1 step", "detail");
  svg += "<text text-anchor=\"end\"" + attribute("x", number(legend_width)) +
         " y=\"22\" class=\"detail\">" + std::to_string(drawing.steps) + " steps</text>";
  svg += path(horizontal_curve({legend_width + 40, 4}, {legend_width + 80, 4}),
              " class=\"stash\" stroke-width=\"4\"/>");
  return svg + text({legend_width + 88, 8}, "stashed for backward", "detail") + "</g>\n";
}

constexpr const char* style =
    "<style>text{font-family:system-ui,sans-serif;fill:#222}.title{font-size:12px}"
    ".detail{font-size:11px;fill:#666}.box{fill:#fff;stroke:#b8bcc2}"
    ".open{fill:#8a94a4;fill-opacity:.08;stroke:#c6cad0}.edge{fill:none;stroke:#8d939c}"
    ".stash{fill:none;stroke:#3d6fb6;stroke-opacity:.35}.heading{font-size:15px}</style>\n";

}  // namespace

double svg_text_width(std::string_view text) {
  return character_width * static_cast<double>(text.size());
}

std::string to_svg(const Drawing& drawing, const std::string& title) {
  const Rect& b = drawing.bounds;
  const Rect page = {b.x - margin, b.y - margin - header, b.width + 2 * margin,
                     b.height + 2 * margin + header};
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" + number(page.x) + " " +
                    number(page.y) + " " + number(page.width) + " " + number(page.height) + "\">\n";
  svg += style;
  svg += rect(page, " fill=\"#fbfbfc\"/>\n");
  svg += text({b.x, b.y - header}, title, "heading") + legend_svg(drawing);
  for (const DrawnBox& box : drawing.boxes) {
    if (box.is_open()) svg += box_svg(box);
  }
  for (const DrawnEdge& edge : drawing.edges) svg += path(edge.curve, " class=\"edge\"/>\n");
  for (const Bridge& bridge : drawing.bridges) {
    svg += bridge_svg(bridge, drawing.most_bridge_bytes);
  }
  for (const DrawnBox& box : drawing.boxes) {
    if (!box.is_open()) svg += box_svg(box);
  }
  return svg + "</svg>\n";
}

}  // namespace stashscope::layout
