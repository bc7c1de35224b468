#include "core/layout/place/child.h"

#include <istream>
#include <iterator>
#include <ostream>

#include "core/layout/place/graphviz.h"
#include "core/layout/place/lanes.h"
#include "core/layout/place/layout_protocol.h"
#include "core/process/run_child.h"

namespace stashscope::layout {

namespace {

/// Limit on the bytes of a reply, about ten times what the largest picture needs.
constexpr std::size_t most_reply = std::size_t{32} << 20;

}  // namespace

void serve_layout(std::istream& in, std::ostream& out) {
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Placer placer = remembering(with_lanes(graphviz_placer()));
  out << to_text(place(parse_request(text), placer)) << std::flush;
}

LayoutResult place_in_child(const std::filesystem::path& program, const LayoutRequest& request,
                            const Progress& progress, std::chrono::milliseconds limit) {
  std::string reply;
  const auto keep = [&](const std::string& line) { reply += line + "\n"; };
  run_child(program, {child_option}, keep, progress, to_text(request), {limit, most_reply});
  return parse_result(reply, request);
}

}  // namespace stashscope::layout
