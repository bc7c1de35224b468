#include "ui/window/training_menu.h"

#include <QActionGroup>

#include "core/memory/optimizer.h"
#include "core/passes/graph_pass.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString words(std::string_view text) { return shown(std::string(text)); }

}  // namespace

TrainingMenu::TrainingMenu(Document& document, QWidget* parent)
    : QMenu(tr("&Training"), parent), document_(document) {
  setObjectName(u"training_menu"_s);
  setToolTipsVisible(true);
  add_passes();
  add_precisions();
  add_optimizers();
  const auto update = [](Choices& choices) -> UpdateChoice& { return choices.update; };
  add_switch(
      this, u"master_weights"_s, tr("&Master weights"),
      tr("The optimizer keeps a float32 copy of each parameter of 16 bits"),
      [](const Choices& choices) { return choices.update.master_weights; },
      [update](Choices& choices, bool on) { update(choices).master_weights = on; });
  add_switch(
      this, u"release_gradients"_s, tr("&Release gradients early"),
      tr("A parameter's gradient is used up and freed as soon as it is made"),
      [](const Choices& choices) { return choices.update.release_gradients; },
      [update](Choices& choices, bool on) { update(choices).release_gradients = on; });
  connect(&document_, &Document::choices_changed, this, &TrainingMenu::show_choices);
  connect(&document_, &Document::study_changed, this, &TrainingMenu::show_choices);
  show_choices();
}

void TrainingMenu::add_passes() {
  QMenu* const menu = addMenu(tr("Graph &passes"));
  menu->setToolTipsVisible(true);
  for (const GraphPass& pass : graph_passes()) {
    if (pass.name == mixed_precision_name) continue;
    const std::string name(pass.name);
    add_switch(
        menu, u"pass_"_s + words(name), words(name), words(pass.description),
        [name](const Choices& choices) { return choices.passes.contains(name); },
        [name](Choices& choices, bool on) {
          if (on) {
            choices.passes.insert(name);
          } else {
            choices.passes.erase(name);
          }
        });
  }
}

void TrainingMenu::add_precisions() {
  QMenu* const menu = addMenu(tr("&Precision"));
  auto* const group = new QActionGroup(menu);
  const std::pair<std::string, QString> precisions[] = {
      {"", tr("As the model says")}, {"float16", u"float16"_s}, {"bfloat16", u"bfloat16"_s}};
  for (const auto& [name, text] : precisions) {
    add_option(
        menu, group, u"precision_"_s + words(name), text,
        tr("Casts are placed where automatic mixed precision places them"),
        [wanted = name](const Choices& choices) { return choices.precision == wanted; },
        [wanted = name](Choices& choices) { choices.precision = wanted; });
  }
}

void TrainingMenu::add_optimizers() {
  QMenu* const menu = addMenu(tr("&Optimizer"));
  menu->setToolTipsVisible(true);
  auto* const group = new QActionGroup(menu);
  for (const Optimizer& optimizer : optimizers()) {
    const std::string name(optimizer.name);
    add_option(
        menu, group, u"optimizer_"_s + words(name), words(name), words(optimizer.description),
        [name](const Choices& choices) { return choices.update.optimizer == name; },
        [name](Choices& choices) { choices.update.optimizer = name; });
  }
}

void TrainingMenu::add_switch(QMenu* menu, const QString& name, const QString& text,
                              const QString& explanation, std::function<bool(const Choices&)> is_on,
                              std::function<void(Choices&, bool)> set) {
  QAction* const action = menu->addAction(text);
  action->setObjectName(name);
  action->setCheckable(true);
  action->setToolTip(explanation);
  connect(action, &QAction::triggered, this, [this, text, set = std::move(set)](bool on) {
    Choices choices = document_.choices();
    set(choices, on);
    const QString plain = QString(text).remove(u'&');
    document_.choose(choices, (on ? tr("%1 on") : tr("%1 off")).arg(plain));
  });
  entries_.push_back({action, std::move(is_on)});
}

void TrainingMenu::add_option(QMenu* menu, QActionGroup* group, const QString& name,
                              const QString& text, const QString& explanation,
                              std::function<bool(const Choices&)> is_on,
                              std::function<void(Choices&)> set) {
  QAction* const action = menu->addAction(text);
  action->setObjectName(name);
  action->setCheckable(true);
  action->setToolTip(explanation);
  group->addAction(action);
  connect(action, &QAction::triggered, this, [this, menu, text, set = std::move(set)] {
    Choices choices = document_.choices();
    set(choices);
    document_.choose(choices, tr("%1: %2").arg(menu->title().remove(u'&'), text));
  });
  entries_.push_back({action, std::move(is_on)});
}

void TrainingMenu::show_choices() {
  setEnabled(document_.study() != nullptr);
  for (const Entry& entry : entries_) {
    entry.action->setChecked(entry.is_on(document_.choices()));
  }
}

}  // namespace stashscope::ui
