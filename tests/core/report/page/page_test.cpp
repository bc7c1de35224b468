#include "core/report/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/base/text.h"
#include "core/onnx/model_file.h"
#include "core/report/page/page_answer.h"
#include "core/study/facts/icicle.h"
#include "core/study/facts/plan_facts.h"
#include "tests/core/report/page/page_data.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace page_test {

using nlohmann::json;
using test::data_of_page;

std::shared_ptr<const Study> example() { return test::study_of(test::named(test::blocks(4)), 1); }

std::string page_of(const Study& study, const PageLimits& limits = {}) {
  return html_report({study, "m.onnx"}, limits);
}

TEST(Page, TheCurveHasTheFiguresOfTheStudy) {
  const auto study = example();
  const json curve = data_of_page(page_of(*study))["curve"];
  const Timeline& timeline = study->current->timeline;
  EXPECT_EQ(curve["slots"], timeline.order.size());
  EXPECT_EQ(curve["columns"]["live"], json(timeline.live_bytes));
  EXPECT_EQ(curve["peak_column"], timeline.peak_slot);
  EXPECT_EQ(curve["lines"][0]["live"], json(study->baseline->timeline.live_bytes));
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    for (std::size_t band = 0; band < band_count; ++band) {
      EXPECT_EQ(curve["columns"]["bands"][band][slot], study->current->bands[slot][band]);
    }
  }
}

TEST(Page, FewerColumnsKeepThePeakAndItsSlot) {
  const auto study = example();
  PageLimits limits;
  limits.columns = 7;
  const std::string page = page_of(*study, limits);
  const json curve = data_of_page(page)["curve"];
  const Timeline& timeline = study->current->timeline;
  ASSERT_EQ(curve["columns"]["live"].size(), 7U);
  const std::size_t peak = curve["peak_column"];
  EXPECT_EQ(curve["columns"]["live"][peak], timeline.peak_bytes);
  EXPECT_EQ(curve["columns"]["slot"][peak], timeline.peak_slot);
  const auto before = curve["lines"][0]["live"].get<std::vector<std::int64_t>>();
  EXPECT_EQ(*std::ranges::max_element(before), study->baseline->timeline.peak_bytes);
  EXPECT_NE(page.find("The curve has 7 columns for "), std::string::npos);
}

TEST(Page, TheTensorsAddUpToEverySlot) {
  const auto study = example();
  const json data = data_of_page(page_of(*study));
  ASSERT_EQ(data["complete"], true);
  const json& tensors = data["tensors"];
  const std::vector<std::int64_t>& live = study->current->timeline.live_bytes;
  for (std::size_t slot = 0; slot < live.size(); ++slot) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < tensors["bytes"].size(); ++i) {
      const bool is_alive = tensors["first"][i] <= slot && slot <= tensors["last"][i];
      if (is_alive) sum += tensors["bytes"][i].get<std::int64_t>();
    }
    EXPECT_EQ(sum, live[slot]) << slot;
  }
}

TEST(Page, TensorsKeepTheirNamesAndGroups) {
  const auto study = example();
  const json data = data_of_page(page_of(*study));
  const std::vector<std::string> names = test::names_of_page(data);
  const MemoryTree tree = memory_tree(*study, *study->current, MemoryGrouping::module);
  std::multiset<std::string> wanted;
  std::multiset<std::string> found;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].buffer.valid()) wanted.insert(path_in_tree(tree, i));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    found.insert(test::path_on_page(data, "module", data["tensors"]["group"]["module"][i]) + "." +
                 names[i]);
  }
  EXPECT_EQ(found, wanted);
}

TEST(Page, PlansAndModulesHaveTheFiguresOfTheStudy) {
  const auto study = test::study_of(test::named(test::blocks(4)));
  const json data = data_of_page(page_of(*study));
  const std::vector<std::string> names = test::names_of_page(data);
  ASSERT_EQ(data["plans"].size(), plan_rows(*study));
  ASSERT_GT(data["plans"].size(), 0U);
  for (std::size_t i = 0; i < plan_rows(*study); ++i) {
    const PlanRow& row = plan_row(*study, i);
    EXPECT_EQ(data["plans"][i]["config"], row.config);
    EXPECT_EQ(data["plans"][i]["saving_bytes"], row.saving_bytes);
    EXPECT_EQ(data["plans"][i]["bytes_at_peak"], row.bytes_at_peak);
    EXPECT_EQ(data["plans"][i]["extra_seconds"], row.cost.seconds);
    EXPECT_EQ(data["plans"][i]["on"], row.on);
    std::set<std::string> freed;  // a tensor has one entry for each of its uses
    for (const std::size_t entry : data["plans"][i]["tensors"]) freed.insert(names[entry]);
    EXPECT_EQ(freed.size(), row.occurrences->size());
  }
  const std::vector<ModuleMemory> modules = module_memory(*study);
  ASSERT_EQ(data["modules"].size(), modules.size());
  for (std::size_t i = 0; i < modules.size(); ++i) {
    EXPECT_EQ(data["modules"][i]["module"], modules[i].module);
    EXPECT_EQ(data["modules"][i]["peak_bytes"], modules[i].peak_bytes);
    EXPECT_EQ(data["modules"][i]["stashed_at_peak_bytes"], modules[i].stashed_at_peak);
  }
}

