#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

/// What the user can do about a note or an error, with an option of the programs or a control of
/// the window.
struct Advice {
  enum class Action {
    /// `subject` is `it` or `the dimension`, as in "set it with --dim NAME=N". The note or error
    /// before the advice names the dimension.
    set_dimension,
    set_dimensions,        ///< subject: the names of the dimensions
    choose_loss,           ///< choose another output as the loss
    freeze_parameters,     ///< freeze the parameters before the node that the text names
    train_normalizations,  ///< subject: what to do instead of using this pass
    choose_optimizer,
    plan_again,
    plan_by_cluster,    ///< plan by cluster, or save the model, because no config string can
                        ///< express the plans
    plan_single_nodes,  ///< subject: the budget in bytes
    use_plan,           ///< subject: the search options that the plan's config string requires
    choose_profile,
    name_dimension,     ///< name the dimension whose largest size is wanted
    give_inputs,        ///< give inputs for the run, or correct a declared shape
    write_measurement,  ///< given if the opened file is not a measurement: write a measurement file
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

/// A text split into its advice and the remaining text.
struct AdvisedText {
  std::string text;
  std::optional<Advice> advice;

  bool operator==(const AdvisedText&) const = default;
};

/// Separates the text of a note or an error from the advice in it. The advice is part of the text
/// because processes exchange only texts. A text without advice is returned unchanged.
AdvisedText find_advice(std::string_view text);

}  // namespace stashscope
