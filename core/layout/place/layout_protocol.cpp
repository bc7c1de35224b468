#include "core/layout/place/layout_protocol.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace stashscope::layout {

namespace {

using nlohmann::json;
using Items = json::array_t;

constexpr const char* request_format = "stashscope-layout-request-2";
constexpr const char* result_format = "stashscope-layout-result-2";
/// Limits on the contents of a message, far above those of real pictures.
constexpr std::size_t most_items = 1'000'000;
constexpr double farthest = 1e9;
constexpr int deepest = 8;

[[noreturn]] void fail() { fail_run("", "a message to or from the layout process is unreadable"); }

/// Nested brackets take many times more memory when parsed than as text. Strings in valid messages
/// contain no brackets, so counting characters gives the depth.
bool is_nested_too_deeply(std::string_view text) {
  int depth = 0;
  for (const char each : text) {
    if (each == '[' || each == '{') ++depth;
    if (each == ']' || each == '}') --depth;
    if (depth > deepest) return true;
  }
  return false;
}

/// The values of the members `keys`, in the order of `keys`. Fails unless the object has exactly
/// these members.
template <std::size_t count>
std::array<const json*, count> members(const json& object, const char* const (&keys)[count]) {
  if (!object.is_object() || object.size() != count) fail();
  std::array<const json*, count> found{};
  for (std::size_t i = 0; i < count; ++i) {
    const auto member = object.find(keys[i]);
    if (member == object.end()) fail();
    found[i] = &*member;
  }
  return found;
}

const Items& items(const json& list) {
  if (!list.is_array() || list.size() > most_items) fail();
  return list.get_ref<const Items&>();
}

const Items& items(const json& list, std::size_t count) {
  const Items& found = items(list);
  if (found.size() != count) fail();
  return found;
}

double real(const json& value) {
  if (!value.is_number()) fail();
  const auto number = value.get<double>();
  if (std::abs(number) > farthest) fail();
  return number;
}

double length(const json& value) {
  const double number = real(value);
  if (number < 0) fail();
  return number;
}

/// An index below `limit`; fails for any other value.
std::uint32_t index(const json& value, std::size_t limit) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= limit) fail();
  return value.get<std::uint32_t>();
}

/// An index below `limit`; null in the message gives `none`.
std::uint32_t index_or(std::uint32_t none, const json& value, std::size_t limit) {
  return value.is_null() ? none : index(value, limit);
}

json index_json(std::uint32_t index, std::uint32_t none) {
  return index == none ? json() : json(index);
}

json column_json(const LayoutColumn& column) {
  Items boxes;
  for (const LayoutBox& box : column.boxes) {
    boxes.push_back({box.size.width, box.size.height, index_json(box.inner, no_level)});
  }
  Items edges;
  for (const LayoutEdge& edge : column.edges) {
    edges.push_back({index_json(edge.from, outside), index_json(edge.to, outside)});
  }
  return {{"boxes", std::move(boxes)}, {"edges", std::move(edges)}};
}

LayoutColumn read_column(const json& object, std::size_t level) {
  const auto [boxes, edges] = members(object, {"boxes", "edges"});
  LayoutColumn column;
  for (const json& each : items(*boxes)) {
    const Items& box = items(each, 3);
    column.boxes.push_back({{length(box[0]), length(box[1])}, index_or(no_level, box[2], level)});
  }
  const std::size_t count = column.boxes.size();
  for (const json& each : items(*edges)) {
    const Items& edge = items(each, 2);
    column.edges.push_back({index_or(outside, edge[0], count), index_or(outside, edge[1], count)});
  }
  return column;
}

LayoutLevel read_level(const json& object, std::size_t position) {
  const auto [forward, backward, partners] = members(object, {"forward", "backward", "partners"});
  LayoutLevel level;
  level.forward = read_column(*forward, position);
  level.backward = read_column(*backward, position);
  for (const json& each : items(*partners)) {
    const Items& pair = items(each, 2);
    level.partners.push_back(
        {index(pair[0], level.forward.boxes.size()), index(pair[1], level.backward.boxes.size())});
  }
  return level;
}