/// The bytes at the peak of the tensors of each module.
TEST(Page, TheTensorsOfAModuleAddUpToItsRow) {
  const auto study = example();
  const json data = data_of_page(page_of(*study));
  std::vector<std::int64_t> sums(data["modules"].size(), 0);
  const std::size_t peak = study->current->timeline.peak_slot;
  const json& tensors = data["tensors"];
  for (std::size_t i = 0; i < tensors["bytes"].size(); ++i) {
    const int row = tensors["module"][i];
    if (row < 0 || tensors["first"][i] > peak || tensors["last"][i] < peak) continue;
    sums[static_cast<std::size_t>(row)] += tensors["bytes"][i].get<std::int64_t>();
  }
  for (std::size_t row = 0; row < sums.size(); ++row) {
    EXPECT_EQ(data["modules"][row]["peak_bytes"], sums[row]) << data["modules"][row]["module"];
  }
}

TEST(Page, WithoutRoomItHasThePeakInFullAndSaysSo) {
  const auto study = example();
  PageLimits limits;
  limits.tensor_bytes = 600;
  const std::string page = page_of(*study, limits);
  const json data = data_of_page(page);
  EXPECT_EQ(data["complete"], false);
  const auto bytes = data["tensors"]["bytes"].get<std::vector<std::int64_t>>();
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}),
            study->current->timeline.peak_bytes);
  EXPECT_NE(page.find("it has the tensors alive at the peak only"), std::string::npos);
  EXPECT_LT(page.size(), page_of(*study).size());
}

TEST(Page, GroupsCountInItsSize) {
  const auto study = example();
  const auto bytes_of_tensors = [&](std::size_t limit) {
    PageLimits limits;
    limits.tensor_bytes = limit;
    const json data = data_of_page(page_of(*study, limits));
    return data["tensors"].dump().size() + data["trees"].dump().size();
  };
  const std::size_t whole = bytes_of_tensors(1 << 20);
  for (const std::size_t limit : {whole / 2, whole / 4}) {
    EXPECT_LT(bytes_of_tensors(limit), 1.25 * static_cast<double>(limit)) << limit;
  }
  PageLimits limits;
  limits.tensor_bytes = whole / 4;
  const std::string page = page_of(*study, limits);
  EXPECT_NE(page.find("the innermost groups are left out"), std::string::npos);
  const json data = data_of_page(page);
  for (const auto& [grouping, groups] : data["tensors"]["group"].items()) {
    for (const std::size_t group : groups) {
      EXPECT_LT(group, data["trees"][grouping]["name"].size()) << grouping;
    }
  }
}

TEST(Page, LongTablesAreCutAndSaySo) {
  const auto study = example();
  PageLimits limits;
  limits.rows = 2;
  const std::string page = page_of(*study, limits);
  EXPECT_EQ(data_of_page(page)["modules"].size(), 2U);
  EXPECT_NE(page.find("The table has the first 2 of " +
                      std::to_string(module_memory(*study).size()) + " modules."),
            std::string::npos);
}

TEST(Page, ThatOfALargeModelIsComplete) {
  const std::filesystem::path model = STASHSCOPE_SHARED "/models/full/gpt2_xl_1.5b_train_fwd.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << model << " is missing";
  const auto study =
      compute_study(std::make_shared<const Graph>(load_model(model)), {}, nullptr, Progress());
  const std::string page = page_of(*study);
  EXPECT_LT(page.size(), 2U << 20);
  EXPECT_EQ(data_of_page(page)["complete"], true);
}

