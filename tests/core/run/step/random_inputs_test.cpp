#include "core/run/step/random_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/graph/half.h"
#include "core/run/step/normal_numbers.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace random_inputs_test {

std::vector<float> floats_of(const Tensor& tensor) {
  const TensorBytes data = tensor.load();
  std::vector<float> numbers(data.bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), data.bytes.data(), data.bytes.size());
  return numbers;
}

std::vector<float> normals(std::mt19937_64& random, std::size_t count, double fan_in) {
  std::normal_distribution<float> normal(0.0F, static_cast<float>(1 / std::sqrt(fan_in)));
  std::vector<float> numbers(count);
  for (float& each : numbers) each = normal(random);
  return numbers;
}

TEST(MersenneWords, AreThoseOfTheStandardEngine) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    std::mt19937_64 expected(seed);
    MersenneWords words(seed);
    for (const std::size_t skipped : {0U, 1U, 311U, 312U, 1000U, 5U}) {
      words.skip(skipped);
      expected.discard(skipped);
      for (int i = 0; i < 400; ++i) ASSERT_EQ(words(), expected()) << skipped << " " << i;
    }
  }
}

TEST(NormalNumbers, AreThoseThatOneDrawAfterTheOtherGives) {
  std::mt19937_64 expected(7);
  MersenneWords words(7);
  for (const std::size_t count : {0U, 1U, 51497U, 51498U, 700001U, 3U, 200000U}) {
    std::vector<float> numbers(count);
    draw_normal_numbers(words, count, 0.5F, [&](std::size_t first, std::span<const float> some) {
      std::ranges::copy(some, numbers.begin() + static_cast<std::ptrdiff_t>(first));
    });
    ASSERT_EQ(numbers, normals(expected, count, 4)) << count;
    ASSERT_EQ(words(), expected()) << "behind " << count;
  }
}

TEST(RandomInputs, OfASeedStayWhatTheyAre) {
  test::ModelBuilder m;
  m.input("wide", {300, 400}).input("labels", {301}, ElementType::int64);
  m.input("half", {501, 3}, ElementType::float16).input("flags", {5}, ElementType::boolean);
  const Graph graph = m.build();
  const NamedTensors inputs = with_random_inputs(graph, Bindings(graph.symbols().size()), {}, 11);
  std::mt19937_64 random(11);
  EXPECT_EQ(floats_of(inputs.at("wide")), normals(random, 120000, 400));
  std::uniform_int_distribution<std::int64_t> bit(0, 1);
  const std::vector<std::int64_t> labels = inputs.at("labels").integers().value();
  for (const std::int64_t label : labels) ASSERT_EQ(label, bit(random));
  const std::vector<float> half = normals(random, 1503, 3);
  const std::vector<double> reals = inputs.at("half").reals().value();
  for (std::size_t i = 0; i < half.size(); ++i) {
    ASSERT_EQ(reals[i], float_from_half(half_from_float(half[i])));
  }
  const std::vector<std::int64_t> flags = inputs.at("flags").integers().value();
  for (const std::int64_t flag : flags) ASSERT_EQ(flag, bit(random));
}

TEST(RandomInputs, AreNotMadeForWhatIsGiven) {
  test::ModelBuilder m;
  m.input("a", {3}).input("b", {4});
  const Graph graph = m.build();
  const Bindings bindings(graph.symbols().size());
  const Tensor given(ElementType::float32, {3}, std::string(12, '\0'));
  const NamedTensors inputs = with_random_inputs(graph, bindings, {{"a", given}}, 5);
  EXPECT_EQ(floats_of(inputs.at("a")), std::vector<float>(3, 0));
  std::mt19937_64 random(5);
  EXPECT_EQ(floats_of(inputs.at("b")), normals(random, 4, 1));
}

TEST(RandomInputs, AreBoundedBehindTheFirstInputOfAReshapeOnly) {
  test::ModelBuilder m;
  m.input("places", {400}, ElementType::int64).input("shape", {2}, ElementType::int64);
  m.weight("table", {50, 3}).node("Reshape", {"places", "shape"}, {"indices"});
  m.declare("indices", {20, 20}, ElementType::int64);
  m.node("Gather", {"table", "indices"}, {"y"});
  const Graph graph = m.output("y").build();
  const NamedTensors inputs = with_random_inputs(graph, Bindings(graph.symbols().size()), {}, 1);
  const std::vector<std::int64_t> places = inputs.at("places").integers().value();
  EXPECT_GT(*std::ranges::max_element(places), 40);
  const std::vector<std::int64_t> shape = inputs.at("shape").integers().value();
  EXPECT_LT(*std::ranges::max_element(shape), 2);
}

/// An embedding may have more rows than the type of its ids has numbers.
TEST(RandomInputs, StayWithinTheirType) {
  for (const ElementType element : {ElementType::int8, ElementType::uint8, ElementType::int16}) {
    test::ModelBuilder m;
    m.input("ids", {400}, element).weight("table", {50000, 1});
    m.node("Cast", {"ids"}, {"wide"}, {{"to", std::int64_t{7}}});
    m.node("Gather", {"table", "wide"}, {"y"});
    const Graph graph = m.output("y").build();
    const NamedTensors inputs = with_random_inputs(graph, {}, {}, 1);
    const std::vector<std::int64_t> ids = inputs.at("ids").integers().value();
    EXPECT_GE(*std::ranges::min_element(ids), 0);
    EXPECT_GT(*std::ranges::max_element(ids), 80);
  }
}

TEST(RandomInputs, OfALossInPiecesAreClasses) {
  for (const bool transposed : {false, true}) {
    test::ModelBuilder m;
    m.input("x", {2, 3}).input("labels", {400}, ElementType::int64);
    m.weight("w", transposed ? std::vector<std::int64_t>{50, 3} : std::vector<std::int64_t>{3, 50});
    m.node("LinearCrossEntropyLoss", {"x", "w", "labels"}, {"loss"},
           {{"transposed", std::int64_t{transposed}}}, "com.microsoft");
    const Graph graph = m.output("loss").build();
    const NamedTensors inputs = with_random_inputs(graph, Bindings(graph.symbols().size()), {}, 1);
    const std::vector<std::int64_t> labels = inputs.at("labels").integers().value();
    EXPECT_GT(*std::ranges::max_element(labels), 40);
    EXPECT_LT(*std::ranges::max_element(labels), 50);
  }
}

}  // namespace random_inputs_test
}  // namespace stashscope
