#include "bench/layered_model.h"

#include <string>

#include "tests/support/model_builder.h"

namespace stashscope::bench {

namespace {

constexpr std::int64_t width = 16;
constexpr std::int64_t heads = 2;

/// Adds the nodes of one module; every name begins with the module's path.
class ModuleBuilder {
 public:
  ModuleBuilder(test::ModelBuilder& model, std::string path)
      : model_(model), path_(std::move(path)) {}

  std::string node(const std::string& op_type, const std::vector<std::string>& inputs,
                   Attributes attributes = {}) {
    const std::string output = path_ + op_type + "_" + std::to_string(nodes_++);
    model_.node(op_type, inputs, {output}, std::move(attributes));
    return output;
  }

  std::string weight(const std::string& name, const std::vector<std::int64_t>& dims) {
    model_.weight(path_ + name, dims);
    return path_ + name;
  }

  std::string linear(const std::string& x, const std::string& name, std::int64_t from,
                     std::int64_t to) {
    const std::string product = node("MatMul", {x, weight(name + ".weight", {from, to})});
    return node("Add", {product, weight(name + ".bias", {to})});
  }

  std::string normalized(const std::string& x, const std::string& name) {
    const Attributes last = {{"axes", std::vector<std::int64_t>{-1}}};
    const std::string centered = node("Sub", {x, node("ReduceMean", {x}, last)});
    const std::string variance = node("ReduceMean", {node("Pow", {centered, "two"})}, last);
    const std::string deviation = node("Sqrt", {node("Add", {variance, "epsilon"})});
    const std::string scaled =
        node("Mul", {node("Div", {centered, deviation}), weight(name + ".weight", {width})});
    return node("Add", {scaled, weight(name + ".bias", {width})});
  }

  /// [batch, sequence, width] to [batch, heads, sequence, width / heads]
  std::string split_heads(const std::string& x) {
    return node("Transpose", {node("Reshape", {x, sizes_of(x, "head_sizes")})},
                {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  }

  std::string merge_heads(const std::string& x, const std::string& like) {
    const std::string order =
        node("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    return node("Reshape", {order, sizes_of(like, "width_size")});
  }

 private:
  /// The first two dims of `x`, followed by a constant, computed as exporters compute it.
  std::string sizes_of(const std::string& x, const std::string& rest) {
    const std::string shape = node("Shape", {x});
    return node("Concat",
                {node("Unsqueeze", {node("Gather", {shape, "zero"}), "axis_zero"}),
                 node("Unsqueeze", {node("Gather", {shape, "one"}), "axis_zero"}), rest},
                {{"axis", std::int64_t{0}}});
  }

  test::ModelBuilder& model_;
  std::string path_;
  int nodes_ = 0;
};

std::string attention(test::ModelBuilder& m, const std::string& x, const std::string& path) {
  ModuleBuilder module(m, path + "attn/");
  const std::string query = module.split_heads(module.linear(x, "query", width, width));
  const std::string key = module.split_heads(module.linear(x, "key", width, width));
  const std::string value = module.split_heads(module.linear(x, "value", width, width));
  const std::string turned =
      module.node("Transpose", {key}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  const std::string scores = module.node("Div", {module.node("MatMul", {query, turned}), "scale"});
  const std::string weights = module.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const std::string mixed = module.merge_heads(module.node("MatMul", {weights, value}), x);
  return module.linear(mixed, "out", width, width);
}

std::string perceptron(test::ModelBuilder& m, const std::string& x, const std::string& path) {
  ModuleBuilder module(m, path + "mlp/");
  const std::string h = module.linear(x, "up", width, 4 * width);
  const std::string erf = module.node("Erf", {module.node("Div", {h, "root_two"})});
  const std::string gate = module.node("Add", {erf, "one_float"});
  const std::string gelu = module.node("Mul", {module.node("Mul", {h, gate}), "half"});
  return module.linear(gelu, "down", 4 * width, width);
}

std::string layer(test::ModelBuilder& m, const std::string& x, const std::string& path) {
  ModuleBuilder module(m, path);
  const std::string attended =
      module.node("Add", {x, attention(m, module.normalized(x, "norm_1"), path)});
  return module.node("Add", {attended, perceptron(m, module.normalized(attended, "norm_2"), path)});
}

test::ModelBuilder with_constants() {
  test::ModelBuilder m;
  m.input("x", {"batch", "sequence", width});
  for (const auto& [name, number] : {std::pair{"two", 2.0F},
                                     {"epsilon", 1e-5F},
                                     {"scale", 2.8F},
                                     {"root_two", 1.4F},
                                     {"one_float", 1.0F},
                                     {"half", 0.5F}}) {
    m.constant(name, Tensor(ElementType::float32, {},
                            std::string(reinterpret_cast<const char*>(&number), sizeof(float))));
  }
  const auto index = [&](const char* name, std::int64_t number) {
    m.constant(name, Tensor(ElementType::int64, {},
                            std::string(reinterpret_cast<const char*>(&number), sizeof number)));
  };
  index("zero", 0);
  index("one", 1);
  m.int64s("axis_zero", {0}).int64s("head_sizes", {heads, width / heads});
  return m.int64s("width_size", {width});
}

Graph with_loss(test::ModelBuilder m, const std::string& x) {
  m.node("ReduceMean", {x}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("loss").build();
}

}  // namespace

Graph layered_model(int layers) {
  test::ModelBuilder m = with_constants();
  std::string x = "x";
  for (int i = 0; i < layers; ++i) x = layer(m, x, "/h." + std::to_string(i) + "/");
  return with_loss(std::move(m), x);
}

Graph towers_model(int towers) {
  test::ModelBuilder m = with_constants();
  std::string sum = "x";
  for (int i = 0; i < towers; ++i) {
    const std::string path = "/tower." + std::to_string(i) + "/";
    const std::string tower = perceptron(m, "x", path);
    sum = ModuleBuilder(m, path).node("Add", {sum, tower});
  }
  return with_loss(std::move(m), sum);
}

}  // namespace stashscope::bench
