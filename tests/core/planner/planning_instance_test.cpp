#include "core/planner/planning_instance.h"

#include <gtest/gtest.h>

#include "core/base/files.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace planning_instance_test {

PlanningInstance read_text(const std::string& text) {
  const test::Folder folder;
  write_file_atomically(folder / "instance.txt", text);
  return read_instance(folder / "instance.txt");
}

TEST(PlanningInstance, IsReadAsItsFormatSays) {
  const PlanningInstance instance = read_text("3 3 7\n1 10\n2 20\n4 40\n0 1\n1 2\n0 1\n");
  const TaskGraph& graph = instance.graph;
  EXPECT_EQ(graph.tasks(), 3U);
  EXPECT_EQ(graph.persistent_bytes, 7);
  EXPECT_EQ(graph.cost[TaskId(2)], 4);
  EXPECT_EQ(graph.bytes[ItemId(1)], 20);
  EXPECT_EQ(graph.inputs[TaskId(1)].size(), 1U) << "an edge counts once";
  EXPECT_EQ(memory_of(graph, instance.given_order).peak_bytes, 67);
}

TEST(PlanningInstance, FaultsNameTheLine) {
  const auto refused = [](const std::string& text, const std::string& line,
                          const std::string& part = "") {
    const std::string error = test::refusal(ErrorKind::input, [&] { read_text(text); });
    EXPECT_NE(error.find(line + ": "), std::string::npos) << error;
    const std::string without_hint = error.substr(0, error.find("; "));
    EXPECT_NE(without_hint.find(part), std::string::npos) << error;
  };
  refused("", "line 1");
  refused("2 1 0\n1 1\n", "line 3", "cost");
  refused("2 1 0\n1 1\n1 x\n0 1\n", "line 3", "memory");
  refused("2 1 0\n1 1\n1 1\n1 1\n", "line 4");
  refused("2 1 0\n1 1\n1 1\n0 2\n", "line 4", "consumer");
  refused("2 1 0\n1 1\n1 -1\n0 1\n", "line 3", "memory");
  refused("2 1 0\n1 1\n1 1\n0 1 5\n", "line 4", "last edge");
  refused("2 1 0\n1 1.5\n1 1\n0 1\n", "line 2", "'.5'");
  refused("99999999999 1 0\n", "line 1", "number of tasks");
}

}  // namespace planning_instance_test
}  // namespace stashscope
