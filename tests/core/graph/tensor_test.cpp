#include "core/graph/tensor.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace tensor_test {

TEST(Tensor, HoldsWholeNumbersInTypesOfNumbers) {
  const std::vector<std::int64_t> items = {0, 1, 100};
  for (const ElementType element :
       {ElementType::int8, ElementType::uint8, ElementType::int16, ElementType::uint16,
        ElementType::int32, ElementType::uint32, ElementType::int64, ElementType::uint64}) {
    EXPECT_EQ(Tensor::of_integers(element, {3}, items).integers(), items) << name_of(element);
  }
  for (const ElementType element :
       {ElementType::float16, ElementType::bfloat16, ElementType::float32, ElementType::float64}) {
    EXPECT_EQ(Tensor::of_integers(element, {3}, items).reals(), (std::vector<double>{0, 1, 100}))
        << name_of(element);
  }
}

TEST(Tensor, ReturnsNoWholeNumbersAboveTheSignedOnes) {
  std::string raw(16, '\xff');
  EXPECT_EQ(Tensor(ElementType::uint64, {2}, raw).integers(), std::nullopt);
  raw[7] = raw[15] = '\x7f';
  EXPECT_EQ(Tensor(ElementType::uint64, {2}, raw).integers(),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MAX}));
}

TEST(Tensor, RefusesWholeNumbersOutsideOfItsType) {
  const auto refused = [](ElementType element, std::int64_t item) {
    return test::refusal(ErrorKind::input, [&] { Tensor::of_integers(element, {1}, {item}); });
  };
  EXPECT_EQ(refused(ElementType::uint8, 256), "256 is not a number of type uint8");
  EXPECT_EQ(refused(ElementType::uint8, -100), "-100 is not a number of type uint8");
  EXPECT_EQ(refused(ElementType::int8, 128), "128 is not a number of type int8");
  EXPECT_EQ(refused(ElementType::boolean, 2), "2 is not a number of type bool");
  EXPECT_EQ(refused(ElementType::string, 0), "whole numbers cannot be stored as string");
  EXPECT_EQ(refused(ElementType::uint4, 0), "whole numbers cannot be stored as uint4");
  EXPECT_EQ(refused(ElementType::int8, -128), "accepted");
}

}  // namespace tensor_test
}  // namespace stashscope
