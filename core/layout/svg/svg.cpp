#include "core/layout/svg/svg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/layout/scene/shown_part.h"

namespace stashscope::layout {

namespace {

constexpr double margin = 32;
constexpr double header = 84;
constexpr double legend_height = 62;  // from the top of the legend to the top of the picture
constexpr double legend_width = 280;
constexpr double state_width = 72;
/// Minimum width of the drawing: the header needs room for the legend.
constexpr double least_width = 560;
constexpr double title_size = 12;
constexpr double detail_size = 11;
constexpr double heading_size = 15;
constexpr double arrow_length = 6;
constexpr double arrow_width = 5;
constexpr const char* faded = " opacity=\"0.3\"";
/// A text is squeezed down to this share of its width before a shorter form is used.
constexpr double least_squeeze = 0.85;

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

/// An arrow head at the end of a curve, in its final direction.
std::string arrow_head(const Curve& curve, const std::string& rest) {
  const Point tip = curve.back();
  const Point before = curve[curve.size() - 2];
  const Point from = before == tip ? curve.front() : before;
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  if (length <= 0) return {};
  const Point unit = {(tip.x - from.x) / length, (tip.y - from.y) / length};
  const auto corner = [&](double aside) {
    return number(tip.x - unit.x * arrow_length - unit.y * aside) + "," +
           number(tip.y - unit.y * arrow_length + unit.x * aside);
  };
  return "<polygon" +
         attribute("points", number(tip.x) + "," + number(tip.y) + " " + corner(arrow_width / 2) +
                                 " " + corner(-arrow_width / 2)) +
         rest + "/>\n";
}

std::string text(Point at, const std::string& words, const char* kind) {
  return "<text" + attribute("x", number(at.x)) + attribute("y", number(at.y)) +
         attribute("class", kind) + ">" + xml_escaped(words) + "</text>\n";
}

/// Width of a character relative to the size of the text, as in common fonts without serifs.
/// @param first first byte of the character in UTF-8
double width_of_character(char first) {
  constexpr unsigned char first_of_wide_scripts = 0xE3;
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0x80) return byte >= first_of_wide_scripts ? 1 : 0.6;
  if (std::string_view("ijlft.,:;'|!/()[] ").find(first) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW@%").find(first) != std::string_view::npos) return 0.9;
  return first >= 'A' && first <= 'Z' ? 0.68 : 0.6;
}

double width_of_text(std::string_view text, double size) {
  double width = 0;
  for (const char each : text) {
    const bool continues = (static_cast<unsigned char>(each) & 0xC0U) == 0x80U;
    if (!continues) width += size * width_of_character(each);
  }
  return width;
}

/// The first form that fits when squeezed to `least_squeeze`; else the last form, cut off.
std::string fitting_form(const std::vector<std::string>& forms, double room, double size) {
  const auto fits = [&](const std::string& form) {
    return width_of_text(form, size) * least_squeeze <= room;
  };
  const auto found = std::ranges::find_if(forms, fits);
  if (found != forms.end()) return *found;
  std::size_t length = forms.back().size();
  std::string cut = "…";
  while (length > 1 && !fits(cut = utf8_prefix(forms.back(), length) + "…")) --length;
  return cut;
}

/// A text in a box. A text that might be too wide is set to the width of the box, whatever font the
/// viewer has.
std::string fitted_text(const Rect& box, double y, const std::vector<std::string>& forms,
                        const char* kind, double size) {
  const double room = std::max(1.0, box.width - 20);
  const std::string words = fitting_form(forms, room, size);
  std::string svg = "<text" + attribute("x", number(box.x + 15)) + attribute("y", number(y)) +
                    attribute("class", kind);
  if (width_of_text(words, size) > room) {
    svg += attribute("textLength", number(room)) + attribute("lengthAdjust", "spacingAndGlyphs");
  }
  return svg + ">" + xml_escaped(words) + "</text>\n";
}

/// A title, then its shorter forms.
std::vector<std::string> title_forms(const DrawnBox& box) {
  std::vector<std::string> forms = {box.title};
  forms.insert(forms.end(), box.short_titles.begin(), box.short_titles.end());
  return forms;
}

/// A detail such as `43 nodes · stashes 1.2 GiB`, then its part after the last dot.
std::vector<std::string> detail_forms(const std::string& detail) {
  constexpr std::string_view dot = " · ";
  const std::size_t last = detail.rfind(dot);
  if (last == std::string::npos) return {detail};
  return {detail, detail.substr(last + dot.size())};
}

/// The colour strip to the left of the text of a box.
std::string strip_svg(const Drawing& drawing, const DrawnBox& box, Colouring colouring) {
  if (box.is_open()) return {};
  const double height = box.rect.height - 8;
  double y = box.rect.y + 4;
  std::string svg;
  for (const ColourShare& part : strip_of(drawing, box, colouring)) {
    svg += rect({box.rect.x + 3, y, 6, part.share * height},
                attribute("fill", to_hex(part.colour)) + "/>");
    y += part.share * height;
  }
  return svg;
}

struct ScaleTexts {
  std::string least;
  std::string most;
};

ScaleTexts scale_texts(const Drawing& drawing, Colouring colouring) {
  const Scale scale = scale_of(drawing, colouring);
  switch (colouring) {
    case Colouring::peak_bytes:
      return {"bytes at the peak: " + format_bytes(std::llround(scale.least)) + " or less",
              format_bytes(std::llround(scale.most))};
    case Colouring::time:
      return {"run time: " + format_seconds(scale.least) + " or less", format_seconds(scale.most)};
    default:
      return {"lifetime: 1 slot", std::to_string(drawing.steps) + " slots"};
  }
}

/// The colour bar, labelled with the values at its two ends.
std::string scale_svg(const Drawing& drawing, Colouring colouring) {
  std::string svg;
  constexpr int parts = 20;
  for (int i = 0; i < parts; ++i) {
    const double share = (i + 0.5) / parts;
    svg += rect({legend_width / parts * i, 0, legend_width / parts + 0.5, 8},
                attribute("fill", to_hex(lifetime_colour(share))) + "/>");
  }
  const ScaleTexts texts = scale_texts(drawing, colouring);
  svg += text({0, 22}, texts.least, "detail");
  return svg + "<text text-anchor=\"end\"" + attribute("x", number(legend_width)) +
         " y=\"22\" class=\"detail\">" + xml_escaped(texts.most) + "</text>\n";
}

/// The legend of the states of stashed activations, side by side.
std::string states_svg() {
  constexpr std::array<std::pair<StashState, const char*>, 4> states = {
      {{StashState::freed, "freed"},
       {StashState::plannable, "has a plan"},
       {StashState::pinned, "pinned"},
       {StashState::unplanned, "no plan"}}};
  std::string svg;
  double x = 0;
  for (const auto& [state, name] : states) {
    svg += rect({x, 0, 8, 8}, attribute("fill", to_hex(stash_colour(state))) + "/>");
    svg += text({x, 22}, name, "detail");
    x += state_width;
  }
  return svg;
}

constexpr const char* style =
    "<style>text{font-family:system-ui,sans-serif;fill:#222}.title{font-size:12px}"
    ".detail{font-size:11px;fill:#666}.box{fill:#fff;stroke:#b8bcc2}"
    ".open{fill:#8a94a4;fill-opacity:.08;stroke:#c6cad0}.edge{fill:none;stroke:#8d939c}"
    ".stash{fill:none;stroke:#3d6fb6;stroke-opacity:.35}.heading{font-size:15px}"
    ".caption{font-size:12px;fill:#666}.head{fill:#8d939c}.selected{fill:#e8eff9;stroke:#2f6fd0;"
    "stroke-width:2}.edge.strong{stroke:#2f6fd0;stroke-width:2}.head.strong{fill:#2f6fd0}"
    ".stash.strong{stroke-opacity:.9}</style>\n";

/// Writes the document, with or without a focus.
class GraphSvg {
 public:
  GraphSvg(const Drawing& drawing, Colouring colouring, const std::optional<SvgFocus>& focus)
      : drawing_(drawing),
        colouring_(colouring),
        focus_(focus),
        frame_(focus ? focus->frame : drawing.bounds) {}

