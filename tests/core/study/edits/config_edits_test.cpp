#include "core/study/edits/config_edits.h"

#include <gtest/gtest.h>

#include "core/study/edits/edits.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace config_edits_test {

const std::string full_entry = "Gelu+Cast+:1:-1";
const std::string half_entry = "Cast+:2:-1";
const std::string offload_entry = "Cast:3:-1";

class ConfigEdits : public testing::Test {
 protected:
  std::string plans(const std::string& config, bool on = true) const {
    return to_string(with_config(*study_, study_->choices, config, on).plans.config);
  }
  std::shared_ptr<const Study> study(const Choices& choices) const {
    return compute_study(study_->model, choices, nullptr, Progress());
  }

  const std::shared_ptr<const Study> study_ = test::study_of(test::named(test::mixed_precision(4)));
};

TEST_F(ConfigEdits, SwitchEveryRowAsATickDoes) {
  for (const auto* rows : {&study_->plan_table->plans, &study_->plan_table->extensions}) {
    for (const PlanRow& row : *rows) {
      const Choices on = with_config(*study_, study_->choices, row.config, true);
      EXPECT_EQ(on, with_plan(*study_, study_->choices, row, true)) << row.config;
      EXPECT_EQ(with_config(*study(on), on, row.config, false), study_->choices) << row.config;
    }
  }
}

TEST_F(ConfigEdits, TakeACount) {
  EXPECT_EQ(plans("Gelu+Cast+:1:2"), "Gelu+Cast+:1:2");
  EXPECT_EQ(plans("Gelu+Cast+:1:4"), full_entry) << "all there are";
  EXPECT_EQ(plans("Gelu+Cast+:1:0"), "");
}

TEST_F(ConfigEdits, SwitchOffWhatExcludesThem) {
  const Choices full = with_config(*study_, study_->choices, full_entry, true);
  EXPECT_EQ(to_string(with_config(*study(full), full, half_entry, true).plans.config), half_entry);
  EXPECT_EQ(to_string(with_config(*study(full), full, half_entry, false).plans.config), full_entry);
}

TEST_F(ConfigEdits, SwitchOffAPlanOfALevel) {
  Choices level = study_->choices;
  level.plans.level = 1;
  const Choices off = with_config(*study(level), level, "Gelu+Cast+:1:3", false);
  EXPECT_EQ(to_string(off.plans.config), "Gelu+Cast+:1:0");
}

TEST_F(ConfigEdits, RefuseWhatIsNoPlan) {
  const auto refusal = [&](const std::string& config) {
    return test::refusal(ErrorKind::usage, [&] { plans(config); });
  };
  EXPECT_NE(refusal("Nothing+:1:-1").find("is no plan of this step"), std::string::npos);
  EXPECT_NE(refusal("Gelu+Cast+:2:-1").find("is no plan of this step"), std::string::npos);
  EXPECT_NE(refusal("Gelu:1").find("is no plan of this step"), std::string::npos);
  EXPECT_NE(refusal("").find("no plan is given"), std::string::npos);
  EXPECT_FALSE(refusal("Gelu+Cast+").empty());
}

}  // namespace config_edits_test
}  // namespace stashscope
