#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace stashscope::test {

/// What the Error says that `action` throws, which must be of this kind; "accepted" without one.
template <typename Action>
std::string refusal(ErrorKind kind, const Action& action) {
  try {
    action();
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
}

}  // namespace stashscope::test
