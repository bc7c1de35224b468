#include "kernel_store.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
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

KernelStore::KernelStore(fs::path folder) : folder_(std::move(folder)) {
  fs::create_directories(folder_);
}

fs::path KernelStore::place_of(const std::string& origin) const {
  return folder_ / std::to_string(std::hash<std::string>()(origin));
}

void KernelStore::remember(const std::string& origin) const {
  const std::string place = place_of(origin).string();
  const std::string mine = place + "." + std::to_string(::getpid());
  std::ofstream(mine, std::ios::binary) << origin;
  fs::rename(mine, place + ".origin");
}

void KernelStore::once(const std::string& origin, const std::function<void()>& check) const {
  if (contents_of(place_of(origin).string() + ".origin") == origin) return;
  check();
  remember(origin);
}

void KernelStore::get(const std::string& origin, const fs::path& file,
                      const std::function<void()>& make) const {
  const fs::path stored = place_of(origin);
  // The origin is stored last, so where it is, the other file is complete.
  once(origin, [&] {
    make();
    const fs::path mine = stored.string() + "." + std::to_string(::getpid());
    fs::copy_file(file, mine, fs::copy_options::overwrite_existing);
    fs::rename(mine, stored);
  });
  if (!fs::exists(file)) fs::copy_file(stored, file);
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
