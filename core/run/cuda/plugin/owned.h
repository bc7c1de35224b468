#pragma once

#include <memory>
#include <type_traits>

namespace stashscope::cuda {

/// Gives back what a C library made, by a function of that library's.
template <class Handle, class Status>
struct HandleDeleter {
  Status (*destroy)(Handle) = nullptr;
  void operator()(Handle handle) const { destroy(handle); }
};

/// A handle (a pointer) of a C library that goes with its owner.
template <class Handle, class Status>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, HandleDeleter<Handle, Status>>;

}  // namespace stashscope::cuda
