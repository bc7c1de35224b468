#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/onnx/captured_step_reader.h"
#include "core/recompute/config.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"

namespace stashscope::test {

/// A captured step of equal modules `net.0`, `net.1`, ..., one after the other. Each module runs
/// the nodes `h = mm(x, w)`, a view of h, `t = tanh(view)`, `r = bernoulli(t)`, `m = mul(t, r)`,
/// `relu_(m)` in place and `mm(m, w)`. Autograd saves t, r and m of a module, and what it is given.
/// Every tensor but the loss has 64 x 64 float32, 16,384 bytes.
class CapturedChain {
 public:
  static constexpr std::int64_t tensor_bytes = std::int64_t{64} * 64 * 4;
  static constexpr int forward_nodes = 7;  ///< of a module

  explicit CapturedChain(int modules) {
    given("x");
    given("w");
    std::string x = "x";
    for (int i = 0; i < modules; ++i) x = forward(i, x);
    node("sum", {x}, "loss", "forward");
    node("ones", {"loss"}, "loss.grad", "backward");
    std::string gradient = "loss.grad";
    for (int i = modules - 1; i >= 0; --i) gradient = backward(i, gradient);
    builder_.output(gradient);
    for (const std::string& kept : {std::string("x"), std::string("w"), gradient}) {
      last_[at(kept)] = nodes_;
    }
  }

  GraphData data() const {
    GraphData data = builder_.data();
    nlohmann::json last = nlohmann::json::array();
    for (std::size_t i = 0; i < last_.size(); ++i) last.push_back(std::max(last_[i], saved_[i]));
    std::vector<std::string> roles(last_.size(), "other");
    roles[0] = "input";
    roles[1] = "parameter";
    data.metadata = {
        {"stashscope.captured_step", "1"},
        {"stashscope.input_storages", "[0, 1]"},
        {"stashscope.storages",
         nlohmann::json(
             {{"bytes", bytes_}, {"role", roles}, {"last", last}, {"python_last", last_}})
             .dump()},
        {"stashscope.saved", saved_table_.dump()},
        {"stashscope.calls", calls_.dump()}};
    return data;
  }

 private:
  using Names = std::vector<std::string>;

  void add_storage(const std::string& name, std::int64_t bytes) {
    storage_of_[name] = bytes_.size();
    bytes_.push_back(bytes);
    last_.push_back(nodes_);
    saved_.push_back(-1);
  }

  std::size_t at(const std::string& name) const { return storage_of_.at(name); }

  void given(const std::string& name) {
    builder_.input(name, {64, 64});
    add_storage(name, tensor_bytes);
  }

  /// @param shared the tensor whose storage the output lies in; empty: one of its own
  void node(const std::string& op, const Names& inputs, const std::string& output,
            const std::string& phase, const std::string& shared = "", Attributes attributes = {}) {
    const bool is_number = output.starts_with("loss");
    if (is_number) builder_.declare(output, {});
    if (!is_number) builder_.declare(output, {64, 64});
    if (shared.empty()) add_storage(output, is_number ? 4 : tensor_bytes);
    if (!shared.empty()) storage_of_[output] = at(shared);
    // In the backward pass Python holds only the gradient.
    const std::size_t held = phase == "forward" ? inputs.size() : 1;
    for (std::size_t i = 0; i < held; ++i) last_[at(inputs[i])] = nodes_;
    last_[at(output)] = nodes_;
    attributes.set("phase", phase);
    attributes.set("storages", std::vector<std::int64_t>{static_cast<std::int64_t>(at(output))});
    builder_.node(op, inputs, {output}, std::move(attributes), "pytorch.aten");
    ++nodes_;
  }

  /// Autograd saves the tensor for the derivative of a node.
  void save(const std::string& name, int node) { to_release_.push_back({name, node}); }

  /// The backward node that comes last took what was saved for `node`.
  void release(int node) {
    for (const auto& [name, saver] : to_release_) {
      if (saver != node) continue;
      const std::size_t storage = at(name);
      const int now = nodes_ - 1;
      saved_[storage] = std::max(saved_[storage], now);
      for (const auto& [column, value] :
           std::vector<std::pair<const char*, nlohmann::json>>{{"node", node},
                                                               {"storage", storage},
                                                               {"value", name},
                                                               {"unpacked", now},
                                                               {"used", now},
                                                               {"released", now},
                                                               {"number", 0}}) {
        saved_table_[column].push_back(value);
      }
    }
  }

