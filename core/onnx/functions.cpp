#include "core/onnx/functions.h"

#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::size_t node_limit = 10'000'000;

class Expansion {
 public:
  explicit Expansion(const onnx::ModelProto& model) {
    for (const auto& each : model.functions()) functions_[{each.domain(), each.name()}] = {&each};
  }

  template <typename Nodes>
  std::size_t count(const Nodes& nodes) {
    std::size_t total = 0;
    for (const auto& node : nodes) {
      total += count_node(node);
      if (total > node_limit) return node_limit + 1;
    }
    return total;
  }

 private:
  struct Function {
    const onnx::FunctionProto* proto = nullptr;
    bool entered = false;
    std::optional<std::size_t> nodes = {};
  };

  std::size_t count_node(const onnx::NodeProto& node) {
    std::size_t total = 1;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) total += count(attribute.g().node());
      for (const auto& graph : attribute.graphs()) total += count(graph.node());
    }
    const auto called = functions_.find({node.domain(), node.op_type()});
    return called == functions_.end() ? total : total + count_function(called->second);
  }

  std::size_t count_function(Function& function) {
    if (function.nodes) return *function.nodes;
    const std::string where = "function '" + printable(function.proto->name()) + "'";
    if (std::exchange(function.entered, true)) fail_input(where, "calls itself");
    function.nodes = count(function.proto->node());
    if (*function.nodes > node_limit) {
      fail_input(where, "expands to more than " + std::to_string(node_limit) + " nodes");
    }
    return *function.nodes;
  }

  std::map<std::pair<std::string, std::string>, Function> functions_;
};

}  // namespace

void check_functions(const onnx::ModelProto& model) {
  if (model.functions().empty()) return;
  if (Expansion(model).count(model.graph().node()) > node_limit) {
    fail_input("", "its functions expand to more than " + std::to_string(node_limit) + " nodes");
  }
}

}  // namespace stashscope
