#include "core/study/files/step_bundle.h"

#include <map>

namespace stashscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* session_name = "session";
const fs::path model_folder = "model";

void add_data(const Graph& graph, std::map<std::string, fs::path>& files) {
  const auto add = [&](const Tensor& tensor) {
    const ExternalData* const data = tensor.external_data();
    if (data != nullptr) files.try_emplace(data->location, data->file);
  };
  for (const Initializer& each : graph.data().initializers) add(each.tensor);
  for (const Node& node : graph.nodes()) {
    for (const auto& [name, value] : node.attributes.items()) {
      if (const auto* const tensor = std::get_if<Tensor>(&value)) add(*tensor);
      if (const auto* const inner = std::get_if<Subgraph>(&value)) add_data(**inner, files);
    }
  }
}

}  // namespace

FileBundle bundle_step(const Session& session, const Graph& model) {
  std::map<std::string, fs::path> files;
  add_data(model, files);
  const fs::path name = session.model.filename();
  Session there = session;
  // `session_text` turns this absolute path into a path relative to the folder of the session.
  there.model = fs::absolute(model_folder / name);
  FileBundle bundle;
  bundle.add_text(session_name, session_text(there, fs::current_path()));
  bundle.add_file((model_folder / name).string(), session.model);
  for (const auto& [location, file] : files) {
    bundle.add_file((model_folder / location).string(), file);
  }
  return bundle;
}

ReceivedStep::ReceivedStep(std::istream& stream) { unpack_bundle(stream, folder_.path()); }

fs::path ReceivedStep::session() const { return folder_.path() / session_name; }

}  // namespace stashscope
