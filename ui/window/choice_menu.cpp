#include "ui/window/choice_menu.h"

#include <QActionGroup>

#include "core/memory/optimizer.h"
#include "core/run/devices/devices.h"
#include "core/schedule/fusion/fusions.h"
#include "core/schedule/orders/orders.h"
#include "ui/text/texts.h"
#include "ui/window/mnemonics.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

ChoiceMenu::ChoiceMenu(const QString& title, Document& document, QWidget* parent)
    : QMenu(title, parent), document_(document) {
  setToolTipsVisible(true);
  connect(&document_, &Document::choices_changed, this, [this] { show_choices(); });
  connect(&document_, &Document::study_changed, this, [this] { show_choices(); });
  setEnabled(false);
}

QAction* ChoiceMenu::add_choice(QMenu* menu, const QString& name, const QString& text,
                                std::function<bool(const Choices&)> is_on,
                                std::function<void(Choices&, bool on)> change,
                                std::function<QString(bool on)> told) {
  QAction* const action = menu->addAction(text);
  action->setObjectName(name);
  action->setCheckable(true);
  action->setChecked(is_on(document_.choices()));
  entries_.push_back({action, std::move(is_on)});
  connect(action, &QAction::triggered, this,
          [this, change = std::move(change), told = std::move(told)](bool on) {
            Choices choices = document_.choices();
            change(choices, on);
            document_.choose(choices, told(on));
            // A click unticks an entry whose choice is on already; `show_choices` ticks the entry
            // again.
            show_choices();
          });
  return action;
}

bool ChoiceMenu::applies(const Study& /*study*/) const { return true; }

void ChoiceMenu::clear_choices() {
  entries_.clear();
  clear();
}

void ChoiceMenu::show_choices() {
  setEnabled(document_.study() != nullptr && applies(*document_.study()));
  for (const Entry& entry : entries_) {
    entry.action->setChecked(entry.is_on(document_.choices()));
  }
}

void ChoiceMenu::make_one_of(QMenu& menu, QAction* action) {
  auto* group = menu.findChild<QActionGroup*>(QString(), Qt::FindDirectChildrenOnly);
  if (group == nullptr) {
    group = new QActionGroup(&menu);
    // No entry is ticked if the current choice has no entry.
    group->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
  }
  group->addAction(action);
}

void ChoiceMenu::add_named(const QString& kind, std::string_view name, std::string_view description,
                           const NamedChoice& choice, const QString& told) {
  const std::string text(name);
  QAction* const action = add_choice(
      this, kind + shown(text), shown(text),
      [choice, text](const Choices& choices) { return choice.chosen(choices) == text; },
      [choice, text](Choices& choices, bool) { choice.choose(choices, text); },
      [told = told.arg(shown(text))](bool) { return told; });
  action->setToolTip(shown(std::string(description)));
  make_one_of(*this, action);
}

OrderMenu::OrderMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("Execution &order"), document, parent) {
  setObjectName(u"order_menu"_s);
  const NamedChoice choice = {
      [](const Choices& choices) { return choices.order.strategy.value_or(""); },
      [](Choices& choices, const std::string& name) { choices.order.strategy = name; }};
  for (const OrderStrategy& each : order_strategies()) {
    add_named(u"order_"_s, each.name, each.description, choice, tr("Order %1"));
  }
}

void OrderMenu::show_choices() {
  ChoiceMenu::show_choices();
  if (document().study() == nullptr) return;
  for (const OrderRow& row : order_rows(*document().study())) {
    auto* const action = findChild<QAction*>(u"order_"_s + shown(row.name));
    if (action == nullptr || !row.peak_bytes) continue;
    action->setText(u"%1\t%2"_s.arg(shown(row.name), bytes_text(*row.peak_bytes)));
  }
  give_mnemonics(*this);
}

FusionMenu::FusionMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("&Fusion"), document, parent) {
  setObjectName(u"fusion_menu"_s);
  const NamedChoice choice = {
      [](const Choices& choices) { return choice_text(choices.fusion.strategy, no_fusion); },
      [](Choices& choices, const std::string& name) {
        choices.fusion.strategy = choice_of(name, no_fusion);
      }};
  for (const FusionStrategy& each : fusion_strategies()) {
    add_named(u"fusion_"_s, each.name, each.description, choice, tr("Fusion %1"));
  }
}

OptimizerMenu::OptimizerMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("&Optimizer"), document, parent) {
  setObjectName(u"optimizer_menu"_s);
  const NamedChoice choice = {
      [](const Choices& choices) { return choices.update.optimizer; },
      [](Choices& choices, const std::string& name) { choices.update.optimizer = name; }};
  for (const Optimizer& each : optimizers()) {
    add_named(u"optimizer_"_s, each.name, each.description, choice, tr("Optimizer %1"));
  }
}

DeviceMenu::DeviceMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("&Device"), document, parent) {
  setObjectName(u"device_menu"_s);
  connect(&document.run_job().devices(), &DeviceList::changed, this, &DeviceMenu::list_devices);
  list_devices();
}

void DeviceMenu::list_devices() {
  clear_choices();
  const DeviceList& devices = document().run_job().devices();
  if (devices.all().empty()) addAction(tr("Looking for devices…"))->setEnabled(false);
  for (const DeviceInfo& info : devices.all()) {
    QAction* const action = add_choice(
        this, u"device_"_s + shown(info.name),
        u"%1: %2"_s.arg(shown(info.name), shown(info.description)),
        [name = info.name, &devices](const Choices& choices) {
          const DeviceInfo* const meant = devices.meant_by(choice_text(choices.device, no_device));
          return meant != nullptr && meant->name == name;
        },
        [name = info.name](Choices& choices, bool) { choices.device = name; },
        [name = info.name](bool) { return tr("Device %1").arg(shown(name)); });
    action->setEnabled(info.available);
    make_one_of(*this, action);
  }
  give_mnemonics(*this);
}

}  // namespace stashscope::ui
