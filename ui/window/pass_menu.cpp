#include "ui/window/pass_menu.h"

#include <QActionGroup>
#include <utility>

#include "core/passes/graph_pass.h"
#include "ui/text/texts.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// The value of a what-if; empty if it is off.
std::string value_of(const Choices& choices, const std::string& name) {
  const auto found = choices.graph.what_ifs.find(name);
  return found == choices.graph.what_ifs.end() ? std::string() : found->second;
}

}  // namespace

PassMenu::PassMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("&Passes"), document, parent) {
  setObjectName(u"pass_menu"_s);
  add_passes();
  addSeparator();
  QMenu* const what_if = addMenu(tr("&What if"));
  for (const WhatIf& each : what_ifs()) add_what_if(each, *what_if);
  add_precisions();
  add_gradient_types();
}

void PassMenu::add_passes() {
  for (const GraphPass& pass : graph_passes()) {
    if (pass.name == mixed_precision_name) continue;
    const std::string name(pass.name);
    const QString title = shown(std::string(pass.title));
    QAction* const action = add_choice(
        this, u"pass_"_s + shown(name), title,
        [name](const Choices& choices) { return choices.graph.passes.contains(name); },
        [name](Choices& choices, bool on) {
          choices.graph.passes.erase(name);
          if (on) choices.graph.passes.insert(name);
        },
        [title](bool on) { return (on ? tr("Pass on: %1") : tr("Pass off: %1")).arg(title); });
    QString tip = tr("%1 (%2)").arg(shown(std::string(pass.description)), shown(name));
    if (!pass.among_all) {
      tip += u'\n' + tr("This pass changes what the step computes or returns, so it is never "
                        "among the next best moves.");
    }
    action->setToolTip(tip);
  }
}

void PassMenu::add_alternatives(QMenu& menu, const QString& kind,
                                const std::vector<Alternative>& alternatives, const Chosen& chosen,
                                const Choose& choose) {
  auto* const group = new QActionGroup(&menu);
  for (const auto& [value, text, told] : alternatives) {
    group->addAction(add_choice(
        &menu, kind + u'_' + shown(value), text,
        [chosen, value = value](const Choices& choices) { return chosen(choices) == value; },
        [choose, value = value](Choices& choices, bool) { choose(choices, value); },
        [told = told](bool) { return told; }));
  }
}

void PassMenu::add_what_if(const WhatIf& what_if, QMenu& into) {
  const std::string name(what_if.name);
  QMenu* const menu = into.addMenu(shown(std::string(what_if.title)));
  menu->setToolTip(shown(std::string(what_if.description)));
  std::vector<Alternative> values = {
      {"", tr("As in the model"), tr("%1 as in the model").arg(menu->title())}};
  for (const std::string_view each : what_if.tried) {
    const std::string value(each);
    const QString words = shown(what_if.words(value));
    values.push_back({value, words, words});
  }
  add_alternatives(
      *menu, u"what_if_"_s + shown(name), values,
      [name](const Choices& choices) { return value_of(choices, name); },
      [name](Choices& choices, const std::string& value) {
        choices.graph.what_ifs.erase(name);
        if (!value.empty()) choices.graph.what_ifs.emplace(name, value);
      });
  const QString description = shown(std::string(what_if.description));
  for (QAction* const action : menu->actions()) add_search_words(*action, description);
}

/// The values of a choice of a 16-bit type: none, float16 and bfloat16.
/// @param told text of the undo entry, with %1 in place of the chosen value
std::vector<PassMenu::Alternative> PassMenu::half_types(const QString& none, const QString& told) {
  std::vector<Alternative> types;
  for (const auto& [type, text] : {std::pair("", none), std::pair("float16", u"float16"_s),
                                   std::pair("bfloat16", u"bfloat16"_s)}) {
    types.push_back({type, text, told.arg(text)});
  }
  return types;
}

void PassMenu::add_precisions() {
  add_alternatives(
      *addMenu(tr("&Mixed precision")), u"precision"_s,
      half_types(tr("None"), tr("Mixed precision: %1")),
      [](const Choices& choices) { return precision_name(choices.graph.precision); },
      [](Choices& choices, const std::string& type) {
        choices.graph.precision = parse_precision(type);
      });
}

void PassMenu::add_gradient_types() {
  add_alternatives(
      *addMenu(tr("&Gradients")), u"gradients"_s,
      half_types(tr("The parameter's type"), tr("Gradients: %1")),
      [](const Choices& choices) { return precision_name(choices.graph.gradient_type); },
      [](Choices& choices, const std::string& type) {
        choices.graph.gradient_type = parse_gradient_type(type);
      });
}

}  // namespace stashscope::ui
