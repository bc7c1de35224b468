#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stashscope::testing_run {

/// The bytes of a file; empty if there is none.
std::string contents_of(const std::filesystem::path& file);

/// What earlier tests compiled, in a folder that the tests of all builds share. Compiling kernels
/// takes most of the time of a test, and many tests compile the same text.
class KernelStore {
 public:
  /// Removes what is older than a week.
  /// @param folder is made if it does not exist
  explicit KernelStore(std::filesystem::path folder);

  /// Makes the file, or copies the one that was made for an equal `origin`. Tests that run at the
  /// same time may make the same file; each file is complete as soon as it is there.
  /// @param origin all that the file's contents depend on
  void get(const std::string& origin, const std::filesystem::path& file,
           const std::function<void()>& make) const;
  /// Runs a check that throws when it fails, unless the same check has passed before.
  /// @param origin all that the check depends on
  void once(const std::string& origin, const std::function<void()>& check) const;

 private:
  std::filesystem::path place_of(const std::string& origin) const;
  bool remembers(const std::string& origin) const;
  void remember(const std::string& origin) const;

  std::filesystem::path folder_;
};

/// The store that the tests of this machine use.
const KernelStore& kernel_store();

/// Throws if CUDA's compiler, where it is installed, refuses the text.
/// @param architecture compute capability, such as 90
void require_device_code(const std::string& text, const std::vector<std::string>& entries,
                         int architecture);

}  // namespace stashscope::testing_run
