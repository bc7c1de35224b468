#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace stashscope {

/// Files on their way to another machine, one after the other in a stream of bytes.
class FileBundle {
 public:
  /// @param name relative, without `..`: where the file comes to lie
  void add_text(const std::string& name, std::string text);
  /// Throws an input Error when the file cannot be read.
  void add_file(const std::string& name, const std::filesystem::path& file);

  /// The stream. Views of this object, which owns what they show.
  std::vector<std::string_view> pieces() const;

 private:
  struct Entry {
    std::string header;
    std::string text;
    std::shared_ptr<const MappedFile> file;  ///< instead of a text; may be null
  };

  void add(const std::string& name, std::size_t bytes, Entry entry);

  std::vector<Entry> entries_;
};

/// Writes the files of such a stream into a folder. Throws an input Error when the stream ends too
/// early, is none, or names a place outside of the folder.
void unpack_bundle(std::istream& stream, const std::filesystem::path& folder);

}  // namespace stashscope
