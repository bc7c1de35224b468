#include "core/base/shared_library.h"

#include <dlfcn.h>

#include "core/base/error.h"

namespace stashscope {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      failure_.clear();
      return;
    }
    const char* const reason = ::dlerror();
    if (failure_.empty() && reason != nullptr) failure_ = reason;
  }
}

void* SharedLibrary::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

void* SharedLibrary::required_symbol(const char* name) const {
  void* const found = symbol(name);
  if (found == nullptr) fail_run(printable(name_), std::string("has no function '") + name + "'");
  return found;
}

}  // namespace stashscope
