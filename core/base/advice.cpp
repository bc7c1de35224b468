#include "core/base/advice.h"

#include <algorithm>
#include <array>

namespace stashscope {

namespace {

using enum Advice::Action;

/// The words for one action in the programs' texts. The subject is inserted between `before` and
/// `after`; if `after` is empty, the subject extends to the end of the text.
struct OptionWords {
  Advice::Action action;
  std::string_view before;
  bool has_subject = false;
  std::string_view after = {};
};

constexpr std::array all_words = {
    OptionWords{set_dimension, "; set ", true, " with --dim NAME=N"},
    OptionWords{set_dimensions, "; set ", true, " with --dim"},
    OptionWords{choose_loss, " (choose another with --loss NAME)"},
    OptionWords{freeze_parameters, "; freeze the parameters before it with --freeze NAME"},
    OptionWords{train_normalizations, "; --pass train_normalizations puts training mode back, or ",
                true},
    OptionWords{choose_optimizer, "; choose one with --optimizer NAME"},
    OptionWords{plan_again, "; plan again with --budget"},
    OptionWords{plan_by_cluster, ": save the model instead, or plan with --grain cluster"},
    OptionWords{plan_single_nodes, ", or plan single nodes: stashscope --batch FILE --budget ",
                true, " --grain node --save-session FILE"},
    OptionWords{use_plan, " with --probe ", true},
    OptionWords{choose_profile, "; --list-profiles prints the known names"},
    OptionWords{name_dimension, "; for example --fit batch=inputs_input_ids_dim0"},
    OptionWords{
        give_inputs,
        "; with --inputs, give the inputs that determine its shape, or correct the declared shape"},
    OptionWords{write_measurement,
                "; write a measurement file with stashscope-run --write-measurement FILE, or "
                "export a measurement from the window"},
};

const OptionWords& words_of(Advice::Action action) {
  return *std::ranges::find(all_words, action, &OptionWords::action);
}

std::optional<AdvisedText> find_words(std::string_view text, const OptionWords& words) {
  constexpr std::size_t none = std::string_view::npos;
  const std::size_t after = words.after.empty() ? text.size() : text.rfind(words.after);
  if (after == none) return std::nullopt;
  const std::size_t before = text.rfind(words.before, after);
  if (before == none || before + words.before.size() > after) return std::nullopt;
  const std::size_t subject = before + words.before.size();
  // A path or a name may contain ` with --probe `, too. This text is the option only if a value
  // such as `1:0` follows.
  const bool is_option = subject + 1 < text.size() && text[subject + 1] == ':';
  if (words.action == use_plan && !is_option) return std::nullopt;
  const std::size_t end = words.has_subject ? after : subject;
  const std::string_view rest =
      words.has_subject ? text.substr(after + words.after.size()) : text.substr(subject);
  return AdvisedText{std::string(text.substr(0, before)) + std::string(rest),
                     Advice{words.action, std::string(text.substr(subject, end - subject))}};
}

}  // namespace

std::string option_words(const Advice& advice) {
  const OptionWords& words = words_of(advice.action);
  return std::string(words.before) + (words.has_subject ? advice.subject : "") +
         std::string(words.after);
}

std::string option_hint(const Advice& advice) { return option_words(advice).substr(2); }

AdvisedText find_advice(std::string_view text) {
  for (const OptionWords& words : all_words) {
    if (auto found = find_words(text, words)) return *std::move(found);
  }
  return {std::string(text), std::nullopt};
}

}  // namespace stashscope
