#include "core/run/cpu/execute/node_errors.h"

#include "core/base/error.h"

namespace stashscope::cpu {

void with_node_in_errors(const std::function<std::string()>& name,
                         const std::function<void()>& work) {
  try {
    work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(name(), error.reason(), error.available_bytes(), error.hint());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    throw Error(ErrorKind::run, name(), error.what());
  }
}

}  // namespace stashscope::cpu
