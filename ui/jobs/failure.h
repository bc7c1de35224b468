#pragma once

#include <QString>
#include <functional>
#include <optional>

#include "core/base/error.h"

namespace stashscope::ui {

/// An exception as a value, because exceptions must not pass through Qt's event loop.
struct Failure {
  ErrorKind kind = ErrorKind::input;
  /// The reason and, where they are known, the file or node and what to do.
  QString message;
};

/// Runs `body` and returns the exception that `body` throws; empty if it throws none.
std::optional<Failure> failure_of(const std::function<void()>& body);

}  // namespace stashscope::ui
