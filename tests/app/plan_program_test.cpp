// The program that plans a task graph: exit codes and what it says.

#include "tests/app/command_line.h"

namespace stashscope {
namespace plan_program_test {

/// Two chains of two tasks that meet: 'n m persistent', then 'cost memory', then 'producer
/// consumer'.
class PlanProgram : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write_file_atomically(in_folder("graph.txt"),
                          "5 5 0\n1 10\n1 1\n1 10\n1 1\n1 1\n0 1\n2 3\n1 4\n3 4\n0 4\n");
  }
  Outcome plan(const std::string& arguments) const {
    return run(STASHSCOPE_PLANNER, in_folder("graph.txt") + " " + arguments);
  }
};

TEST_F(PlanProgram, ABudgetThatIsMetIsStatus0) {
  const Outcome outcome = plan("--budget 100 --move-limit 100");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_NE(outcome.output, "");
}

TEST_F(PlanProgram, ABudgetThatIsNotMetIsStatus1AndSaid) {
  const Outcome outcome = plan("--budget 5 --move-limit 100");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.errors.starts_with("stashscope-plan: ")) << outcome.errors;
  EXPECT_NE(outcome.errors.find("budget"), std::string::npos) << outcome.errors;
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
}

TEST_F(PlanProgram, AFullDiskIsStatus3) {
  const std::string words = in_folder("words.txt");
  for (const std::string& arguments :
       {std::string(" --version"),
        " " + in_folder("graph.txt") + " --order-only --move-limit 10"}) {
    const Outcome outcome =
        run("(" STASHSCOPE_PLANNER + arguments + " >/dev/full 2>" + words + ")", "");
    EXPECT_EQ(outcome.status, 3) << arguments;
    EXPECT_NE(read_file(words).find("cannot write"), std::string::npos) << arguments;
  }
}

TEST_F(PlanProgram, WrongUsageIsStatus2) {
  for (const char* const arguments :
       {"", "--budget -1", "--budget-percent 0", "--budget 5 --order-only"}) {
    EXPECT_EQ(plan(arguments).status, 2) << arguments;
  }
}

TEST_F(PlanProgram, TheInstanceIsNotOverwritten) {
  const std::string before = read_file(in_folder("graph.txt"));
  for (const char* const search : {"--budget 100", "--order-only"}) {
    const std::string out = std::string(search) + " --move-limit 100 --out ";
    const Outcome outcome = plan(out + in_folder("graph.txt"));
    EXPECT_EQ(outcome.status, 2) << search;
    EXPECT_NE(outcome.errors.find("the instance"), std::string::npos) << outcome.errors;
    EXPECT_EQ(read_file(in_folder("graph.txt")), before) << search;
    EXPECT_EQ(plan(out + in_folder("absent/sequence.txt")).status, 1) << search;
    EXPECT_EQ(plan(out + in_folder("sequence.txt")).status, 0) << search;
  }
}

TEST_F(PlanProgram, AFileThatIsNoGraphIsStatus1AndNamed) {
  const Outcome outcome = run(STASHSCOPE_PLANNER, in_folder("model.onnx") + " --budget 5");
  EXPECT_EQ(outcome.status, 1);
  expect_one_line(outcome, "stashscope-plan");
  EXPECT_NE(outcome.errors.find("model.onnx"), std::string::npos) << outcome.errors;
}

class ArenaProgram : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write_file_atomically(in_folder("arena.csv"),
                          "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\n"
                          "b5,0,21,4\n");
  }
  Outcome plan(const std::string& arguments) const {
    return run(STASHSCOPE_PLANNER, in_folder("arena.csv") +
                                       " --arena --time-limit 0 "
                                       "--move-limit 1000 " +
                                       arguments);
  }
};

TEST_F(ArenaProgram, PlacesBuffersAtTheLowestCapacity) {
  const Outcome outcome = plan("--out " + in_folder("placed.csv"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(outcome.output.starts_with("capacity 12 load bound 12 ratio 1.000000 buffers 5 "))
      << outcome.output;
  const std::string placed = read_file(in_folder("placed.csv"));
  EXPECT_TRUE(placed.starts_with("id,lower,upper,size,offset\nb1,0,3,4,")) << placed;
  EXPECT_EQ(std::count(placed.begin(), placed.end(), '\n'), 6) << placed;
}

TEST_F(ArenaProgram, ACapacityThatIsNotReachedIsStatus4AndSaid) {
  EXPECT_EQ(plan("--capacity 12").status, 0);
  const Outcome outcome = plan("--capacity 11");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_TRUE(outcome.errors.starts_with("stashscope-plan: --capacity: 11 B is below 12 B"))
      << outcome.errors;
  EXPECT_NE(outcome.output.find("capacity 12 "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("OVER CAPACITY"), std::string::npos) << outcome.output;
}

TEST_F(ArenaProgram, TheInstanceIsNotOverwritten) {
  const std::string before = read_file(in_folder("arena.csv"));
  const Outcome outcome = plan("--out " + in_folder("arena.csv"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("the instance"), std::string::npos) << outcome.errors;
  EXPECT_EQ(read_file(in_folder("arena.csv")), before);
  EXPECT_EQ(plan("--out " + in_folder("absent/placement.csv")).status, 1);
}

TEST_F(ArenaProgram, BadInputAndOptionsAreRefused) {
  write_file_atomically(in_folder("arena.csv"), "id,lower,upper,size\nb1,3,3,4\n");
  const Outcome outcome = plan("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("arena.csv: line 2"), std::string::npos) << outcome.errors;
  EXPECT_EQ(plan("--capacity -4").status, 2);
  EXPECT_EQ(plan("--budget 4").status, 2);
  EXPECT_EQ(plan("--order-only").status, 2);
  EXPECT_EQ(run(STASHSCOPE_PLANNER, in_folder("arena.csv") + " --order-only --capacity 4").status,
            2);
}

}  // namespace plan_program_test
}  // namespace stashscope
