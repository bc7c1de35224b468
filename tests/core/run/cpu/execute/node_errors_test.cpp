#include "core/run/cpu/execute/node_errors.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope::cpu {
namespace node_errors_test {

std::string name() { return "node 'a'"; }

TEST(NodeErrors, NameTheNode) {
  const std::string said = test::refusal(
      ErrorKind::run, [] { with_node_in_errors(name, [] { fail_run("", "no room"); }); });
  EXPECT_NE(said.find("node 'a'"), std::string::npos) << said;
  EXPECT_NE(said.find("no room"), std::string::npos) << said;
}

TEST(NodeErrors, DoNotNameItForCancelledWork) {
  const auto cancel = [] { throw Error(ErrorKind::cancelled, "", "cancelled"); };
  try {
    with_node_in_errors(name, cancel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    EXPECT_EQ(error.where(), "");
  }
}

}  // namespace node_errors_test
}  // namespace stashscope::cpu
