#include "core/study/exports/buffer_places.h"

#include "core/base/text.h"
#include "core/study/choices/node_names.h"

namespace stashscope {

namespace {

/// The kind under which exports list workspace, because it belongs to no tensor of the step.
constexpr std::string_view unknown_kind = "unknown";

/// The dotted names of a module and of the modules around it, from the inside out.
std::vector<std::string> dotted_names(const std::vector<std::string>& scope) {
  std::vector<std::string> names;
  for (std::size_t parts = scope.size(); parts > 0; --parts) {
    names.push_back(join({scope.begin(), scope.begin() + static_cast<std::ptrdiff_t>(parts)}, "."));
  }
  return names;
}

}  // namespace

BufferPlaces::BufferPlaces(const Study& study, SnapshotNames& names)
    : study_(study),
      names_(names),
      homes_(tensor_homes(study, *study.current)),
      places_(study.current->timeline.buffers.size()) {}

const NodeOrigin* BufferPlaces::origin_of(NodeId node) const {
  const auto known = [&](NodeId id) {
    const NodeOrigin* const origin = id.valid() ? study_.graph().node(id).origin.get() : nullptr;
    return origin != nullptr && !origin->file.empty() ? origin : nullptr;
  };
  const NodeOrigin* const own = known(node);
  return own != nullptr ? own : known(homes_.modules.partner[node]);
}

BufferPlaces::Place BufferPlaces::place_of(NodeId node, std::string_view kind) {
  Place place{{}, {}, names_.add_text(kind)};
  if (!node.valid()) return place;
  const NodeOrigin* const origin = origin_of(node);
  const SnapshotTextId no_file = names_.add_text("");
  std::vector<SnapshotFrameId> frames = {
      names_.add_frame({origin == nullptr ? no_file : names_.add_text(to_valid_utf8(origin->file)),
                        origin == nullptr ? 0 : origin->line,
                        names_.add_text(to_valid_utf8(
                            shown_name(study_.graph(), study_.current->dataflow, node)))})};
  for (const std::string& each : dotted_names(homes_.modules.scope[node])) {
    const SnapshotTextId name = names_.add_text(to_valid_utf8(each));
    if (!place.module.valid()) place.module = name;
    frames.push_back(names_.add_frame({no_file, 0, name}));
  }
  place.stack = names_.add_stack(frames);
  return place;
}

const BufferPlaces::Place& BufferPlaces::of(BufferId buffer) {
  std::optional<Place>& place = places_[buffer];
  if (!place) place = place_of(homes_.node[buffer], name_of(homes_.band[buffer]));
  return *place;
}

BufferPlaces::Place BufferPlaces::of_workspace(std::size_t slot) {
  const Variant& variant = *study_.current;
  return place_of(variant.dataflow.origin(variant.timeline.order[slot]), unknown_kind);
}

}  // namespace stashscope
