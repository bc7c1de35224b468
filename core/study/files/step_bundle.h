#pragma once

#include <filesystem>
#include <istream>

#include "core/process/file_bundle.h"
#include "core/process/temporary_folder.h"
#include "core/study/files/session.h"

namespace stashscope {

/// The file argument with which the worker reads the step from its standard input.
constexpr const char* bundled_step = "-";

/// A session with its model and the model's external data files. Throws an input Error for files
/// that cannot be read, and for data outside of the model's folder.
FileBundle bundle_step(const Session& session, const Graph& model);

/// A step that was received over a stream, in a temporary folder. The folder is removed with this
/// object or when the process ends.
class ReceivedStep {
 public:
  /// Reads the stream to its end. Throws an input Error if the stream holds no valid file bundle.
  explicit ReceivedStep(std::istream& stream);

  std::filesystem::path session() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace stashscope
