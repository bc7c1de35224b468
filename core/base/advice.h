#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

/// What the user can do about a note or an error, by an option of the programs or by a control of
/// the window.
struct Advice {
  enum class Action {
    set_dimension,         ///< subject: the dimension, or `it`
    set_dimensions,        ///< subject: their names
    choose_loss,           ///< instead of the output that was taken for it
    freeze_parameters,     ///< before the node that the text names
    train_normalizations,  ///< subject: what else helps
    choose_optimizer,
    plan_again,
    plan_by_cluster,    ///< or save the model, because no config string has what is on
    plan_single_nodes,  ///< subject: the budget in bytes
    use_plan,           ///< subject: the search options with which its config string is valid
    choose_profile,
    name_dimension,     ///< whose largest size is wanted
    give_inputs,        ///< instead of random ones
    write_measurement,  ///< in place of the file that was opened
  };
  Action action = Action::set_dimension;
  std::string subject = {};  ///< not used by actions without one

  bool operator==(const Advice&) const = default;
};

/// The advice as the programs word it, with the punctuation that joins it to a text:
/// `; set it with --dim NAME=N`.
std::string option_words(const Advice& advice);
/// The same as the hint of an Error, which has its own punctuation. @pre the words start with `; `
std::string option_hint(const Advice& advice);

/// A text and the advice in it.
struct AdvisedText {
  std::string text;
  std::optional<Advice> advice;

  bool operator==(const AdvisedText&) const = default;
};

/// Finds the advice in a note or an error, by its words. Texts pass between processes and through
/// errors, where only words remain.
AdvisedText find_advice(std::string_view text);

}  // namespace stashscope
