#pragma once

// FusedAttention with all kinds of steps, layouts and sizes.

#include <limits>

#include "tests/core/run/cpu/attention/decomposed_attention.h"

namespace stashscope::testing_run::fused_cases {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline const Dims q4 = {2, 2, 3, 4};
inline const Dims k4 = {2, 2, 5, 4};
inline const Dims v4 = {2, 2, 5, 3};

inline GradientOperand number(double item) { return constant(doubles({}, {item})); }

/// Flags with one of three false, but the first of each row true.
inline GradientOperand some_flags(const Dims& dims) {
  std::vector<char> items(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = i % static_cast<std::size_t>(dims.back()) == 0 || i % 3 != 1 ? 1 : 0;
  }
  return constant(flags(dims, items));
}

inline GradientOperand causal_flags(std::int64_t rows, std::int64_t keys) {
  std::vector<char> items;
  for (std::int64_t i = 0; i < rows * keys; ++i) items.push_back(i % keys <= i / keys ? 1 : 0);
  return constant(flags({rows, keys}, items));
}

inline FusedCase with_steps(const std::string& name, const Strings& steps,
                            std::vector<GradientOperand> operands) {
  return {name, q4, k4, v4, steps, std::move(operands)};
}

inline FusedCase with_attributes(FusedCase each, const Attributes& attributes) {
  each.attributes = attributes;
  return each;
}

inline std::vector<FusedCase> step_cases() {
  return {with_steps("Plain", {}, {}),
          with_steps("MulByANumber", {"Mul"}, {number(0.3)}),
          with_steps("MulByATrainedNumber", {"Mul"}, {parameter({}, 0.5, 1)}),
          with_steps("MulByHeads", {"Mul"}, {parameter({2, 1, 1}, 0.5, 1)}),
          with_steps("DivByANumber", {"Div"}, {number(1.7)}),
          with_steps("DivByRows", {"Div"}, {parameter({3, 1}, 1, 2)}),
          with_steps("AddABias", {"Add"}, {parameter({1, 2, 3, 5})}),
          with_steps("AddPerKey", {"Add"}, {parameter({5})}),
          with_steps("AddPerRowOfABatch", {"Add", "Tanh"}, {parameter({2, 1, 3, 1})}),
          with_steps("AddAll", {"Add"}, {parameter({2, 2, 3, 5})}),
          with_steps("Sub", {"Sub"}, {parameter({2, 1, 1, 5})}),
          with_steps("Where", {"Where"}, {some_flags({3, 5}), number(-infinite)}),
          with_steps("WhereOfABatch", {"Where"}, {some_flags({2, 1, 1, 5}), parameter({2, 1, 1})}),
          with_steps("WhereNot", {"WhereNot"}, {some_flags({2, 3, 5}), parameter({3, 5})}),
          with_steps("SoftCap", {"Div", "Tanh", "Mul"}, {number(0.5), parameter({}, 1, 2)}),
          with_steps("TanhUnderAMask", {"Tanh", "Where"}, {causal_flags(3, 5), number(-1e30)}),
          with_steps("Several", {"Mul", "Add", "Where", "Sub"},
                     {number(0.5), parameter({2, 3, 5}), causal_flags(3, 5), number(-1e30),
                      parameter({1, 5})}),
          {"Reshape",
           {4, 3, 4},
           {4, 5, 4},
           {4, 5, 3},
           {"Reshape", "Add", "Reshape"},
           {numbers_operand({2, -1, 3, 5}), parameter({2, 1, 1, 5}), numbers_operand({4, 3, 5})}}};
}

inline std::vector<FusedCase> layout_cases() {
  const Integers swap = {0, 2, 1, 3};
  const std::vector<GradientOperand> none;
  return {{"TwoAxes", {3, 4}, {5, 4}, {5, 2}},
          {"SixAxes", {1, 2, 1, 2, 3, 2}, {1, 2, 1, 2, 4, 2}, {1, 2, 1, 2, 4, 2}},
          {"HeadsBehindRows",
           {2, 3, 2, 4},
           {2, 5, 2, 4},
           {2, 5, 2, 3},
           {},
           {},
           {{"query_perm", swap}, {"key_perm", swap}, {"value_perm", swap}, {"output_perm", swap}}},
          {"KeysAcross", q4, {2, 2, 4, 5}, v4, {}, {}, {{"key_perm", Integers{0, 1, 3, 2}}}},
          {"HeadsLast",
           {3, 4, 2},
           {4, 2, 5},
           {5, 2, 3},
           {},
           {},
           {{"query_perm", Integers{2, 0, 1}},
            {"key_perm", Integers{1, 2, 0}},
            {"value_perm", Integers{1, 0, 2}},
            {"output_perm", Integers{1, 2, 0}}}},
          {"GroupedHeads", {2, 4, 3, 2}, {2, 2, 5, 2}, {2, 2, 5, 3}},
          {"GroupsOfTwoSizes", {1, 4, 3, 2}, {1, 2, 5, 2}, {1, 1, 5, 3}},
          {"BroadcastKeys", {2, 2, 3, 2}, {2, 5, 2}, {1, 2, 5, 2}},
          {"BroadcastQueries", {2, 3, 2}, {3, 2, 5, 2}, {3, 1, 5, 2}},
          {"ValuesOfMoreBatches", {1, 2, 3, 2}, {1, 2, 5, 2}, {3, 2, 5, 2}},
          {"OneKey", {2, 3, 4}, {2, 1, 4}, {2, 1, 2}},
          with_attributes(with_steps("Efficient", {"Mul"}, {number(0.5)}),
                          {{"form", std::string("efficient")}}),
          with_attributes(with_steps("Dropout", {"Mul"}, {number(0.5)}),
                          {{"dropout", 0.4F}, {"dropout_seed", std::int64_t{-3}}})};
}

inline std::vector<FusedCase> all_cases() {
  std::vector<FusedCase> cases = step_cases();
  for (FusedCase& each : layout_cases()) cases.push_back(std::move(each));
  return cases;
}

/// Sizes that are no multiples of the blocks.
inline std::vector<FusedCase> large_cases() {
  const Dims q = {2, 130, 8};
  const Dims k = {2, 300, 8};
  const Attributes dropout = {{"dropout", 0.1F}, {"dropout_seed", std::int64_t{7}}};
  return {{"Blocks", q, k, k, {"Mul"}, {number(0.35)}},
          {"TrainedBias", q, k, k, {"Add"}, {parameter({130, 300})}},
          {"TrainedSums",
           q,
           k,
           k,
           {"Mul", "Add", "Sub"},
           {parameter({}, 0.3, 0.4), parameter({300}), parameter({2, 130, 1})}},
          {"Causal",
           {1, 600, 4},
           {1, 600, 4},
           {1, 600, 4},
           {"Where"},
           {causal_flags(600, 600), number(-infinite)}},
          {"CausalOfFiniteNumbers",
           {1, 600, 4},
           {1, 600, 4},
           {1, 600, 4},
           {"Mul", "Where", "Add"},
           {parameter({}, 0.3, 0.4), causal_flags(600, 600), number(-3e38), parameter({1, 600})}},
          {"SoftCapUnderAMask",
           {1, 300, 4},
           {1, 300, 4},
           {1, 300, 4},
           {"Div", "Tanh", "Where"},
           {number(0.4), causal_flags(300, 300), number(-infinite)}},
          {"Groups", {1, 4, 130, 4}, {1, 2, 300, 4}, {1, 2, 300, 4}},
          {"Dropout", q, k, k, {"Mul"}, {number(0.5)}, dropout}};
}

}  // namespace stashscope::testing_run::fused_cases
