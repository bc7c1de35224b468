#include "core/snapshot/snapshot_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/snapshot/pickle_reader.h"
#include "core/snapshot/snapshot_reader.h"

namespace stashscope {

namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{256} << 20;
constexpr std::int64_t most_memory_bytes = std::int64_t{400} << 20;

MemorySnapshot read_snapshot(std::istream& stream, std::int64_t bytes) {
  MemoryBudget budget(most_memory_bytes);
  const PickleDocument document = read_pickle(stream, bytes, budget);
  return snapshot_in(document, budget);
}

std::int64_t size_of(const std::filesystem::path& path) {
  std::error_code fault;
  const bool is_file = std::filesystem::is_regular_file(path, fault);
  const std::uintmax_t bytes = is_file ? std::filesystem::file_size(path, fault) : 0;
  if (!is_file || fault) fail_input(printable(path.string()), "is not a file that can be read");
  if (bytes > static_cast<std::uintmax_t>(most_file_bytes)) {
    fail_input(printable(path.string()),
               "has more than " + format_bytes(most_file_bytes) + ", more than a snapshot may have",
               "record fewer events with the argument max_entries of "
               "torch.cuda.memory._record_memory_history");
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

bool is_snapshot_file(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault)) return false;
  const std::string extension = path.extension().string();
  if (extension == ".pickle" || extension == ".pkl") return true;
  std::ifstream file(path, std::ios::binary);
  const int mark = file.get();
  const int protocol = file.get();
  return mark == 0x80 && protocol >= 2 && protocol <= 5;
}

MemorySnapshot load_snapshot(const std::filesystem::path& path) {
  const std::int64_t bytes = size_of(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_input(printable(path.string()), "cannot be read");
  try {
    return read_snapshot(file, bytes);
  } catch (const Error& error) {
    throw error.within(printable(path.string()));
  }
}

MemorySnapshot parse_snapshot(const std::string& pickle) {
  std::istringstream stream(pickle);
  return read_snapshot(stream, static_cast<std::int64_t>(pickle.size()));
}

}  // namespace stashscope
