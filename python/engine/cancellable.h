#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <functional>
#include <future>

#include "core/base/progress.h"

namespace stashscope::python {

/// Handles the signals that came in, such as Ctrl+C. Returns whether one raised an exception, which
/// then is the current exception of Python.
bool has_raising_signal();

/// The result of `compute` on another thread. Other threads of Python go on meanwhile. When a
/// signal raises an exception, the computation is cancelled, and the exception is thrown after the
/// computation has ended. The caller must hold the lock of Python (GIL). `compute` must not use
/// Python.
template <class Result>
Result cancellable(const std::function<Result(const Progress&)>& compute) {
  constexpr std::chrono::milliseconds between_checks{50};
  const Progress progress;
  std::future<Result> result;
  bool is_interrupted = false;
  {
    const pybind11::gil_scoped_release released;
    result = std::async(std::launch::async, [&] { return compute(progress); });
    while (!is_interrupted && result.wait_for(between_checks) != std::future_status::ready) {
      const pybind11::gil_scoped_acquire held;
      is_interrupted = has_raising_signal();
    }
    if (is_interrupted) progress.cancel();
    result.wait();
  }
  if (is_interrupted) throw pybind11::error_already_set();
  return result.get();
}

}  // namespace stashscope::python
