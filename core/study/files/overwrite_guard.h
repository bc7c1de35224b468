#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// The files that no output may overwrite: inputs, and outputs that were claimed before.
class OverwriteGuard {
 public:
  /// @param what describes the file in messages, such as `the model`
  void add(const std::filesystem::path& path, const std::string& what);
  /// Adds a model's own file and its external data files.
  void add_model(const std::filesystem::path& path, const Graph& model);
  void add_session(const std::filesystem::path& path);

  /// Reserves a path for an output. Throws a usage Error if the path is taken.
  /// @param where the option or path that the user gave
  /// @param what describes the output in messages
  void claim(const std::string& where, const std::filesystem::path& path, const std::string& what);
  /// Claims both files that `save_model` may write: the model and its external data.
  void claim_model(const std::string& where, const std::filesystem::path& path,
                   const std::string& what);

  /// Claims the file of a session. A session may be saved into the file that it was read from.
  void claim_session(const std::string& where, const std::filesystem::path& path);

 private:
  void add_tensors(const Graph& graph);

  std::map<std::filesystem::path, std::string> files_;
};

}  // namespace stashscope