json placed_json(const PlacedColumn& column) {
  Items boxes;
  for (const Rect& box : column.boxes) boxes.push_back({box.x, box.y, box.width, box.height});
  Items curves;
  for (const Curve& curve : column.curves) {
    Items coordinates;
    coordinates.reserve(2 * curve.size());
    for (const Point& p : curve) {
      coordinates.emplace_back(p.x);
      coordinates.emplace_back(p.y);
    }
    curves.emplace_back(std::move(coordinates));
  }
  return {{"width", column.width}, {"boxes", std::move(boxes)}, {"curves", std::move(curves)}};
}

Curve read_curve(const json& list) {
  const Items& coordinates = items(list);
  if (!coordinates.empty() && coordinates.size() % 6 != 2) fail();  // 1 + 3n points
  Curve curve;
  curve.reserve(coordinates.size() / 2);
  for (std::size_t i = 0; i < coordinates.size(); i += 2) {
    curve.push_back({real(coordinates[i]), real(coordinates[i + 1])});
  }
  return curve;
}

PlacedColumn read_placed(const json& object, const LayoutColumn& asked) {
  const auto [width, boxes, curves] = members(object, {"width", "boxes", "curves"});
  PlacedColumn column;
  column.width = length(*width);
  for (const json& each : items(*boxes, asked.boxes.size())) {
    const Items& box = items(each, 4);
    column.boxes.push_back({real(box[0]), real(box[1]), length(box[2]), length(box[3])});
  }
  for (const json& each : items(*curves, asked.edges.size())) {
    column.curves.push_back(read_curve(each));
  }
  return column;
}

PlacedLevel read_placed(const json& object, const LayoutLevel& asked) {
  const auto [height, forward, backward] = members(object, {"height", "forward", "backward"});
  return {read_placed(*forward, asked.forward), read_placed(*backward, asked.backward),
          length(*height)};
}

std::string message(const char* format, Items levels) {
  return json({{"format", format}, {"levels", std::move(levels)}}).dump() + "\n";
}

/// The levels of a message whose format is `format`; fails for any other message.
Items levels_of(std::string_view text, const char* format) {
  if (is_nested_too_deeply(text)) fail();
  json object = json::parse(text, nullptr, false);
  const auto [found, levels] = members(object, {"format", "levels"});
  if (*found != format) fail();
  items(*levels);
  return std::move(object["levels"].get_ref<Items&>());
}

}  // namespace

std::string to_text(const LayoutRequest& request) {
  Items levels;
  for (const LayoutLevel& level : request.levels) {
    Items partners;
    for (const LayoutEdge& pair : level.partners) partners.push_back({pair.from, pair.to});
    levels.push_back({{"forward", column_json(level.forward)},
                      {"backward", column_json(level.backward)},
                      {"partners", std::move(partners)}});
  }
  return message(request_format, std::move(levels));
}

std::string to_text(const LayoutResult& result) {
  Items levels;
  for (const PlacedLevel& level : result.levels) {
    levels.push_back({{"height", level.height},
                      {"forward", placed_json(level.forward)},
                      {"backward", placed_json(level.backward)}});
  }
  return message(result_format, std::move(levels));
}

LayoutRequest parse_request(std::string_view text) {
  LayoutRequest request;
  for (const json& each : levels_of(text, request_format)) {
    request.levels.push_back(read_level(each, request.levels.size()));
  }
  return request;
}

LayoutResult parse_result(std::string_view text, const LayoutRequest& request) {
  const Items levels = levels_of(text, result_format);
  if (levels.size() != request.levels.size()) fail();
  LayoutResult result;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    result.levels.push_back(read_placed(levels[i], request.levels[i]));
  }
  return result;
}

}  // namespace stashscope::layout
