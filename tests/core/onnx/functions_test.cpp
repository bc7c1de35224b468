#include "core/onnx/functions.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace functions_test {

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

std::string refusal(onnx::ModelProto model) {
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

TEST(Functions, ThatGrowBeyondAnyRealModelAreRefusedBeforeTheyDo) {
  EXPECT_NE(refusal(doubling(18)).find("expands to more than 200000 nodes"), std::string::npos);
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

onnx::NodeProto node(const std::string& name, const std::string& type,
                     const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::string& domain = "") {
  onnx::NodeProto proto;
  proto.set_name(name);
  proto.set_op_type(type);
  proto.set_domain(domain);
  for (const auto& each : inputs) proto.add_input(each);
  for (const auto& each : outputs) proto.add_output(each);
  return proto;
}

void import(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
            std::int64_t version, const std::string& domain = "") {
  auto& each = *imports.Add();
  each.set_domain(domain);
  each.set_version(version);
}

/// leaky(x, slope?) = LeakyRelu(x + bias), with attribute `alpha` (0.25 unless given).
onnx::FunctionProto leaky() {
  onnx::FunctionProto proto;
  proto.set_name("leaky");
  proto.set_domain("test");
  proto.add_input("x");
  proto.add_input("bias");
  proto.add_output("y");
  proto.add_output("sum");
  *proto.add_node() = node("", "Sum", {"x", "bias"}, {"sum"});
  onnx::NodeProto& relu = *proto.add_node();
  relu = node("act", "LeakyRelu", {"sum"}, {"y"});
  auto& alpha = *relu.add_attribute();
  alpha.set_name("alpha");
  alpha.set_ref_attr_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  import(*proto.mutable_opset_import(), 17);
  onnx::AttributeProto otherwise;
  otherwise.set_name("alpha");
  otherwise.set_f(0.25F);
  otherwise.set_type(onnx::AttributeProto::FLOAT);
  // Field 11, attribute_proto, by number, because some versions of ONNX's headers lack it.
  std::string bytes;
  proto.SerializeToString(&bytes);
  const std::string text = otherwise.SerializeAsString();
  bytes += static_cast<char>(11 << 3 | 2);
  bytes += static_cast<char>(text.size());
  proto.ParseFromString(bytes + text);
  return proto;
}

onnx::ModelProto model_of(const std::vector<onnx::NodeProto>& nodes) {
  onnx::ModelProto model;
  import(*model.mutable_opset_import(), 17);
  import(*model.mutable_opset_import(), 1, "test");
  *model.add_functions() = leaky();
  for (const auto& each : nodes) *model.mutable_graph()->add_node() = each;
  return model;
}

std::string text_of(const onnx::NodeProto& proto) {
  std::string text = proto.name() + ": " + proto.op_type() + "(";
  for (const auto& each : proto.input()) text += each + ",";
  text += ") ->";
  for (const auto& each : proto.output()) text += " " + each;
  for (const auto& each : proto.attribute()) {
    if (each.type() == onnx::AttributeProto::FLOAT) text += " " + std::to_string(each.f());
  }
  return text;
}

std::vector<std::string> inlined(onnx::ModelProto model) {
  inline_functions(model);
  std::vector<std::string> lines;
  for (const auto& each : model.graph().node()) lines.push_back(text_of(each));
  return lines;
}

TEST(Functions, ACallBecomesItsNodesUnderItsName) {
  onnx::NodeProto call = node("layer.0", "leaky", {"in", "b"}, {"out"}, "test");
  auto& alpha = *call.add_attribute();
  alpha.set_name("alpha");
  alpha.set_f(0.5F);
  alpha.set_type(onnx::AttributeProto::FLOAT);
  EXPECT_EQ(inlined(model_of({call})),
            (std::vector<std::string>{
                "layer.0/leaky/Sum_0: Sum(in,b,) -> layer.0/leaky/sum",
                "layer.0/leaky/act: LeakyRelu(layer.0/leaky/sum,) -> out 0.500000"}));
}

TEST(Functions, WhatACallLeavesOutIsLeftOutOrTheDefault) {
  const onnx::NodeProto call = node("", "leaky", {"in"}, {"", "total"}, "test");
  EXPECT_EQ(inlined(model_of({call})),
            (std::vector<std::string>{
                "leaky_0/leaky/Sum_0: Sum(in,,) -> total",
                "leaky_0/leaky/act: LeakyRelu(total,) -> leaky_0/leaky/y 0.250000"}));
}

TEST(Functions, NamesStayDistinctAndCallsNest) {
  onnx::ModelProto model =
      model_of({node("a", "outer", {"in"}, {"a/outer/leaky_0/leaky/sum"}, "test"),
                node("a", "outer", {"in"}, {"second"}, "test")});
  onnx::FunctionProto outer;
  outer.set_name("outer");
  outer.set_domain("test");
  outer.add_input("p");
  outer.add_output("q");
  *outer.add_node() = node("", "leaky", {"p", "p"}, {"q"}, "test");
  *model.add_functions() = outer;
  const std::vector<std::string> lines = inlined(model);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "a/outer/leaky_0/leaky/Sum_0: Sum(in,in,) -> a/outer/leaky_0/leaky/sum_1");
  EXPECT_EQ(
      lines[3],
      "a/outer/leaky_0/leaky/act: LeakyRelu(a/outer/leaky_0/leaky/sum_2,) -> second 0.250000");
}

/// choose(condition, x) = If(condition), with one branch, which consists of `inside`.
onnx::FunctionProto choosing(const onnx::NodeProto& inside) {
  onnx::FunctionProto choose;
  choose.set_name("choose");
  choose.set_domain("test");
  for (const char* name : {"condition", "x"}) choose.add_input(name);
  choose.add_output("y");
  onnx::NodeProto& branch = *choose.add_node();
  branch = node("if", "If", {"condition"}, {"y"});
  auto& attribute = *branch.add_attribute();
  attribute.set_name("then_branch");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g()->add_node() = inside;
  attribute.mutable_g()->add_output()->set_name(inside.output(0));
  return choose;
}

onnx::ModelProto calling_choose(const onnx::FunctionProto& choose) {
  onnx::ModelProto model = model_of({node("c", "choose", {"flag", "in"}, {"out"}, "test")});
  *model.add_functions() = choose;
  return model;
}

TEST(Functions, SubgraphsOfTheirNodesReadTheCallersNames) {
  onnx::ModelProto model =
      calling_choose(choosing(node("inside", "leaky", {"x"}, {"chosen"}, "test")));
  inline_functions(model);
  ASSERT_EQ(model.graph().node_size(), 1);
  const onnx::GraphProto& then = model.graph().node(0).attribute(0).g();
  EXPECT_EQ(text_of(then.node(0)), "inside/leaky/Sum_0: Sum(in,,) -> inside/leaky/sum");
  EXPECT_EQ(then.output(0).name(), "c/choose/chosen");
  EXPECT_EQ(then.node(1).output(0), "c/choose/chosen");
}

TEST(Functions, SparseInitializersOfSubgraphsGetNamesOfTheirOwn) {
  onnx::FunctionProto choose = choosing(node("inside", "Add", {"x", "w"}, {"chosen"}));
  onnx::GraphProto& branch = *choose.mutable_node(0)->mutable_attribute(0)->mutable_g();
  branch.add_sparse_initializer()->mutable_values()->set_name("w");
  onnx::ModelProto model = calling_choose(choose);
  model.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("c/choose/w");
  inline_functions(model);
  const onnx::GraphProto& then = model.graph().node(0).attribute(0).g();
  EXPECT_EQ(then.node(0).input(1), "c/choose/w_1");
  EXPECT_EQ(then.sparse_initializer(0).values().name(), "c/choose/w_1");
}

TEST(Functions, AnOpsetOfTheirOwnMakesADifferenceInSubgraphsToo) {
  onnx::FunctionProto choose = choosing(node("inside", "ReduceMean", {"x"}, {"chosen"}));
  import(*choose.mutable_opset_import(), 18);
  const std::string said = refusal(calling_choose(choose));
  EXPECT_NE(said.find("function 'choose': uses ReduceMean of opset 18"), std::string::npos) << said;
}

TEST(Functions, AnOpsetOfTheirOwnIsTakenWhereItMakesNoDifference) {
  const onnx::NodeProto call = node("c", "leaky", {"in"}, {"out"}, "test");
  onnx::ModelProto same = model_of({call});
  same.mutable_functions(0)->mutable_opset_import(0)->set_version(16);
  EXPECT_EQ(refusal(same), "accepted");
  onnx::ModelProto other = model_of({call});
  other.mutable_functions(0)->mutable_opset_import(0)->set_version(12);
  EXPECT_NE(refusal(other).find("function 'leaky': uses Sum of opset 12"), std::string::npos)
      << refusal(other);
}

}  // namespace functions_test
}  // namespace stashscope
