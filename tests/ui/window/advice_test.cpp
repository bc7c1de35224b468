// Messages of the engine name controls of the window, and disappear once they are out of date.

#include <QApplication>

#include "core/base/advice.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/note_text.h"

namespace stashscope::ui::test {
namespace advice_test {

using namespace Qt::StringLiterals;

class Messages : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  void set_batch(std::int64_t size) {
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = size;
    document().choose(choices, u"batch"_s);
  }
};

TEST(AdviceTexts, NameAnOptionOnlyWhereTheWindowHasNoControl) {
  using Action = Advice::Action;
  for (int i = 0; i <= static_cast<int>(Action::write_measurement); ++i) {
    const auto action = static_cast<Action>(i);
    const QString text =
        note_text("a note" + option_words({action, action == Action::use_plan ? "1:0" : "4096"}));
    EXPECT_GT(text.size(), u"a note"_s.size()) << i;
    const bool is_of_the_start = text.contains(u"start the program with"_s);
    EXPECT_EQ(is_of_the_start, text.contains(u"--"_s)) << text.toStdString();
    EXPECT_EQ(is_of_the_start,
              action == Action::choose_loss || action == Action::freeze_parameters);
  }
}

TEST(AdviceTexts, SentencesEndWithAStop) {
  EXPECT_EQ(with_stop(u"As on an A100. No GPU confirmed this"_s),
            u"As on an A100. No GPU confirmed this."_s);
  EXPECT_EQ(with_stop(u"One. Two."_s), u"One. Two."_s);
  EXPECT_EQ(with_stop(u"a clause about version 1.5 alone"_s),
            u"a clause about version 1.5 alone"_s);
}

TEST(AdviceTexts, HaveTheBudgetInWords) {
  const Advice advice{Advice::Action::plan_single_nodes, "3145728"};
  const QString text = note_text("it does not fit" + option_words(advice));
  EXPECT_TRUE(text.contains(u"3.00 MiB"_s)) << text.toStdString();
}

TEST_F(Messages, NameThePanelOfTheDimensions) {
  click(find<QWidget>(u"status_notes"_s));
  EXPECT_TRUE(message().contains(u"in the panel Dimensions"_s)) << message().toStdString();
  EXPECT_FALSE(message().contains(u"--"_s)) << message().toStdString();
}

TEST_F(Messages, ANoteAboutASizeLeadsToItsField) {
  click(find<QWidget>(u"status_notes"_s));
  click_message_action(u"Set sizes"_s);
  EXPECT_TRUE(find<QWidget>(u"dimensions_panel"_s).isAncestorOf(QApplication::focusWidget()));
}

TEST_F(Messages, NotesStayUntilTheyAreNoLongerTrue) {
  click(find<QWidget>(u"status_notes"_s));
  const QString before = message();
  ASSERT_TRUE(before.contains(u"inputs_input_ids_dim0"_s)) << before.toStdString();
  set_batch(2);
  EXPECT_EQ(message(), before) << "until the step is computed";
  ASSERT_TRUE(settles());
  EXPECT_FALSE(message().contains(u"inputs_input_ids_dim0"_s)) << message().toStdString();
  EXPECT_EQ(message(), document().notes().join(u'\n'));
}

TEST_F(Messages, GoWithTheNextChoice) {
  document().notices().notify(u"Copied"_s);
  EXPECT_EQ(message(), u"Copied"_s);
  set_batch(2);
  EXPECT_EQ(message(), u""_s);
}

TEST_F(Messages, OfAFailureGoWithTheNextAttempt) {
  document().notices().report({ErrorKind::run, u"It does not fit"_s});
  ASSERT_FALSE(message().isEmpty());
  document().exclusive_work().begin(HeavyWork::run);
  EXPECT_EQ(message(), u""_s);
  document().exclusive_work().end();
}

}  // namespace advice_test
}  // namespace stashscope::ui::test
