#include "core/graph/attributes.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/graph/graph.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace attributes_test {

std::string refusal(const std::function<void()>& action) {
  return test::refusal(ErrorKind::input, action);
}

Attributes one_of_each() {
  return {{"axis", std::int64_t{-1}},      {"alpha", 0.5F},
          {"mode", std::string("linear")}, {"pads", Integers{1, 2}},
          {"scales", Floats{1, 2}},        {"names", Strings{"a", "b"}},
          {"value", Tensor::int64s({7})},  {"opaque", OpaqueAttribute{"bytes"}}};
}

TEST(Attributes, ReadWhatIsThere) {
  const Attributes all = one_of_each();
  EXPECT_EQ(all.integer("axis", 3), -1);
  EXPECT_EQ(all.require_integer("axis"), -1);
  EXPECT_EQ(all.real("alpha", 1), 0.5F);
  EXPECT_EQ(all.text("mode", "nearest"), "linear");
  EXPECT_EQ(all.integers("pads"), (Integers{1, 2}));
  EXPECT_EQ(all.require_integers("pads"), (Integers{1, 2}));
  EXPECT_EQ(all.texts("names"), (Strings{"a", "b"}));
  ASSERT_NE(all.tensor("value"), nullptr);
  EXPECT_EQ(all.items().size(), 8U);
  EXPECT_TRUE(all.has("opaque"));
}

TEST(Attributes, FallBackWhereNothingIs) {
  const Attributes none;
  EXPECT_EQ(none.integer("axis", 3), 3);
  EXPECT_EQ(none.real("alpha", 1.5F), 1.5F);
  EXPECT_EQ(none.text("mode", "nearest"), "nearest");
  EXPECT_TRUE(none.integers("pads").empty());
  EXPECT_TRUE(none.texts("names").empty());
  EXPECT_EQ(none.tensor("value"), nullptr);
  EXPECT_EQ(none.subgraph("body"), nullptr);
  EXPECT_FALSE(none.has("axis"));
}

TEST(Attributes, NameWhatIsMissing) {
  const Attributes none;
  EXPECT_NE(refusal([&] { none.require_integer("to"); }).find("to"), std::string::npos);
  EXPECT_NE(refusal([&] { none.require_integers("perm"); }).find("perm"), std::string::npos);
}

TEST(Attributes, NameWhatIsOfAnotherKind) {
  const Attributes all = one_of_each();
  EXPECT_NE(refusal([&] { all.integer("mode", 0); }).find("mode"), std::string::npos);
  EXPECT_NE(refusal([&] { all.real("axis", 0); }).find("axis"), std::string::npos);
  EXPECT_NE(refusal([&] { all.text("pads", ""); }).find("pads"), std::string::npos);
  EXPECT_NE(refusal([&] { all.integers("axis"); }).find("axis"), std::string::npos);
  EXPECT_NE(refusal([&] { all.texts("mode"); }).find("mode"), std::string::npos);
  EXPECT_NE(refusal([&] { all.tensor("alpha"); }).find("alpha"), std::string::npos);
  EXPECT_NE(refusal([&] { all.subgraph("value"); }).find("value"), std::string::npos);
  EXPECT_NE(refusal([&] { all.require_integer("opaque"); }).find("opaque"), std::string::npos);
}

TEST(Attributes, SettingReplacesAndKeepsTheOrder) {
  Attributes all = one_of_each();
  all.set("axis", std::int64_t{2});
  all.set("new", std::int64_t{3});
  EXPECT_EQ(all.integer("axis", 0), 2);
  EXPECT_EQ(all.items().front().first, "axis");
  EXPECT_EQ(all.items().back().first, "new");
  EXPECT_EQ(all.items().size(), 9U);
  all.set("axis", std::string("of another kind"));
  EXPECT_EQ(all.text("axis", ""), "of another kind");
}

}  // namespace attributes_test
}  // namespace stashscope
