#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace stashscope::test {

/// The message of the Error that `action` throws, which must have this kind; "accepted" if it
/// throws none.
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