  std::string forward(int module, const std::string& x) {
    const auto own = [&](const char* name) { return name + std::to_string(module); };
    const int first = nodes_;
    const Attributes product = {{"flops", std::int64_t{2} * 64 * 64 * 64}};
    save(x, first);
    node("mm", {x, "w"}, own("h"), "forward", "", product);
    node("view", {own("h")}, own("view"), "forward", own("h"), {{"tags", Names{"view"}}});
    node("tanh", {own("view")}, own("t"), "forward");
    save(own("t"), first + 2);
    node("bernoulli", {own("t")}, own("r"), "forward", "", {{"tags", Names{"random"}}});
    node("mul", {own("t"), own("r")}, own("m"), "forward");
    save(own("t"), first + 4);
    save(own("r"), first + 4);
    node("relu_", {own("m")}, own("relu"), "forward", own("m"));
    save(own("relu"), first + 6);
    node("mm", {own("relu"), "w"}, own("y"), "forward", "", product);
    calls_["module"].push_back("net." + std::to_string(module));
    calls_["first"].push_back(first);
    calls_["end"].push_back(nodes_);
    calls_["arguments"].push_back(std::vector<std::size_t>{at(x)});
    return own("y");
  }

  std::string backward(int module, const std::string& gradient) {
    const auto own = [&](const char* name) { return name + std::to_string(module); };
    const int first = module * forward_nodes;
    node("mm", {gradient, own("relu")}, own("gm"), "backward");
    release(first + 6);
    node("mul", {own("gm"), own("r"), own("t")}, own("gt"), "backward");
    release(first + 4);
    node("tanh_backward", {own("gt"), own("t")}, own("gh"), "backward");
    release(first + 2);
    node("mm", {own("gh"), module == 0 ? "x" : "y" + std::to_string(module - 1)}, own("gx"),
         "backward");
    release(first);
    return own("gx");
  }

  ModelBuilder builder_;
  int nodes_ = 0;
  std::map<std::string, std::size_t> storage_of_;
  std::vector<std::int64_t> bytes_;
  std::vector<int> last_;   ///< by storage: the last node that reads it
  std::vector<int> saved_;  ///< by storage: when autograd releases it; -1: it does not hold it
  std::vector<std::pair<std::string, int>> to_release_;
  nlohmann::json saved_table_;
  nlohmann::json calls_;
};

/// The step as one call of a model, with its first nodes until the backward pass.
inline GraphData inside_a_model(GraphData data) {
  nlohmann::json calls = nlohmann::json::parse(data.metadata["stashscope.calls"]);
  const int end = calls["end"].back();
  for (const auto& [column, value] : std::vector<std::pair<const char*, nlohmann::json>>{
           {"module", ""}, {"first", 0}, {"end", end}, {"arguments", calls["arguments"][0]}}) {
    calls[column].insert(calls[column].begin(), value);
  }
  data.metadata["stashscope.calls"] = calls.dump();
  return data;
}

/// Four modules whose activations grow with a dimension, which was 64. The gradient counts as a
/// state that the optimizer makes.
inline GraphData chain_with_batch(const std::string& dimension = "batch") {
  GraphData data = CapturedChain(4).data();
  auto storages = nlohmann::json::parse(data.metadata["stashscope.storages"]);
  const std::size_t nodes = data.nodes.size();
  for (std::size_t i = 2; i < storages["role"].size(); ++i) {
    const bool is_returned = storages["last"][i] == nodes;
    if (is_returned) storages["role"][i] = "optimizer";
    if (!is_returned && storages["bytes"][i] != 4) storages["bytes"][i] = "256*" + dimension;
  }
  data.metadata["stashscope.storages"] = storages.dump();
  data.metadata["stashscope.dimensions"] =
      nlohmann::json({{{"name", dimension}, {"value", 64}, {"step", 1}}}).dump();
  return data;
}

/// The study of a captured step with the plans of a config string.
inline std::shared_ptr<const Study> captured_study(GraphData data, const std::string& config = "") {
  read_captured_step(data);
  Choices choices;
  choices.plans.config = parse_config(config);
  return compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr,
                       Progress());
}

}  // namespace stashscope::test
