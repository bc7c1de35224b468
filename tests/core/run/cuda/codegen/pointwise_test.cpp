#include "core/run/cuda/codegen/pointwise.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace pointwise_test {

constexpr ElementType f32 = ElementType::float32;
constexpr ElementType f16 = ElementType::float16;
constexpr ElementType bf16 = ElementType::bfloat16;
constexpr ElementType f64 = ElementType::float64;
constexpr ElementType i8 = ElementType::int8;
constexpr ElementType i32 = ElementType::int32;
constexpr ElementType i64 = ElementType::int64;
constexpr ElementType u8 = ElementType::uint8;
constexpr ElementType flag = ElementType::boolean;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::string microsoft = "com.microsoft";

/// Adds the node twice. The second time, its output is in the memory of input 0.
void add_both(std::vector<KernelCase>& cases, const OneNode& node) {
  cases.push_back({.node = node});
  cases.push_back({.node = node, .in_place = InPlace{0, 0}});
}

TEST(CudaActivation, FunctionsOfOneInput) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, bf16, f64}) {
    // One full pack and a remainder in every type.
    Tensor x = spread(element, {3, 7});
    for (const char* type : {"Neg",         "Abs",   "Sign",      "Relu",
                             "Floor",       "Ceil",  "Round",     "Reciprocal",
                             "Exp",         "Erf",   "Sin",       "Cos",
                             "Tan",         "Atan",  "Sinh",      "Cosh",
                             "Tanh",        "Asinh", "Sigmoid",   "Softplus",
                             "Softsign",    "Mish",  "HardSwish", "LeakyRelu",
                             "Elu",         "Celu",  "Selu",      "ThresholdedRelu",
                             "HardSigmoid", "Swish", "Shrink"}) {
      const std::int64_t opset = std::string(type) == "Swish" ? 24 : 22;
      cases.push_back({.node = {.type = type, .inputs = {x}, .opset = opset}});
    }
    for (const char* type : {"Sqrt", "Log"}) {
      cases.push_back({.node = {type, {spread(element, {16}, 0.01, 9)}}});
    }
    for (const char* type : {"Asin", "Acos", "Atanh"}) {
      cases.push_back({.node = {type, {spread(element, {16}, -0.9, 0.9)}}});
    }
    cases.push_back({.node = {"Acosh", {spread(element, {16}, 1, 9)}}});
    add_both(cases, {.type = "Gelu", .inputs = {x}, .opset = 20});
    cases.push_back({.node = {.type = "Gelu", .inputs = {x}, .domain = microsoft}});
    cases.push_back({.node = {.type = "QuickGelu", .inputs = {x}, .domain = microsoft}});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaActivation, Attributes) {
  Attributes attributes;
  attributes.set("alpha", 0.3F);
  attributes.set("gamma", 2.5F);
  attributes.set("beta", 0.25F);
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, bf16}) {
    const Tensor x = spread(element, {33});
    for (const char* type :
         {"LeakyRelu", "Elu", "Celu", "Selu", "ThresholdedRelu", "HardSigmoid"}) {
      cases.push_back({.node = {type, {x}, attributes}});
    }
    Attributes tanh_form;
    tanh_form.set("approximate", std::string("tanh"));
    cases.push_back({.node = {"Gelu", {x}, tanh_form, 20}});
    Attributes band;
    band.set("bias", 0.5F);
    band.set("lambd", 1.5F);
    cases.push_back({.node = {"Shrink", {x}, band}});
    cases.push_back({.node = {"PRelu", {spread(element, {3, 5}), spread(element, {5})}}});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaActivation, BiasesAndGradients) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, bf16}) {
    const auto add = [&](const char* type, std::vector<Tensor> inputs) {
      cases.push_back({.node = {.type = type, .inputs = std::move(inputs), .domain = microsoft}});
    };
    const Tensor x = spread(element, {3, 2, 8});
    const Tensor dy = spread(element, {3, 2, 8}, -1, 1);
    for (const char* type :
         {"ReluGrad", "SigmoidGrad", "TanhGrad", "GeluGrad", "FastGeluGrad", "QuickGeluGrad"}) {
      add(type, {dy, x});
    }
    // Rows of whole packs, and rows with a remainder.
    for (const std::int64_t size : {8, 5}) {
      const Tensor wide = spread(element, {3, size});
      const Tensor bias = spread(element, {size});
      add("BiasGelu", {wide, bias});
      add("FastGelu", {wide, bias});
      add("FastGelu", {wide});
      add("BiasGeluGrad_dX", {spread(element, {3, size}, -1, 1), wide, bias});
      add("BiasFastGeluGrad_dX", {spread(element, {3, size}, -1, 1), wide, bias});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaActivation, NumbersThatAreNone) {
  std::vector<KernelCase> cases;
  const std::vector<double> odd = {infinity, -infinity, nan, 0.0, -0.0, 1, -1};
  for (const ElementType element : {f32, f16, bf16}) {
    const Tensor x = tensor_of_numbers(element, {7}, odd);
    for (const char* type : {"IsNaN", "IsInf", "Relu", "Sign", "Sigmoid", "Softplus", "Round",
                             "HardSigmoid", "Sqrt", "Abs", "Neg"}) {
      cases.push_back({.node = {.type = type, .inputs = {x}, .opset = 20}});
    }
    Attributes negative_only;
    negative_only.set("detect_positive", std::int64_t{0});
    cases.push_back({.node = {"IsInf", {x}, negative_only, 20}});
    const Tensor y = tensor_of_numbers(element, {7, 1}, odd);
    for (const char* type : {"Min", "Max", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                             "Equal", "Div", "Add", "Mul"}) {
      cases.push_back({.node = {type, {x, y}}});
    }
    cases.push_back({.node = {"Clip",
                              {x, tensor_of_numbers(element, {}, {-0.5}),
                               tensor_of_numbers(element, {}, {0.5})}}});
  }
  expect_as_on_cpu(cases);
}

/// Pairs of dims for every kind of broadcast that the generator distinguishes.
const std::vector<std::pair<Dims, Dims>>& broadcast_pairs() {
  static const std::vector<std::pair<Dims, Dims>> pairs = {
      {{4, 6}, {4, 6}},
      {{31}, {31}},
      {{2, 3, 8}, {8}},
      {{2, 3, 8}, {}},
      {{2, 3, 5}, {5}},
      {{2, 3, 8}, {3, 1}},
      {{2, 3, 8}, {2, 1, 8}},
      {{3, 1, 16}, {1, 4, 1}},
      {{2, 3, 4, 16}, {2, 1, 1, 16}},
      {{1, 3, 1, 5}, {2, 1, 3, 1}},
      {{0, 4}, {4}},
      {{7, 600}, {600}},  // several blocks
  };
  return pairs;
}

TEST(CudaArithmetic, Broadcasts) {
  std::vector<KernelCase> cases;
  for (const auto& [a, b] : broadcast_pairs()) {
    for (const ElementType element : {f32, f16, i8, i64}) {
      const Tensor left = spread(element, a, -100, 100);
      const Tensor right = spread(element, b, 1, 5);
      cases.push_back({.node = {"Sub", {left, right}}});
      cases.push_back({.node = {"Div", {right, left}}});
      if (element_count(a) > 0) cases.back().node.inputs[1] = spread(element, a, 1, 9);
    }
    cases.push_back({.node = {"Where", {spread(flag, b), spread(f32, a), spread(f32, {})}}});
    cases.push_back({.node = {"Where", {spread(flag, a), spread(bf16, b), spread(bf16, a)}}});
    cases.push_back({.node = {"Less", {spread(f32, a), spread(f32, b)}}});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaArithmetic, AllTypes) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {f32, f16, bf16, f64, i8, ElementType::int16, i32, i64, u8, ElementType::uint16,
        ElementType::uint32, ElementType::uint64}) {
    const bool has_sign = element != u8 && element != ElementType::uint16 &&
                          element != ElementType::uint32 && element != ElementType::uint64;
    const Tensor a = spread(element, {5, 7}, has_sign ? -90 : 0, 90);
    const Tensor b = spread(element, {5, 7}, 1, 9);
    const Tensor c = spread(element, {7}, has_sign ? -9 : 0, 9);
    for (const char* type : {"Add", "Sub", "Mul", "Div", "Min", "Max"}) {
      add_both(cases, {type, {a, b}});
      cases.push_back({.node = {type, {a, b}}, .in_place = InPlace{1, 0}});
    }
    for (const char* type : {"Min", "Max"}) add_both(cases, {type, {a, b, c, b}});
    if (is_floating(element)) {
      add_both(cases, {"Sum", {a, b, c, b}});
      cases.push_back({.node = {"Sum", {a}}});
    }
    Attributes like_c;
    like_c.set("fmod", std::int64_t{1});
    cases.push_back({.node = {"Mod", {a, b}, like_c}});
    cases.push_back({.node = {"Mod", {a, b}}});
    cases.push_back({.node = {"Mod", {b, spread(element, {5, 7}, has_sign ? -9 : 1, -0.5)}}});
    if (!has_sign) cases.pop_back();
    cases.push_back(
        {.node = {"Clip", {a, spread(element, {}, 0, 9), spread(element, {}, 50, 60)}}});
    cases.push_back({.node = {"Clip", {a, Tensor(), spread(element, {}, 5, 6)}}});
    if (is_floating(element)) add_both(cases, {"Mean", {a, b, c}});
    for (const char* type : {"Abs", "Sign", "Relu"}) cases.push_back({.node = {type, {a}}});
  }
  Attributes bounds;
  bounds.set("min", -1.5F);
  bounds.set("max", 2.25F);
  cases.push_back({.node = {"Clip", {spread(f32, {9})}, bounds, 6}});
  cases.push_back({.node = {"Clip", {spread(f16, {9})}, {}, 6}});
  expect_as_on_cpu(cases);
}

