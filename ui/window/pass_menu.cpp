#include "ui/window/pass_menu.h"

#include <QActionGroup>

#include "core/passes/graph_pass.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

PassMenu::PassMenu(Document& document, QWidget* parent)
    : QMenu(tr("&Passes"), parent), document_(document) {
  setObjectName(u"pass_menu"_s);
  setToolTipsVisible(true);
  add_passes();
  addSeparator();
  add_precisions();
  connect(&document_, &Document::choices_changed, this, &PassMenu::show_choices);
  connect(&document_, &Document::study_changed, this, &PassMenu::show_choices);
  show_choices();
}

void PassMenu::add_passes() {
  for (const GraphPass& pass : graph_passes()) {
    if (pass.name == mixed_precision_name) continue;
    add_pass(this, std::string(pass.name), std::string(pass.description));
  }
}

void PassMenu::add_pass(QMenu* menu, const std::string& name, const std::string& description) {
  QAction* const action =
      add_choice(menu, u"pass_"_s + shown(name), shown(name),
                 [name](const Choices& choices) { return choices.passes.contains(name); });
  action->setToolTip(shown(description));
  connect(action, &QAction::triggered, this, [this, name](bool on) {
    Choices choices = document_.choices();
    choices.passes.erase(name);
    if (on) choices.passes.insert(name);
    document_.choose(choices, (on ? tr("Pass %1 on") : tr("Pass %1 off")).arg(shown(name)));
  });
}

void PassMenu::add_precisions() {
  QMenu* const menu = addMenu(tr("&Mixed precision"));
  auto* const group = new QActionGroup(menu);
  const std::pair<std::string, QString> precisions[] = {
      {"", tr("None")}, {"float16", u"float16"_s}, {"bfloat16", u"bfloat16"_s}};
  for (const auto& [name, text] : precisions) {
    QAction* const action =
        add_choice(menu, u"precision_"_s + shown(name), text,
                   [wanted = name](const Choices& choices) { return choices.precision == wanted; });
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, wanted = name, label = text] {
      Choices choices = document_.choices();
      choices.precision = wanted;
      document_.choose(choices, tr("Mixed precision: %1").arg(label));
    });
  }
}

QAction* PassMenu::add_choice(QMenu* menu, const QString& name, const QString& text,
                              std::function<bool(const Choices&)> is_on) {
  QAction* const action = menu->addAction(text);
  action->setObjectName(name);
  action->setCheckable(true);
  entries_.push_back({action, std::move(is_on)});
  return action;
}

void PassMenu::show_choices() {
  setEnabled(document_.study() != nullptr);
  for (const Entry& entry : entries_) {
    entry.action->setChecked(entry.is_on(document_.choices()));
  }
}

}  // namespace stashscope::ui
