#include "core/onnx/node_metadata.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

namespace stashscope {
namespace node_metadata_test {

using Modules = std::vector<std::string>;

/// A node as a file holds it: metadata_props is field 9.
onnx::NodeProto node_with(const std::vector<std::pair<std::string, std::string>>& metadata) {
  google::protobuf::UnknownFieldSet fields;
  for (const auto& [key, value] : metadata) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(value);
    fields.AddLengthDelimited(9, entry.SerializeAsString());
  }
  std::string bytes;
  fields.SerializeToString(&bytes);
  onnx::NodeProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  return proto;
}

Modules modules_in(const std::string& scopes) {
  const auto origin = read_origin(node_with({{"pkg.torch.onnx.name_scopes", scopes}}));
  return origin == nullptr ? Modules() : origin->modules;
}

TEST(NodeMetadata, NamesEachModuleWithinTheOneAround) {
  EXPECT_EQ(
      modules_in("['', 'm', 'm.model', 'm.model.layers.0', 'm.model.layers.0.mlp', 'linear_6']"),
      (Modules{"m", "model", "layers.0", "mlp"}));
  EXPECT_EQ(modules_in("[\"a\", 'shared', 'op']"), (Modules{"a", "shared"}));
  EXPECT_EQ(modules_in("['it\\'s', 'op']"), Modules{"it's"});
}

TEST(NodeMetadata, LeavesNodesOfTheExporterWithoutAModule) {
  EXPECT_EQ(modules_in("['_empty_nn_module_stack_from_metadata_hook', 'sym_size_int_43']"),
            Modules());
  EXPECT_EQ(modules_in("['', 'loss']"), Modules());
  for (const char* const damaged : {"", "[", "['", "['a", "[,,]", "no list", "[\\", "['\\"}) {
    EXPECT_EQ(modules_in(damaged), Modules()) << damaged;
  }
}

TEST(NodeMetadata, TakesTheInnermostSourceLine) {
  const auto origin = read_origin(node_with(
      {{"pkg.torch.onnx.stack_trace",
        "File \"train.py\", line 13, in forward\n    return self.m(x)\n"
        "  File \"site-packages/model.py\", line 834, in forward\n    outputs = self.model("}}));
  ASSERT_NE(origin, nullptr);
  EXPECT_EQ(origin->file, "site-packages/model.py");
  EXPECT_EQ(origin->line, 834);
  for (const char* const damaged :
       {"File \"", "File \"a\"", "File \"a\", line ", "File \"a\", line x", "File \"a\", line -3",
        "File \"a\", line 99999999999999"}) {
    EXPECT_EQ(read_origin(node_with({{"pkg.torch.onnx.stack_trace", damaged}})), nullptr)
        << damaged;
  }
}

TEST(NodeMetadata, IsReadAsItWasWritten) {
  const NodeOrigin origin{{"m", "layers.3", "it's \\ odd"}, "a \"b\".py", 7};
  onnx::NodeProto proto;
  proto.set_name("node_linear_6");
  write_origin(origin, proto);
  onnx::NodeProto again;
  ASSERT_TRUE(again.ParseFromString(proto.SerializeAsString()));
  const auto read = read_origin(again);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->modules, origin.modules);
  EXPECT_EQ(read->file, origin.file);
  EXPECT_EQ(read->line, origin.line);
  EXPECT_EQ(read_origin(onnx::NodeProto()), nullptr);
}

TEST(NodeMetadata, OfACallGoesToTheFunctionsNodes) {
  const auto call = node_with({{"pkg.torch.onnx.name_scopes", "['', 'm', 'op']"}});
  onnx::NodeProto inlined;
  inherit_origin(call, inlined);
  ASSERT_NE(read_origin(inlined), nullptr);
  EXPECT_EQ(read_origin(inlined)->modules, Modules{"m"});
  auto own = node_with({{"pkg.torch.onnx.name_scopes", "['', 'own', 'op']"}});
  inherit_origin(call, own);
  EXPECT_EQ(read_origin(own)->modules, Modules{"own"});
}

}  // namespace node_metadata_test
}  // namespace stashscope