TEST(CudaArithmetic, WholeNumbersAtTheirLimits) {
  std::vector<KernelCase> cases;
  const auto lowest = static_cast<double>(std::numeric_limits<std::int32_t>::min());
  const Tensor a = tensor_of_numbers(i32, {4}, {lowest, lowest, 7, -7});
  const Tensor b = tensor_of_numbers(i32, {4}, {-1, 1, -2, 2});
  for (const char* type : {"Div", "Mod", "Add", "Mul"}) cases.push_back({.node = {type, {a, b}}});
  expect_as_on_cpu(cases);
}

TEST(CudaArithmetic, Powers) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, bf16, f64, i32}) {
    const Tensor base = spread(element, {3, 5}, 0, 6);
    for (const double exponent : {2.0, 3.0, 0.5, 1.7, -1.0}) {
      if (element == i32 && exponent < 0) continue;
      add_both(cases, {"Pow", {base, tensor_of_numbers(f32, {}, {exponent})}});
    }
    cases.push_back({.node = {"Pow", {base, tensor_of_numbers(i64, {1}, {3})}}});
    cases.push_back({.node = {"Pow", {base, spread(f32, {5}, 0, 3)}}});
    cases.push_back({.node = {"Pow", {spread(element, {1}, 1, 3), spread(f32, {2, 5}, 0, 3)}}});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaCast, BetweenAllTypes) {
  std::vector<KernelCase> cases;
  const std::vector<ElementType> types = {f32,
                                          f16,
                                          bf16,
                                          f64,
                                          flag,
                                          i8,
                                          ElementType::int16,
                                          i32,
                                          i64,
                                          u8,
                                          ElementType::uint16,
                                          ElementType::uint32,
                                          ElementType::uint64};
  for (const ElementType from : types) {
    for (const ElementType to : types) {
      Attributes attributes;
      attributes.set("to", static_cast<std::int64_t>(to));
      cases.push_back({.node = {"Cast", {spread(from, {23}, 0, 120)}, attributes}});
      if (!is_floating(from)) continue;
      const Tensor odd = tensor_of_numbers(
          from, {12},
          {nan, infinity, -infinity, 0.3, -0.3, 300.7, -300.7, 70000, -70000, 5e9, 1e19, 3e20});
      cases.push_back({.node = {"Cast", {odd}, attributes}});
    }
  }
  cases.push_back({.node = {"CastLike", {spread(f32, {3, 3}), spread(f16, {2})}}});
  expect_as_on_cpu(cases);
}

