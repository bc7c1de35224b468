#pragma once

#include <memory>
#include <type_traits>

namespace stashscope::cuda {

/// Destroys a handle by a function of its C library.
template <class Handle, class Status>
struct HandleDeleter {
  Status (*destroy)(Handle) = nullptr;
  void operator()(Handle handle) const { destroy(handle); }
};

/// A handle (a pointer) of a C library, destroyed with its owner.
template <class Handle, class Status>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, HandleDeleter<Handle, Status>>;

}  // namespace stashscope::cuda
