#pragma once

#include <QString>
#include <functional>
#include <optional>

#include "core/base/error.h"

namespace stashscope::ui {

/// An exception as the interface shows it: it never travels through Qt's event loop.
struct Failure {
  ErrorKind kind = ErrorKind::input;
  QString message;  ///< file or node, reason and what to do, on one line
};

/// Runs `body`; what it throws comes back as a value.
std::optional<Failure> failure_of(const std::function<void()>& body);

}  // namespace stashscope::ui
