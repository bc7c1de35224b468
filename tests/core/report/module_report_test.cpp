#include "core/report/module_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/study/facts/module_memory.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace module_report_test {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(ModuleReport, ListsTheModulesThatHoldMost) {
  const auto study = test::study_of(test::named(test::blocks(8)));
  const std::string text = module_memory_text(*study);
  const ModuleMemory first = module_memory(*study).front();
  EXPECT_NE(text.find("  " + first.module + (first.is_rest ? " (rest): " : ": ")),
            std::string::npos)
      << text;
  EXPECT_EQ(count(text, "\n"), 14U) << "a title, twelve modules, and how many more\n" << text;
}

TEST(ModuleReport, JsonHasEveryModule) {
  const auto study = test::study_of(test::named(test::blocks(8)));
  const nlohmann::json rows = module_memory_json(*study);
  ASSERT_EQ(rows.size(), module_memory(*study).size());
  for (const char* key :
       {"module", "is_rest", "peak_bytes", "peak_symbolic", "stashed_bytes", "seconds"}) {
    EXPECT_TRUE(rows.at(0).contains(key)) << key;
  }
}

TEST(ModuleReport, TheIcicleNamesEveryBox) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  const std::string svg = memory_icicle_svg(*study, tensor_homes(*study, *study->current));
  EXPECT_GT(count(svg, "<rect"), 10U);
  EXPECT_EQ(count(svg, "<rect"), count(svg, "<title>"));
  EXPECT_EQ(count(svg, "\\x0a"), 0U) << "no escaped line ends";
  EXPECT_NE(svg.find("<title>h.1.mlp: "), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>all tensors alive at the peak: "), std::string::npos) << svg;
}

TEST(ModuleReport, AModelWithoutModulesHasNoTable) {
  const auto study = test::study_of(std::make_shared<const Graph>(test::perceptron().build()));
  EXPECT_EQ(module_memory_text(*study), "");
  EXPECT_TRUE(module_memory_json(*study).empty());
}

}  // namespace module_report_test
}  // namespace stashscope