  std::string write(const std::string& title) const {
    // The title is never cut, because the peak is at its end.
    const double width = std::max({frame_.width, least_width, width_of_text(title, heading_size)});
    const Rect page = {frame_.x - margin, frame_.y - margin - header, width + 2 * margin,
                       frame_.height + 2 * margin + header};
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" + number(page.x) + " " +
           number(page.y) + " " + number(page.width) + " " + number(page.height) + "\">\n" + style +
           rect(page, " fill=\"#fbfbfc\"/>\n") +
           text({frame_.x, frame_.y - header}, title, "heading") + legend() + clipped(content()) +
           captions() + "</svg>\n";
  }

 private:
  /// With a focus, content outside of the frame must not cover the header.
  std::string clipped(const std::string& content) const {
    if (!focus_) return content;
    return "<clipPath id=\"frame\">" + rect(grown(frame_, margin), "/></clipPath>\n") +
           "<g clip-path=\"url(#frame)\">\n" + content + "</g>\n";
  }
  bool is_inside(const Rect& bounds) const {
    return !focus_ || bounds.intersects(grown(frame_, margin));
  }
  std::string look(bool is_clear) const { return is_clear ? "" : faded; }
  std::string look_of_box(std::size_t box) const {
    return look(!focus_ || focus_->clear.boxes[box]);
  }
  bool is_selected(std::size_t box) const { return focus_ && focus_->selected[box]; }
  /// The class of an edge between two boxes or of its arrow head, and its look.
  std::string look_of_edge(const std::string& kind, std::size_t edge) const {
    const DrawnEdge& drawn = drawing_.edges[edge];
    const bool is_strong = is_selected(drawn.from) || is_selected(drawn.to);
    return attribute("class", is_strong ? kind + " strong" : kind) +
           look(!focus_ || focus_->clear.edges[edge]);
  }
  std::string look_of_bundle(const StashBundle& bundle) const {
    const bool is_strong = is_selected(bundle.from) || is_selected(bundle.to);
    const bool is_clear =
        !focus_ || std::ranges::any_of(bundle.stash_edges, [this](std::uint32_t edge) {
          return focus_->clear.stash_edges[edge];
        });
    return attribute("class", is_strong ? "stash strong" : "stash") + look(is_clear);
  }

