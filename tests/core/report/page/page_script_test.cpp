#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/report/page/page.h"
#include "core/report/page/page_parts.h"
#include "core/study/facts/icicle.h"
#include "tests/core/report/page/page_data.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace page_script_test {

namespace fs = std::filesystem;

/// Runs scripts with node, which the project does not need otherwise.
class PageScript : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is missing";
    folder_ = fs::temp_directory_path() / ("page_script_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  int run(const std::string& options, const std::string& script) {
    write_file_atomically(folder_ / "script.js", script);
    return std::system(("node " + options + " " + (folder_ / "script.js").string() + " > " +
                        (folder_ / "output").string() + " 2>&1")
                           .c_str());
  }
  std::string output() const { return read_file(folder_ / "output"); }

  fs::path folder_;
};

TEST_F(PageScript, IsValidJavaScript) {
  EXPECT_EQ(run("--check", std::string(page_parts().script)), 0) << output();
}

/// The program's boxes of all groupings at a slot, as the script below prints them.
nlohmann::json boxes_of(const Study& study, std::size_t slot) {
  nlohmann::json all = nlohmann::json::object();
  for (const MemoryGrouping grouping : {MemoryGrouping::module, MemoryGrouping::band,
                                        MemoryGrouping::op_type, MemoryGrouping::source_line}) {
    const MemoryTree tree = memory_tree(study, *study.current, grouping);
    const auto bytes = tree_bytes(tree, study.current->timeline, slot);
    std::multiset<std::string> boxes;
    for (const IcicleBox& box : icicle_boxes(tree, bytes, 0, 0)) {
      boxes.insert(std::to_string(box.row) + " " + chain_name(tree, box) + " " +
                   std::to_string(bytes[box.node]));
    }
    all[std::string(name_of(grouping))] = boxes;
  }
  return all;
}

TEST_F(PageScript, DrawsTheBoxesOfTheProgram) {
  const auto study = test::study_of(test::named(test::blocks(4)), 1);
  const nlohmann::json data = test::data_of_page(html_report({*study, "m.onnx"}));
  const std::string script(page_parts().script);
  // Without the last statement, which looks for the elements of a page.
  const std::string functions = script.substr(0, script.rfind("main();"));
  for (const std::size_t slot : {std::size_t{0}, study->current->timeline.peak_slot,
                                 study->current->timeline.order.size() - 1}) {
    const std::string print =
        "const data = " + data.dump() + ", slot = " + std::to_string(slot) + R"(;
const names = readNames(data.tensors.shared, data.tensors.name);
const all = {};
for (const grouping of Object.keys(data.trees)) {
  const nodes = buildTree(data, names, grouping);
  const bytes = bytesAt(data, nodes, slot, data.curve.columns.live[slot]);
  all[grouping] = layOutBoxes(nodes, bytes, 0, 0).map(
      (box) => `${box.row} ${chainName(nodes, box)} ${bytes[box.node]}`).sort();
}
console.log(JSON.stringify(all));
)";
    ASSERT_EQ(run("", functions + print), 0) << output();
    EXPECT_EQ(nlohmann::json::parse(output()), boxes_of(*study, slot)) << slot;
  }
}

TEST_F(PageScript, WritesBytesAsTheProgramDoes) {
  const std::string script(page_parts().script);
  const std::string functions = script.substr(0, script.rfind("main();"));
  const std::vector<std::int64_t> amounts = {0,       640,         1023,        1024,
                                             10239,   10240,       1048575,     1342177280,
                                             1 << 30, 53687091200, 12859457601, 1125899906842624};
  ASSERT_EQ(run("", functions + "console.log(JSON.stringify(" + nlohmann::json(amounts).dump() +
                        ".map(formatBytes)));"),
            0)
      << output();
  nlohmann::json wanted = nlohmann::json::array();
  for (const std::int64_t bytes : amounts) wanted.push_back(format_bytes(bytes));
  EXPECT_EQ(nlohmann::json::parse(output()), wanted);
}

}  // namespace page_script_test
}  // namespace stashscope
