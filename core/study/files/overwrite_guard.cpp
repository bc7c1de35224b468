#include "core/study/files/overwrite_guard.h"

#include "core/base/error.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* the_session = "the session";

/// A normal form of `path`: paths that lead to the same file have the same normal form.
fs::path comparable(const fs::path& path) {
  std::error_code unknown;
  const auto resolved = fs::weakly_canonical(fs::absolute(path), unknown);
  return unknown ? path : resolved;
}

}  // namespace

void OverwriteGuard::add(const fs::path& path, const std::string& what) {
  files_.try_emplace(comparable(path), what);
}

void OverwriteGuard::add_model(const fs::path& path, const Graph& model) {
  add(path, "the model");
  add_tensors(model);
}

void OverwriteGuard::add_session(const fs::path& path) { add(path, the_session); }

void OverwriteGuard::add_tensors(const Graph& graph) {
  const auto add_tensor = [&](const Tensor& tensor) {
    if (tensor.external_data() != nullptr) add(tensor.external_data()->file, "the model's data");
  };
  for (const Initializer& each : graph.data().initializers) add_tensor(each.tensor);
  for (const Node& node : graph.nodes()) {
    for (const auto& [name, value] : node.attributes.items()) {
      if (const auto* const tensor = std::get_if<Tensor>(&value)) add_tensor(*tensor);
      if (const auto* const inner = std::get_if<Subgraph>(&value)) add_tensors(**inner);
    }
  }
}

void OverwriteGuard::claim(const std::string& where, const fs::path& path,
                           const std::string& what) {
  const auto [other, is_free] = files_.try_emplace(comparable(path), what);
  if (!is_free) fail_usage(where, "would overwrite " + other->second, "name another file");
}

void OverwriteGuard::claim_session(const std::string& where, const fs::path& path) {
  const auto taken = files_.find(comparable(path));
  if (taken == files_.end() || taken->second != the_session) claim(where, path, the_session);
}

void OverwriteGuard::claim_model(const std::string& where, const fs::path& path,
                                 const std::string& what) {
  claim(where, path, what);
  fs::path data = path;
  data += ".data";
  claim(where + ": the data file " + printable(data.string()), data, "the data of " + what);
}

}  // namespace stashscope
