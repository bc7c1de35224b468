#include "core/layout/place/layout_protocol.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope::layout {

namespace {

constexpr std::string_view request_mark = "stashscope-layout-request-1";
constexpr std::string_view result_mark = "stashscope-layout-result-1";
constexpr std::string_view end_mark = "end";
/// No honest request comes near; a broken one must not make us allocate without bound.
constexpr std::size_t most_items = 1'000'000;
constexpr double farthest = 1e9;

class Writer {
 public:
  explicit Writer(std::string_view mark) : text_(mark) { text_ += '\n'; }

  void count(std::size_t number) { word(std::to_string(number)); }
  void index(std::uint32_t number) { word(std::to_string(number)); }
  void real(double number) { word(format_number(number)); }
  void point(Point p) {
    real(p.x);
    real(p.y);
  }
  void line_end() { text_.back() = '\n'; }
  std::string finish() { return text_ + std::string(end_mark) + "\n"; }

 private:
  void word(const std::string& word) {
    text_ += word;
    text_ += ' ';
  }
  std::string text_;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view mark) : rest_(text) {
    if (word() != mark) fail();
  }

  std::size_t count() {
    const std::size_t number = parsed<std::size_t>();
    if (number > most_items) fail();
    return number;
  }
  /// A number below `limit`.
  std::uint32_t index(std::size_t limit) {
    const auto number = parsed<std::uint32_t>();
    if (number >= limit) fail();
    return number;
  }
  std::uint32_t index_or(std::uint32_t special, std::size_t limit) {
    const auto number = parsed<std::uint32_t>();
    if (number >= limit && number != special) fail();
    return number;
  }
  double real() {
    const auto number = parsed<double>();
    if (!(std::abs(number) <= farthest)) fail();  // NaN too
    return number;
  }
  double length() {
    const double number = real();
    if (number < 0) fail();
    return number;
  }
  Point point() {
    const double x = real();
    return {x, real()};
  }
  void expect(std::size_t number) {
    if (count() != number) fail();
  }
  void finish() {
    if (word() != end_mark || rest_.find_first_not_of(" \n") != std::string_view::npos) fail();
  }
  [[noreturn]] static void fail() { fail_run("", "the layout process sent something unreadable"); }

 private:
  std::string_view word() {
    const std::size_t first = rest_.find_first_not_of(" \n");
    if (first == std::string_view::npos) fail();
    const std::size_t last = std::min(rest_.find_first_of(" \n", first), rest_.size());
    const std::string_view found = rest_.substr(first, last - first);
    rest_.remove_prefix(last);
    return found;
  }

  template <class Number>
  Number parsed() {
    const std::string_view text = word();
    Number number{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || end != text.data() + text.size()) fail();
    return number;
  }

  std::string_view rest_;
};

void write(Writer& out, const LayoutColumn& column) {
  out.count(column.boxes.size());
  out.count(column.edges.size());
  out.line_end();
  for (const LayoutBox& box : column.boxes) {
    out.point({box.size.width, box.size.height});
    out.index(box.inner);
    out.line_end();
  }
  for (const LayoutEdge& edge : column.edges) {
    out.index(edge.from);
    out.index(edge.to);
    out.line_end();
  }
}

LayoutColumn read_column(Reader& in, std::size_t level) {
  LayoutColumn column;
  const std::size_t boxes = in.count();
  const std::size_t edges = in.count();
  for (std::size_t i = 0; i < boxes; ++i) {
    const double width = in.length();
    const double height = in.length();
    column.boxes.push_back({{width, height}, in.index_or(no_level, level)});
  }
  for (std::size_t i = 0; i < edges; ++i) {
    const std::uint32_t from = in.index_or(outside, boxes);
    column.edges.push_back({from, in.index_or(outside, boxes)});
  }
  return column;
}

void write(Writer& out, const PlacedColumn& column) {
  out.real(column.width);
  out.count(column.boxes.size());
  out.count(column.curves.size());
  out.line_end();
  for (const Rect& box : column.boxes) {
    out.point({box.x, box.y});
    out.point({box.width, box.height});
    out.line_end();
  }
  for (const Curve& curve : column.curves) {
    out.count(curve.size());
    for (const Point& p : curve) out.point(p);
    out.line_end();
  }
}

PlacedColumn read_placed(Reader& in, const LayoutColumn& asked) {
  PlacedColumn column;
  column.width = in.length();
  in.expect(asked.boxes.size());
  in.expect(asked.edges.size());
  for (std::size_t i = 0; i < asked.boxes.size(); ++i) {
    const Point corner = in.point();
    const double width = in.length();
    column.boxes.push_back({corner.x, corner.y, width, in.length()});
  }
  for (std::size_t i = 0; i < asked.edges.size(); ++i) {
    Curve curve(in.count());
    if (!curve.empty() && curve.size() % 3 != 1) Reader::fail();
    for (Point& p : curve) p = in.point();
    column.curves.push_back(std::move(curve));
  }
  return column;
}

}  // namespace

std::string to_text(const LayoutRequest& request) {
  Writer out(request_mark);
  out.count(request.levels.size());
  out.line_end();
  for (const LayoutLevel& level : request.levels) {
    write(out, level.forward);
    write(out, level.backward);
    out.count(level.partners.size());
    for (const LayoutEdge& pair : level.partners) {
      out.index(pair.from);
      out.index(pair.to);
    }
    out.line_end();
  }
  return out.finish();
}

std::string to_text(const LayoutResult& result) {
  Writer out(result_mark);
  out.count(result.levels.size());
  out.line_end();
  for (const PlacedLevel& level : result.levels) {
    out.real(level.height);
    write(out, level.forward);
    write(out, level.backward);
  }
  return out.finish();
}

LayoutRequest parse_request(std::string_view text) {
  Reader in(text, request_mark);
  LayoutRequest request;
  const std::size_t levels = in.count();
  for (std::size_t i = 0; i < levels; ++i) {
    LayoutLevel level;
    level.forward = read_column(in, i);
    level.backward = read_column(in, i);
    const std::size_t partners = in.count();
    for (std::size_t k = 0; k < partners; ++k) {
      const std::uint32_t from = in.index(level.forward.boxes.size());
      level.partners.push_back({from, in.index(level.backward.boxes.size())});
    }
    request.levels.push_back(std::move(level));
  }
  in.finish();
  return request;
}

LayoutResult parse_result(std::string_view text, const LayoutRequest& request) {
  Reader in(text, result_mark);
  LayoutResult result;
  in.expect(request.levels.size());
  for (const LayoutLevel& asked : request.levels) {
    PlacedLevel level;
    level.height = in.length();
    level.forward = read_placed(in, asked.forward);
    level.backward = read_placed(in, asked.backward);
    result.levels.push_back(std::move(level));
  }
  in.finish();
  return result;
}

}  // namespace stashscope::layout
