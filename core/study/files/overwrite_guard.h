#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// Files that nothing may be written over: what was read, and what was written before.
class OverwriteGuard {
 public:
  /// @param what it is, for the message: `the model`
  void add(const std::filesystem::path& path, const std::string& what);
  /// A model's own file and those that hold its tensors.
  void add_model(const std::filesystem::path& path, const Graph& model);
  void add_session(const std::filesystem::path& path);

  /// Takes a place to write to. Throws a usage Error when it is taken.
  /// @param where the option or path as the user knows it, @param what as for `add`
  void claim(const std::string& where, const std::filesystem::path& path, const std::string& what);
  /// The same for the two files that `save_model` may write.
  void claim_model(const std::string& where, const std::filesystem::path& path,
                   const std::string& what);

  /// A session may be saved into itself.
  void claim_session(const std::string& where, const std::filesystem::path& path);

 private:
  void add_tensors(const Graph& graph);

  std::map<std::filesystem::path, std::string> files_;
};

}  // namespace stashscope
