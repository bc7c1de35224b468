#include "core/onnx/functions.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace {

onnx::FunctionProto function(const std::string& name, const std::vector<std::string>& calls) {
  onnx::FunctionProto proto;
  proto.set_name(name);
  proto.set_domain("test");
  for (const std::string& call : calls) {
    onnx::NodeProto& node = *proto.add_node();
    node.set_op_type(call);
    node.set_domain("test");
  }
  return proto;
}

onnx::ModelProto calling(const std::string& name) {
  onnx::ModelProto model;
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(name);
  node.set_domain("test");
  return model;
}

std::string refusal(const onnx::ModelProto& model) {
  return test::refusal(ErrorKind::input, [&] { inline_functions(model); });
}

/// f0 is two nodes; every further function calls the one before it twice.
onnx::ModelProto doubling(int depth) {
  onnx::ModelProto model = calling("f" + std::to_string(depth));
  *model.add_functions() = function("f0", {"leaf", "leaf"});
  for (int i = 1; i <= depth; ++i) {
    const std::string inner = "f" + std::to_string(i - 1);
    *model.add_functions() = function("f" + std::to_string(i), {inner, inner});
  }
  return model;
}

TEST(Functions, SharedOnesAreFine) { EXPECT_EQ(refusal(doubling(10)), "accepted"); }

TEST(Functions, ThatGrowWithoutEndAreRefused) {
  EXPECT_NE(refusal(doubling(40)).find("expands to more than"), std::string::npos);
}

TEST(Functions, ThatCallThemselvesAreRefused) {
  onnx::ModelProto model = calling("a");
  *model.add_functions() = function("a", {"b"});
  *model.add_functions() = function("b", {"a"});
  EXPECT_NE(refusal(model).find("function 'a': calls itself"), std::string::npos);
}

TEST(Functions, InSubgraphsCount) {
  onnx::ModelProto model = doubling(40);
  const onnx::NodeProto call = model.graph().node(0);
  onnx::NodeProto& branch = *model.mutable_graph()->mutable_node(0);
  branch.set_op_type("If");
  branch.set_domain("");
  *branch.add_attribute()->mutable_g()->add_node() = call;
  EXPECT_NE(refusal(model), "accepted");
}

}  // namespace
}  // namespace stashscope
