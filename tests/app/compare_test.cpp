// Two sessions or models compared on the command line.

#include "tests/app/command_line.h"

namespace stashscope {
namespace compare_test {

TEST_F(CommandLine, ComparesASessionWithItsModel) {
  const std::string model = in_folder("model.onnx");
  const std::string session = in_folder("planned.stashscope");
  report(model + " --dim N=16 --level 1 --save-session " + session);
  const auto compared = report(model + " --dim N=16 --compare " + session);
  EXPECT_EQ(compared["left"], model);
  EXPECT_EQ(compared["right"], session);
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : compared["rows"]) rows[row["name"]] = row;
  EXPECT_EQ(rows.at("peak")["left"],
            report(model + " --dim N=16")["memory"]["current"]["peak_bytes"]);
  EXPECT_EQ(rows.at("peak")["right"], report(session)["memory"]["current"]["peak_bytes"]);
  EXPECT_EQ(rows.at("level")["differs"], true);
  EXPECT_EQ(rows.at("N")["differs"], false);
  const Outcome text = stashscope("--batch " + model + " --compare " + session);
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_NE(text.output.find("right only"), std::string::npos) << text.output;
}

TEST_F(CommandLine, AComparisonHasWhatAllocatorsReserve) {
  const std::string model = in_folder("model.onnx") + " --dim N=16";
  const std::string session = in_folder("reserved.stashscope");
  const auto reserved = [](const nlohmann::json& compared) {
    nlohmann::json found;
    for (const auto& row : compared["rows"]) {
      if (row["name"] == "reserved by the allocator") found = row;
    }
    return found;
  };
  EXPECT_TRUE(reserved(report(model + " --compare " + in_folder("model.onnx"))).is_null());
  const auto with = report(model + " --level 1 --allocator pytorch --save-session " + session);
  const auto one_side = reserved(report(model + " --compare " + session));
  EXPECT_EQ(one_side["right"], with["memory"]["current"]["reserved_bytes"]);
  EXPECT_TRUE(one_side["left"].is_null());
  const auto both = reserved(report(model + " --allocator pytorch --compare " + session));
  EXPECT_GT(both["left"], 0);
}

TEST_F(CommandLine, AComparisonRefusesWhatItDoesNotWrite) {
  const std::string model = in_folder("model.onnx");
  const std::string start = "--batch " + model + " --compare " + model;
  for (const char* extra : {" --format html", " --save-model x.onnx", " --budget 1MiB",
                            " --grain node", " --other-memory context=1MiB"}) {
    const Outcome outcome = stashscope(start + extra);
    EXPECT_EQ(outcome.status, 2) << extra;
    expect_one_line(outcome, "stashscope");
  }
  EXPECT_EQ(stashscope(start + " --out " + model).status, 2);
  EXPECT_EQ(stashscope("--batch " + model + " --compare " + in_folder("missing")).status, 1);
  EXPECT_EQ(stashscope(start + " --out " + in_folder("table.txt")).status, 0);
  EXPECT_TRUE(read_file(in_folder("table.txt")).starts_with("Left:  "));
}

}  // namespace compare_test
}  // namespace stashscope
