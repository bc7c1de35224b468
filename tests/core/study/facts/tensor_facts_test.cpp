#include "core/study/facts/tensor_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/study/facts/named_sizes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace tensor_facts_test {

std::shared_ptr<const Study> product(const Choices& choices) {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  return compute_study(std::make_shared<const Graph>(m.build()), choices, nullptr, Progress());
}

TEST(TypeText, HasDimensionsByNameAndTheElementType) {
  const auto study = product({});
  const Graph& graph = study->graph();
  const auto text_of = [&](const char* name) {
    return type_text(graph, graph.value(graph.find_value(name).value()).type);
  };
  EXPECT_EQ(text_of("x"), "[N, 4] float32");
  EXPECT_EQ(text_of("w"), "[4, 4] float32");
  EXPECT_EQ(type_text(graph, {}), "[] " + std::string(name_of(ElementType::undefined)));
}

TEST(TypeText, HasTheSizesInForceAndWordsForSizes) {
  Choices choices;
  choices.dims["N"] = 100;
  const auto study = product(choices);
  const auto type_of = [&](const char* name) {
    return study->graph().value(study->graph().find_value(name).value()).type;
  };
  EXPECT_EQ(sized_type_text(*study, type_of("x")), "[100, 4] float32");
  const SizeWords words = size_words(*study);
  const std::string batch = words.contains("N") ? words.at("N") : "N";
  EXPECT_EQ(named_shape_text(*study, type_of("x")), "[" + batch + ", 4]");
  EXPECT_EQ(sized_type_text(*study, type_of("w")), "[4, 4] float32");
  EXPECT_EQ(named_shape_text(*study, type_of("w")), "") << "nothing in it is a formula";
}

TEST(LargestAtPeak, DescribesTheLargestTensorsFirst) {
  Choices choices;
  choices.dims["N"] = 100;
  choices.update.optimizer = "adam";
  const auto study = product(choices);
  const Variant& variant = *study->current;
  const auto all = largest_at_peak(*study, variant, 100);
  std::int64_t sum = 0;
  for (const AliveTensor& each : all) sum += each.bytes;
  EXPECT_TRUE(std::ranges::is_sorted(all, std::greater(), &AliveTensor::bytes));
  EXPECT_EQ(sum, variant.timeline.peak_bytes);
  const auto role_of = [&](const std::string& name) {
    const auto found = std::ranges::find(all, name, &AliveTensor::name);
    return found == all.end() ? "not alive" : found->role;
  };
  EXPECT_EQ(role_of("x"), "input");
  EXPECT_EQ(role_of("w"), "parameter");
  EXPECT_EQ(role_of("w.exp_avg"), "optimizer state");
  EXPECT_EQ(largest_at_peak(*study, variant, 1).size(), 1U);
}

}  // namespace tensor_facts_test
}  // namespace stashscope