TEST(CudaCast, FloatsOf8Bits) {
  std::vector<KernelCase> cases;
  std::vector<double> odd = {nan,  infinity, -infinity, 447,   464, 465,
                             -500, 57344,    61439,     61440, 7e4};
  // Halfway between neighbours of both formats, and around the first subnormal numbers.
  for (int i = -40; i < 40; ++i) odd.push_back(i * 0x1p-11);
  for (int i = -40; i < 40; ++i) odd.push_back(i * 0x1p-18);
  for (int i = 0; i < 40; ++i) odd.push_back(1 + i / 32.0);
  const auto count = static_cast<std::int64_t>(odd.size());
  for (const ElementType small : {ElementType::float8e4m3fn, ElementType::float8e5m2}) {
    for (const std::int64_t saturates : {0, 1}) {
      Attributes attributes;
      attributes.set("to", static_cast<std::int64_t>(small));
      attributes.set("saturate", saturates);
      for (const ElementType from : {f32, f16, bf16}) {
        const Tensor x = tensor_of_numbers(from, {count}, odd);
        cases.push_back({.node = {"Cast", {x}, attributes, 19}});
      }
    }
    std::string codes(256, '\0');
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<char>(i);
    for (const ElementType to : {f32, f16, bf16, f64, i32}) {
      Attributes attributes;
      attributes.set("to", static_cast<std::int64_t>(to));
      cases.push_back({.node = {"Cast", {Tensor(small, {256}, codes)}, attributes, 19}});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaLogic, Flags) {
  std::vector<KernelCase> cases;
  const Tensor a = spread(flag, {3, 17});
  const Tensor b = spread(flag, {17});
  for (const char* type : {"And", "Or", "Xor", "Equal"}) add_both(cases, {type, {a, b}});
  add_both(cases, {"Not", {a}});
  for (const ElementType element : {i8, i32, i64, u8}) {
    const Tensor x = spread(element, {20}, 0, 100);
    const Tensor y = spread(element, {20}, 0, 70);
    for (const char* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Greater"}) {
      cases.push_back({.node = {type, {x, y}, {}, 19}});
    }
    cases.push_back({.node = {"BitwiseNot", {x}}});
  }
  for (const ElementType element : {u8, ElementType::uint32, ElementType::uint64}) {
    for (const char* direction : {"LEFT", "RIGHT"}) {
      Attributes attributes;
      attributes.set("direction", std::string(direction));
      cases.push_back({.node = {"BitShift",
                                {spread(element, {20}, 0, 250), spread(element, {20}, 0, 70)},
                                attributes}});
    }
  }
  const OneNode where = {"Where", {spread(flag, {5, 8}), spread(i64, {5, 8}), spread(i64, {8})}};
  cases.push_back({.node = where, .in_place = InPlace{1, 0}});
  expect_as_on_cpu(cases);
}

}  // namespace pointwise_test
}  // namespace stashscope::testing_run
