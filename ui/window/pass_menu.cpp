#include "ui/window/pass_menu.h"

#include <QActionGroup>

#include "core/passes/graph_pass.h"
#include "ui/text/texts.h"

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

void PassMenu::add_what_if(const WhatIf& what_if, QMenu& into) {
  const std::string name(what_if.name);
  QMenu* const menu = into.addMenu(shown(std::string(what_if.title)));
  menu->setToolTip(shown(std::string(what_if.description)));
  auto* const group = new QActionGroup(menu);
  const auto add = [&](const std::string& value, const QString& text) {
    group->addAction(add_choice(
        menu, u"what_if_"_s + shown(name) + u'_' + shown(value), text,
        [name, value](const Choices& choices) { return value_of(choices, name) == value; },
        [name, value](Choices& choices, bool) {
          choices.graph.what_ifs.erase(name);
          if (!value.empty()) choices.graph.what_ifs.emplace(name, value);
        },
        [text](bool) { return text; }));
  };
  add("", tr("As in the model"));
  for (const std::string_view value : what_if.tried) {
    add(std::string(value), shown(what_if.words(std::string(value))));
  }
}

void PassMenu::add_precisions() {
  QMenu* const menu = addMenu(tr("&Mixed precision"));
  auto* const group = new QActionGroup(menu);
  const std::pair<const char*, QString> precisions[] = {
      {"", tr("None")}, {"float16", u"float16"_s}, {"bfloat16", u"bfloat16"_s}};
  for (const auto& [precision, text] : precisions) {
    const auto wanted = parse_precision(precision);
    group->addAction(add_choice(
        menu, u"precision_"_s + shown(precision), text,
        [wanted](const Choices& choices) { return choices.graph.precision == wanted; },
        [wanted](Choices& choices, bool) { choices.graph.precision = wanted; },
        [label = text](bool) { return tr("Mixed precision: %1").arg(label); }));
  }
}

void PassMenu::add_gradient_types() {
  QMenu* const menu = addMenu(tr("&Gradients"));
  auto* const group = new QActionGroup(menu);
  const std::pair<const char*, QString> types[] = {
      {"", tr("The parameter's type")}, {"float16", u"float16"_s}, {"bfloat16", u"bfloat16"_s}};
  for (const auto& [type, text] : types) {
    const auto wanted = parse_gradient_type(type);
    group->addAction(add_choice(
        menu, u"gradients_"_s + shown(type), text,
        [wanted](const Choices& choices) { return choices.graph.gradient_type == wanted; },
        [wanted](Choices& choices, bool) { choices.graph.gradient_type = wanted; },
        [label = text](bool) { return tr("Gradients: %1").arg(label); }));
  }
}

}  // namespace stashscope::ui
