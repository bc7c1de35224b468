#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

/// What the user can do about a note or an error, with an option of the programs or a control of
/// the window.
struct Advice {
  enum class Action {
    set_dimension,         ///< subject: the dimension's name, or `it`
    set_dimensions,        ///< subject: the names of the dimensions
    choose_loss,           ///< another output than the one that was taken for the loss
    freeze_parameters,     ///< the parameters before the node that the text names
    train_normalizations,  ///< subject: what else solves the problem
    choose_optimizer,
    plan_again,
    plan_by_cluster,    ///< or save the model: no config string can express the chosen plans
    plan_single_nodes,  ///< subject: the budget in bytes
    use_plan,           ///< subject: the search options that the plan's config string requires
    choose_profile,
    name_dimension,     ///< the dimension whose largest size is wanted
    give_inputs,        ///< inputs for the run, instead of random ones
    write_measurement,  ///< a measurement file, in place of the file that was opened
  };
  Action action = Action::set_dimension;
  std::string subject = {};  ///< ignored if the action has no subject

  bool operator==(const Advice&) const = default;
};

/// The advice as the programs word it, with the punctuation that joins it to a text:
/// `; set it with --dim NAME=N`.
std::string option_words(const Advice& advice);
/// The hint of an Error: the `option_words` without the `; ` at their start, which Error adds.
/// @pre the words start with `; `
std::string option_hint(const Advice& advice);

/// A text and the advice in it.
struct AdvisedText {
  std::string text;
  std::optional<Advice> advice;

  bool operator==(const AdvisedText&) const = default;
};

/// Takes the advice out of the text of a note or an error, because only texts pass between
/// processes. A text without advice is returned unchanged.
AdvisedText find_advice(std::string_view text);

}  // namespace stashscope
