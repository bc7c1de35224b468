#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace stashscope {

/// Files packed one after the other into a stream of bytes, for another machine.
class FileBundle {
 public:
  /// Throws an input Error for a name outside the target folder.
  /// @param name path in the target folder, relative, without `..`
  void add_text(const std::string& name, std::string text);
  /// Like `add_text`; also throws an input Error if the file cannot be read.
  void add_file(const std::string& name, const std::filesystem::path& file);

  /// The stream, as views into this object.
  std::vector<std::string_view> pieces() const;

 private:
  struct Entry {
    std::string header;
    std::string text;
    std::shared_ptr<const MappedFile> file;  ///< null: `text` has the contents
  };

  void add(const std::string& name, std::size_t bytes, Entry entry);

  std::vector<Entry> entries_;
};

/// Writes the files of a bundle into a folder. Throws an input Error if the stream ends too early,
/// is not a bundle or names a path outside the folder, or if a file cannot be written.
void unpack_bundle(std::istream& stream, const std::filesystem::path& folder);

}  // namespace stashscope
