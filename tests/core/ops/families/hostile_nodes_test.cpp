// Unchecked nodes with too few inputs, wrong ranks and types are accepted or refused with an Error;
// nothing else may happen.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/base/error.h"
#include "core/memory/buffers.h"
#include "core/ops/families/standard_ops.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace hostile_nodes_test {

std::vector<std::pair<std::string, std::string>> all_names() {
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& [key, op] : standard_ops().all()) names.emplace(op.domain, op.type);
  return {names.begin(), names.end()};
}

/// A pool of inputs of many kinds; some contain numbers, like shapes and axes.
const std::vector<std::string> operands = {"",     "scalar", "vector",  "image",   "matrix",
                                           "ids",  "flags",  "unknown", "numbers", "negative",
                                           "huge", "empty",  "none"};

void add_operands(test::ModelBuilder& m) {
  m.input("scalar", {}).input("vector", {"N"}).input("image", {"N", 3, 8, "W"});
  m.input("matrix", {4, "N"}).input("ids", {"N", 2}, ElementType::int64);
  m.input("flags", {"N"}, ElementType::boolean).input("none", {0, 4});
  m.int64s("numbers", {1, 0, 2}).int64s("negative", {-1, -7}).int64s("empty", {});
  m.int64s("huge", {INT64_MAX, INT64_MIN, INT64_MAX});
  m.node("Mystery", {"vector"}, {"unknown"}, {}, "example");
}

Attributes random_attributes(std::mt19937& random) {
  const std::vector<const char*> names = {
      "axis",   "axes",      "perm",     "pads",      "kernel_shape", "strides",
      "group",  "to",        "keepdims", "split",     "num_outputs",  "ends",
      "starts", "num_heads", "transA",   "blocksize", "dilations"};
  const std::vector<std::int64_t> numbers = {0, 1, 2, -1, 3, 9, INT64_MAX, INT64_MIN};
  const auto number = [&] { return numbers[random() % numbers.size()]; };
  Attributes attributes;
  for (auto k = random() % 4; k > 0; --k) {
    const char* const name = names[random() % names.size()];
    if (random() % 2 == 0) {
      attributes.set(name, number());
    } else {
      Integers list(random() % 5);
      for (std::int64_t& each : list) each = number();
      attributes.set(name, std::move(list));
    }
  }
  return attributes;
}

/// Usually a number of operands that the operator takes, because it refuses any other number at
/// once.
std::size_t random_count(std::mt19937& random, const std::vector<Operand>& taken) {
  if (random() % 4 == 0) return random() % 6;
  const auto needed = static_cast<std::size_t>(std::ranges::count_if(taken, &Operand::required));
  return needed + random() % (taken.size() - needed + 1);
}

test::ModelBuilder random_node(std::mt19937& random, const std::string& domain,
                               const std::string& type) {
  test::ModelBuilder m(std::vector<std::int64_t>{1, 6, 9, 11, 13, 17, 20}[random() % 7]);
  add_operands(m);
  const Signature& signature = standard_ops().find(domain, type)->operands.signatures().back();
  std::vector<std::string> inputs(random_count(random, signature.inputs));
  for (std::string& input : inputs) input = operands[random() % operands.size()];
  std::vector<std::string> outputs(
      std::max<std::size_t>(1, random_count(random, signature.outputs)));
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = "y" + std::to_string(i);
  m.node(type, inputs, outputs, random_attributes(random), domain);
  return m.output("y0");
}

TEST(HostileNodes, AreRefusedOrStudied) {
  std::mt19937 random(17);
  std::size_t studied = 0;
  for (const auto& [domain, type] : all_names()) {
    SCOPED_TRACE(domain + ":" + type);
    for (int round = 0; round < 40; ++round) {
      const test::ModelBuilder m = random_node(random, domain, type);
      try {
        const auto model = std::make_shared<const Graph>(m.build());
        compute_study(model, {}, nullptr, Progress());
        ++studied;
      } catch (const Error&) {
      } catch (const std::exception& fault) {
        ADD_FAILURE() << fault.what();
      }
    }
  }
  EXPECT_GT(studied, 1000U);
}

}  // namespace hostile_nodes_test
}  // namespace stashscope
