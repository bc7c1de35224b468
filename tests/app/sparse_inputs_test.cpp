// Steps without padding, as both programs show and run them.

#include "command_line.h"

namespace stashscope {
namespace sparse_inputs_option_test {

class SparseInputsOption : public CommandLine {
 protected:
  /// GPT-2 with a mask, at 4 sequences of 16 tokens.
  static std::string model() {
    return STASHSCOPE_SAMPLES
        "/gpt2_tiny.onnx --pass keep_loss_only --dim inputs_input_ids_dim0=4 "
        "--dim inputs_input_ids_dim1=16";
  }

  nlohmann::json report_of(const std::string& arguments) const {
    return report(model() + " " + arguments);
  }
};

TEST_F(SparseInputsOption, TakesTheNumberOfTokensFromTheDensityOrTheDimension) {
  const char* const kept = "valid_tokens_output_dim1";
  EXPECT_EQ(report_of("--what-if sparse")["dims"][kept], 64);
  EXPECT_EQ(report_of("--what-if sparse=0.3")["dims"][kept], 20);
  EXPECT_EQ(report_of("--what-if sparse=0.3 --dim inputs_input_ids_dim0=8")["dims"][kept], 39);
  EXPECT_EQ(report_of("--what-if sparse=0.3 --dim valid_tokens*=7")["dims"][kept], 7);
  EXPECT_FALSE(report_of("--dim valid_tokens*=7")["dims"].contains(kept)) << "without the what-if";
}

TEST_F(SparseInputsOption, SaysWhatItSaves) {
  const auto whole = report_of("");
  const auto sparse = report_of("--what-if sparse=0.5 --list-what-ifs");
  const auto what_if = sparse["what_if"].at(0);
  EXPECT_EQ(what_if["name"], "sparse");
  EXPECT_EQ(what_if["value"], "0.5");
  EXPECT_GT(what_if["changed"], 50);
  EXPECT_TRUE(what_if["stopped_by"].empty());
  const std::int64_t saved = what_if["saving_at_peak_bytes"];
  EXPECT_GT(saved, 0);
  EXPECT_EQ(whole["memory"]["baseline"]["peak_bytes"].get<std::int64_t>() - saved,
            sparse["memory"]["baseline"]["peak_bytes"]);
  const std::string formula = what_if["saving_symbolic"];
  EXPECT_NE(formula.find("*valid_tokens_output_dim1"), std::string::npos) << formula;
  EXPECT_EQ(formula.find("("), std::string::npos) << "one formula of both steps: " << formula;
}

TEST_F(SparseInputsOption, RefusesWhatIsNoShare) {
  const Outcome outcome = stashscope("--batch " + model() + " --what-if sparse=1.5");
  EXPECT_EQ(outcome.status, 2);
  expect_one_line(outcome, "stashscope");
  EXPECT_NE(outcome.errors.find("sparse=1.5"), std::string::npos) << outcome.errors;
}

TEST_F(SparseInputsOption, RunsWithThePredictedMemory) {
  for (const char* more :
       {"--what-if sparse=0.3", "--what-if sparse=0.3 --dim valid_tokens*=7 --level 1",
        "--what-if sparse=0.6 --what-if micro=2 --what-if attention=flash --what-if loss=pieces",
        "--what-if sparse --pass keep_loss_only,all,label_positions"}) {
    const Outcome outcome = worker(model() + " " + more);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("largest difference 0 B"), std::string::npos)
        << more << ": " << outcome.output;
    EXPECT_EQ(outcome.errors.find("in this run"), std::string::npos)
        << "the data have the predicted number of tokens: " << outcome.errors;
  }
}

TEST_F(SparseInputsOption, ComesBackFromASession) {
  const std::string session = in_folder("step.json");
  const std::string choices = " --what-if sparse=0.25";
  ASSERT_EQ(stashscope("--batch " + model() + choices + " --save-session " + session).status, 0);
  EXPECT_EQ(report(session)["memory"]["baseline"]["peak_bytes"],
            report_of(choices)["memory"]["baseline"]["peak_bytes"]);
}

}  // namespace sparse_inputs_option_test
}  // namespace stashscope