TEST(Page, LoadsNothing) {
  const std::string page = page_of(*example());
  for (const char* way :
       {"http:", "https:", " src=", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(way), std::string::npos) << way;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

/// A model whose names try to leave the places where they are written.
std::shared_ptr<const Study> hostile_study(const std::string& name) {
  test::ModelBuilder m;
  m.input("x", {name.c_str(), 4}).weight(name + "w", {4, 4});
  m.node("MatMul", {"x", name + "w"}, {"/" + name + "/h"});
  m.node("Gelu", {"/" + name + "/h"}, {"/" + name + "/g"}, {}, "com.microsoft");
  m.node("MatMul", {"/" + name + "/g", name + "w"}, {"y"}).output("y");
  Choices choices;
  choices.plans.level = 1;
  return compute_study(test::named(m), choices, nullptr, Progress());
}

TEST(Page, HostileNamesStayTexts) {
  for (const std::string name :
       {"</script><script>alert(1)</script>", "\"><img/onerror=alert(1)>", "<!--<script>",
        "{{data}}", "' onclick='alert(1)", "\xff\xfe", "\u2028", "]]>", "a\nb"}) {
    const auto study = hostile_study(name);
    ReportInput input{*study, name};
    input.command = "stashscope '" + name + "'";
    input.moves = next_moves(*study, 3, Progress());
    const std::string page = html_report(input);
    EXPECT_EQ(page.find("<script>alert"), std::string::npos) << name;
    EXPECT_EQ(page.find("<img"), std::string::npos) << name;
    EXPECT_EQ(test::count_of(page, "<script"), 2U) << name;
    EXPECT_EQ(test::count_of(page, "</script"), 2U) << name;
    EXPECT_EQ(test::count_of(page, "<!--"), 1U) << name;
    const std::vector<std::string> names = test::names_of_page(data_of_page(page));
    EXPECT_NE(std::ranges::find(names, to_valid_utf8(name + "w")), names.end()) << name;
  }
}

TEST(Page, TheAnswerComesFirst) {
  const auto study = example();
  const std::vector<Sentence> sentences =
      answer_sentences({*study, "m.onnx"}, module_memory(*study));
  EXPECT_TRUE(sentences.front().starts_with("The step needs ")) << sentences.front();
  EXPECT_NE(sentences.front().find(format_bytes(study->current->timeline.peak_bytes)),
            std::string::npos);
  EXPECT_NE(sentences[1].find("fits"), std::string::npos) << sentences[1];
  EXPECT_NE(sentences.back().find(module_memory(*study).front().module), std::string::npos);
}

TEST(Page, SaysByHowMuchAStepDoesNotFit) {
  Choices choices;
  choices.times.profile.memory_bytes = 1;
  const auto study = compute_study(test::named(test::blocks(2)), choices, nullptr, Progress());
  const std::vector<Sentence> sentences = answer_sentences({*study, "m.onnx"}, {});
  EXPECT_NE(sentences[1].find("not fit</strong>"), std::string::npos) << sentences[1];
  EXPECT_NE(sentences[1].find(format_bytes(study->current->timeline.peak_bytes - 1) + " too much"),
            std::string::npos)
      << sentences[1];
}

TEST(Page, MovesHaveTheirExactPrice) {
  const auto study = test::study_of(test::named(test::blocks(6)));
  ReportInput input{*study, "m.onnx"};
  input.moves = next_moves(*study, 2, Progress());
  ASSERT_FALSE(input.moves->empty());
  const std::vector<Sentence> sentences = move_sentences(input);
  ASSERT_EQ(sentences.size(), input.moves->size());
  EXPECT_NE(sentences.front().find(format_bytes(-input.moves->front().peak_change)),
            std::string::npos)
      << sentences.front();
  EXPECT_NE(html_report(input).find(sentences.front()), std::string::npos);
}

TEST(Page, SaysThatNotAllMovesWereTried) {
  const auto study = test::study_of(test::named(test::blocks(6)));
  ReportInput input{*study, "m.onnx"};
  input.tried_moves = {1, 64};
  input.moves = next_moves(*study, 2, Progress(), input.tried_moves);
  ASSERT_GT(study->plan_table->plans.size(), 1U);
  const auto is_row = [](const NextMove& move) { return option_of(move).empty(); };
  EXPECT_EQ(std::ranges::count_if(*input.moves, is_row), 1);
  EXPECT_EQ(move_sentences(input).back(),
            "The search tried 1 of the " + std::to_string(study->plan_table->plans.size()) +
                " recompute plans that are off, starting with the plans that free the most "
                "memory.");
}

TEST(Page, SaysThatNoPassWasTried) {
  const auto study = test::study_of(test::named(test::blocks(2)));
  ReportInput input{*study, "m.onnx"};
  input.moves.emplace();
  EXPECT_NE(move_sentences(input).front().find("graph passes"), std::string::npos);
  input.tried_moves.passes = 0;
  const std::vector<Sentence> sentences = move_sentences(input);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences.front().find("graph pass"), std::string::npos) << sentences.front();
  EXPECT_NE(sentences.back().find("No graph pass and no what-if was tried"), std::string::npos);
}

TEST(Page, AnEmptyModelHasAPage) {
  test::ModelBuilder m;
  const auto study =
      compute_study(std::make_shared<const Graph>(m.input("x", {2}).output("x").build()), {},
                    nullptr, Progress());
  const json data = data_of_page(page_of(*study));
  EXPECT_EQ(data["curve"]["slots"], 0);
}

}  // namespace page_test
}  // namespace stashscope
