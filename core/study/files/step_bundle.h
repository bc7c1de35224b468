#pragma once

#include <filesystem>
#include <istream>

#include "core/process/file_bundle.h"
#include "core/process/temporary_folder.h"
#include "core/study/files/session.h"

namespace stashscope {

/// What the worker is given instead of a file when the step comes over its standard input.
constexpr const char* bundled_step = "-";

/// A session with its model and all that the model's data lies in. Throws an input Error for files
/// that cannot be read, and for data outside of the model's folder.
FileBundle bundle_step(const Session& session, const Graph& model);

/// A step that came over a stream, in a temporary folder that goes with this object or its
/// process.
class ReceivedStep {
 public:
  /// Reads the stream to its end. Throws an input Error when it holds no step.
  explicit ReceivedStep(std::istream& stream);

  std::filesystem::path session() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace stashscope
