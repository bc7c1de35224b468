#include "core/base/advice.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace advice_test {

using Action = Advice::Action;

TEST(Advice, IsWordedWithOptions) {
  EXPECT_EQ(option_words({Action::set_dimension, "it"}), "; set it with --dim NAME=N");
  EXPECT_EQ(option_hint({Action::set_dimension, "it"}), "set it with --dim NAME=N");
  EXPECT_EQ(option_words({Action::choose_loss}), " (choose another with --loss NAME)");
}

TEST(Advice, IsFoundByItsWords) {
  const auto takes_subject = [](Action action) {
    return option_words({action, "x"}) != option_words({action});
  };
  for (int i = 0; i <= static_cast<int>(Action::write_measurement); ++i) {
    const auto action = static_cast<Action>(i);
    for (const char* subject : {"4096", "'a', 'b'"}) {
      // The subject of `use_plan` is search options, which have a form of their own.
      const std::string said = action == Action::use_plan ? "1:0" : subject;
      const Advice advice{action, takes_subject(action) ? said : ""};
      const AdvisedText text{"node 'a; b': it is wrong; this is why", advice};
      EXPECT_EQ(find_advice(text.text + option_words(advice)), text) << i;
    }
  }
}

TEST(Advice, MayStandBeforeTheEnd) {
  const AdvisedText found =
      find_advice("crashed (its last message: no value; set it with --dim NAME=N)");
  EXPECT_EQ(found.text, "crashed (its last message: no value)");
  EXPECT_EQ(found.advice, (Advice{Action::set_dimension, "it"}));
}

TEST(Advice, IsNotInEveryText) {
  for (const char* text : {"", "; set ", " with --dim", "the sizes are set by the file",
                           "/runs/gpt2 with --probe 1/model.onnx: cannot be read"}) {
    EXPECT_EQ(find_advice(text), (AdvisedText{text, std::nullopt})) << text;
  }
}

}  // namespace advice_test
}  // namespace stashscope