  std::string legend() const {
    const bool has_states = colouring_ == Colouring::stash;
    const double right = has_states ? 4 * state_width : legend_width;
    return "<g transform=\"translate(" + number(frame_.x) + "," + number(frame_.y - legend_height) +
           ")\">" + (has_states ? states_svg() : scale_svg(drawing_, colouring_)) +
           path(horizontal_curve({right + 40, 4}, {right + 80, 4}),
                " class=\"stash\" stroke-width=\"4\"/>") +
           text({right + 88, 8}, "stashed for backward", "detail") + "</g>\n";
  }

  /// The names of the two columns, above what the frame shows of them.
  std::string captions() const {
    constexpr std::array<const char*, 2> names = {"Forward ↓", "Backward ↑"};
    std::string svg;
    for (std::size_t side = 0; side < names.size(); ++side) {
      const Rect& column = drawing_.columns[side];
      const double left = std::max(column.x, frame_.x);
      const double right = std::min(column.right(), frame_.right());
      if (right <= left) continue;
      svg += caption({(left + right) / 2, std::max(column.y, frame_.y) - 10}, names[side]);
    }
    return svg;
  }

  /// With a focus, the name has a background, because edges that leave the frame may run behind it.
  std::string caption(Point middle, const char* name) const {
    const double width = width_of_text(name, title_size) + 12;
    const std::string ground =
        rect({middle.x - width / 2, middle.y - 13, width, 18}, " fill=\"#fbfbfc\" rx=\"4\"/>\n");
    return (focus_ ? ground : "") + "<text text-anchor=\"middle\"" +
           attribute("x", number(middle.x)) + attribute("y", number(middle.y)) +
           " class=\"caption\">" + name + "</text>\n";
  }

  std::string content() const { return boxes(true) + edges() + bundles() + boxes(false); }

  std::string boxes(bool are_open) const {
    std::string svg;
    for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
      const DrawnBox& each = drawing_.boxes[i];
      if (each.is_open() == are_open && is_inside(each.rect)) svg += box(i);
    }
    return svg;
  }

  std::string box(std::size_t index) const {
    const DrawnBox& box = drawing_.boxes[index];
    const Rect& r = box.rect;
    const std::string kind = is_selected(index) ? "selected" : box.is_open() ? "open" : "box";
    std::string svg = "<g" + look_of_box(index) + ">";
    if (!box.is_open()) svg += "<title>" + xml_escaped(box.title + " " + box.detail) + "</title>";
    svg += rect(r, attribute("class", kind) + " rx=\"4\"/>");
    svg += strip_svg(drawing_, box, colouring_);
    const double first_line =
        box.is_open() || !box.detail.empty() ? r.y + 18 : r.y + r.height / 2 + 4;
    svg += fitted_text(r, first_line, title_forms(box), "title", title_size);
    if (!box.detail.empty()) {
      svg += fitted_text(r, r.y + 34, detail_forms(box.detail), "detail", detail_size);
    }
    return svg + "</g>\n";
  }

  std::string edges() const {
    std::string svg;
    for (std::size_t i = 0; i < drawing_.edges.size(); ++i) {
      const DrawnEdge& edge = drawing_.edges[i];
      if (!is_inside(edge.bounds)) continue;
      svg += path(edge.curve, look_of_edge("edge", i) + "/>\n");
      svg += arrow_head(edge.curve, look_of_edge("head", i));
    }
    return svg;
  }

  std::string bundles() const {
    const ShownPart all = shown_part(drawing_, inner_heights(drawing_), 0);
    std::string svg;
    for (const StashBundle& each : all.bundles) {
      if (is_inside(each.bounds)) svg += bundle(each, all.bundles.front().bytes);
    }
    return svg;
  }

  std::string bundle(const StashBundle& bundle, std::int64_t most) const {
    if (bundle.is_turn) return path(bundle.curve, " class=\"edge\"/>\n");
    const std::string look = look_of_bundle(bundle);
    const double share =
        most > 0 ? static_cast<double>(bundle.bytes) / static_cast<double>(most) : 0;
    std::string svg =
        path(bundle.curve, look + attribute("stroke-width", number(1 + 7 * share)) + ">") +
        "<title>" + xml_escaped("stashed: " + format_bytes(bundle.bytes)) + "</title></path>\n";
    for (const Curve& twig : bundle.twigs) svg += path(twig, look + "/>\n");
    return svg;
  }

  const Drawing& drawing_;
  const Colouring colouring_;
  const std::optional<SvgFocus>& focus_;
  const Rect frame_;
};

}  // namespace

double svg_text_width(std::string_view text) { return width_of_text(text, title_size); }

std::string to_svg(const Drawing& drawing, const std::string& title, Colouring colouring,
                   const std::optional<SvgFocus>& focus) {
  return GraphSvg(drawing, colouring, focus).write(title);
}

}  // namespace stashscope::layout
