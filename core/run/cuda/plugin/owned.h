#pragma once

#include <memory>
#include <type_traits>

namespace stashscope::cuda {

/// Destroys a handle with a function of the C library that made it.
template <class Handle, class Status>
struct HandleDeleter {
  Status (*destroy)(Handle) = nullptr;
  void operator()(Handle handle) const { destroy(handle); }
};

/// Owns a handle (a pointer) of a C library and destroys it.
template <class Handle, class Status>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, HandleDeleter<Handle, Status>>;

}  // namespace stashscope::cuda
