// The static arena from the command line: the report, the file, and wrong usage.

#include "core/arena/arena_file.h"
#include "core/arena/arena_search.h"
#include "tests/app/command_line.h"
#include "tests/core/arena/made_arenas.h"

namespace stashscope {
namespace arena_test {

class Arena : public CommandLine {
 protected:
  std::string model() const { return in_folder("model.onnx") + " --dim N=2000 --level 1"; }

  Outcome planner(const std::string& arguments) const { return run(STASHSCOPE_PLANNER, arguments); }
  /// The number after a word in the planner's line.
  static std::int64_t figure(const Outcome& outcome, const std::string& word) {
    const auto at = outcome.output.find(word + " ");
    return at == std::string::npos ? -1 : std::stoll(outcome.output.substr(at + word.size() + 1));
  }
};

TEST_F(Arena, TwoReportsAreEqualToTheByte) {
  for (const char* const format : {"text", "json", "html"}) {
    const std::string command = "--batch --arena --format " + std::string(format) + " " + model();
    const Outcome first = stashscope(command);
    EXPECT_EQ(first.status, 0) << first.errors;
    EXPECT_NE(first.output.find("arena"), std::string::npos);
    EXPECT_EQ(stashscope(command).output, first.output) << format;
  }
}

TEST_F(Arena, ThePlannerReadsTheFileAndFindsTheSameCapacity) {
  const std::string file = in_folder("arena.csv");
  const auto written = report(model() + " --arena --export-arena " + file)["memory"]["current"];
  const ArenaFile read = read_arena(file);
  ASSERT_EQ(read.buffers.size(), written["arena"]["buffers"].size());
  EXPECT_EQ(load_bound(read.buffers), written["arena"]["load_bound_bytes"]);
  const auto capacity = written["arena"]["capacity_bytes"].get<std::int64_t>();
  const std::string out = in_folder("placed.csv");
  const Outcome planned = planner(file + " --arena --out " + out);
  EXPECT_EQ(planned.status, 0) << planned.errors;
  EXPECT_LE(figure(planned, "capacity"), capacity);
  EXPECT_EQ(figure(planned, "load bound"), load_bound(read.buffers));
  EXPECT_EQ(planner(file + " --arena --capacity " + std::to_string(capacity)).status, 0);
  EXPECT_EQ(read_arena(out).buffers, read.buffers);
}

TEST_F(Arena, ThePlannerIsNeverWorseThanTheFile) {
  const auto buffers = test::random_buffers(300, 200, 1000, 1);
  const ArenaResult found =
      find_placement(buffers, {}, {.seconds = 0, .moves = 300'000}, Progress());
  const auto planned = [&](bool has_offsets) {
    std::string text = "id,lower,upper,size,offset\n";
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      text += std::to_string(i) + "," + std::to_string(buffers[i].lower) + "," +
              std::to_string(buffers[i].upper) + "," + std::to_string(buffers[i].bytes) + "," +
              (has_offsets ? std::to_string(found.placement.offsets[i]) : "") + "\n";
    }
    write_file_atomically(folder / "placed.csv", text);
    const Outcome outcome =
        planner(in_folder("placed.csv") + " --arena --time-limit 0 --move-limit 1");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return figure(outcome, "capacity");
  };
  EXPECT_EQ(planned(true), found.placement.capacity);
  EXPECT_GT(planned(false), found.placement.capacity) << "the short search finds no more";
}

TEST_F(Arena, TheFileNeedsNoReportOfTheArena) {
  const std::string file = in_folder("arena.csv");
  const auto memory = report(model() + " --export-arena " + file)["memory"];
  EXPECT_FALSE(memory["current"].contains("arena"));
  EXPECT_FALSE(read_arena(file).buffers.empty());
}

TEST_F(Arena, TheLimitOfSearchesHolds) {
  const auto arena = [&](const std::string& options) {
    return report(model() + " --arena " + options)["memory"]["current"]["arena"];
  };
  const auto usual = arena("");
  EXPECT_EQ(arena("--seed 1"), usual);
  const auto first = arena("--time-limit 0 --move-limit 1");
  EXPECT_EQ(arena("--time-limit 0 --move-limit 1"), first);
  EXPECT_LE(usual["capacity_bytes"], first["capacity_bytes"]);
  EXPECT_EQ(usual["load_bound_bytes"], first["load_bound_bytes"]);
}

TEST_F(Arena, AStepThatIsTooLargeStillHasItsReport) {
  const std::string large = in_folder("model.onnx") + " --dim N=5000000000000000 --level 1";
  const auto memory = report(large + " --arena")["memory"];
  EXPECT_TRUE(memory["current"]["arena"].is_null());
  EXPECT_NE(memory["current"]["no_arena"].get<std::string>().find("choose smaller dimensions"),
            std::string::npos);
  const std::string file = in_folder("none.csv");
  const Outcome exported = stashscope("--batch --arena --export-arena " + file + " " + large);
  EXPECT_EQ(exported.status, 1);
  EXPECT_NE(exported.errors.find("choose smaller dimensions"), std::string::npos);
  EXPECT_NE(exported.output.find("no static arena: "), std::string::npos) << "the report comes";
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Arena, ACheckThatWouldNotShowItIsRefused) {
  write_file_atomically(folder / "limits.json", R"({"peak_bytes": "1TiB"})");
  const std::string checked = "--batch --check " + in_folder("limits.json") + " " + model();
  ASSERT_EQ(stashscope(checked).status, 0) << stashscope(checked).errors;
  for (const std::string option : {"--arena", "--advise-allocator"}) {
    const Outcome refused = stashscope(option + " " + checked);
    EXPECT_EQ(refused.status, 2) << option;
    EXPECT_NE(refused.errors.find(option), std::string::npos) << refused.errors;
    const std::string out = in_folder("report.txt");
    EXPECT_EQ(stashscope(option + " --out " + out + " " + checked).status, 0) << option;
    EXPECT_TRUE(std::filesystem::exists(out));
  }
}

TEST_F(Arena, WrongUsageIsRefused) {
  const std::string session = in_folder("other.stashscope");
  ASSERT_EQ(stashscope("--batch " + model() + " --save-session " + session).status, 0);
  for (const std::string& wrong :
       {std::string("--arena ") + in_folder("model.onnx"),
        "--batch --format summary --arena " + model(),
        "--batch --arena --compare " + session + " " + model(),
        "--batch --export-arena " + in_folder("model.onnx") + " " + model(),
        "--batch --out a.csv --export-arena a.csv " + model()}) {
    const Outcome refused = stashscope(wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.errors.find("arena"), std::string::npos) << refused.errors;
  }
  const Outcome nowhere =
      stashscope("--batch --export-arena " + in_folder("no/a.csv") + " " + model());
  EXPECT_EQ(nowhere.status, 1) << nowhere.errors;
}

}  // namespace arena_test
}  // namespace stashscope
