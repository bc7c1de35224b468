#include "kernel_store.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/run/cuda/execute/plugin_loader.h"

namespace stashscope::testing_run {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

namespace {

/// Files that no test has made for so long are of texts that are no longer compiled.
constexpr auto longest_age = std::chrono::days(7);

void remove_old_files(const fs::path& folder) {
  const auto oldest = fs::file_time_type::clock::now() - longest_age;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    std::error_code ignored;  // another test may have removed it
    if (fs::last_write_time(file, ignored) < oldest) fs::remove(file, ignored);
  }
}

/// A name beside the place that no other process or thread uses.
fs::path own_name(const fs::path& place) {
  const auto thread = std::hash<std::thread::id>()(std::this_thread::get_id());
  return place.string() + "." + std::to_string(::getpid()) + "." + std::to_string(thread);
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) fail_run(file.string(), "cannot be written");
}

}  // namespace

KernelStore::KernelStore(fs::path folder) : folder_(std::move(folder)) {
  fs::create_directories(folder_);
  remove_old_files(folder_);
}

fs::path KernelStore::place_of(const std::string& origin) const {
  return folder_ / std::to_string(std::hash<std::string>()(origin));
}

bool KernelStore::remembers(const std::string& origin) const {
  return contents_of(place_of(origin).string() + ".origin") == origin;
}

void KernelStore::remember(const std::string& origin) const {
  const fs::path place = place_of(origin);
  const fs::path mine = own_name(place);
  write_file(mine, origin);
  fs::rename(mine, place.string() + ".origin");
}

void KernelStore::once(const std::string& origin, const std::function<void()>& check) const {
  if (remembers(origin)) return;
  check();
  remember(origin);
}

void KernelStore::get(const std::string& origin, const fs::path& file,
                      const std::function<void()>& make) const {
  const fs::path stored = place_of(origin);
  // The origin is stored last, so where both are, the stored file is complete.
  if (remembers(origin) && fs::exists(stored)) {
    fs::copy_file(stored, file, fs::copy_options::overwrite_existing);
    return;
  }
  make();
  const fs::path mine = own_name(stored);
  fs::copy_file(file, mine, fs::copy_options::overwrite_existing);
  fs::rename(mine, stored);
  remember(origin);
}

const KernelStore& kernel_store() {
  static const KernelStore store(STASHSCOPE_KERNELS);
  return store;
}

void require_device_code(const std::string& text, const std::vector<std::string>& entries,
                         int architecture) {
  const cuda::PluginInterface* const plugin = cuda::installed_plugin().functions;
  if (plugin == nullptr) return;
  std::string origin = "for devices " STASHSCOPE_CUDA_VERSION " " + std::to_string(architecture) +
                       "\n" + contents_of(STASHSCOPE_KERNEL_COMPILER) + text;
  for (const std::string& entry : entries) origin += "\n" + entry;
  kernel_store().once(origin, [&] {
    for (const std::string& image : plugin->compile(text, entries, architecture)) {
      if (image.empty()) fail_run("", "CUDA's compiler made nothing of a kernel");
    }
  });
}

}  // namespace stashscope::testing_run
