#include "ui/window/fit_device_menu.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QWidgetAction>
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/drop_menu.h"
#include "ui/widgets/key_action.h"
#include "ui/widgets/labelled_row.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Closes a menu and the menus that it was opened from.
void close_all_menus() {
  while (QWidget* const popup = QApplication::activePopupWidget()) {
    if (!popup->close()) return;
  }
}

/// The widget of a menu entry that has a field.
QWidget* row_of(AmountField* field, const QString& label) {
  auto* const row = new QWidget;
  // The menu gives the focus to the row when the arrow keys come to the entry.
  row->setFocusPolicy(Qt::StrongFocus);
  row->setFocusProxy(field);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(3 * spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->addWidget(make_label_of(*field, label));
  layout->addWidget(field, 1);
  return row;
}

}  // namespace

FitDeviceMenu::FitDeviceMenu(Document& document, QWidget* parent)
    : ChoiceMenu(tr("De&vice that the step must fit"), document, parent) {
  setObjectName(u"fit_device_menu"_s);
  for (const DeviceProfile& each : device_profiles()) {
    const QString name = shown(each.name);
    QAction* const action = add_choice(
        this, u"fit_device:"_s + name,
        u"%1\t%2"_s.arg(menu_text(name), bytes_text(each.memory_bytes)),
        [&each](const Choices& choices) {
          return choices.times.profile == each && !choices.times.device_memory;
        },
        [&each](Choices& choices, bool) {
          choices.times.profile = each;
          choices.times.device_memory.reset();
        },
        [name](bool) { return tr("Device profile %1").arg(name); });
    make_one_of(*this, action);
  }
  addSeparator();
  add_reserves();
  add_device_memory();
  addSeparator();
  add_overlap();
  add_host_memory();
  connect(this, &QMenu::aboutToShow, this, &FitDeviceMenu::fill_fields);
}

/// Adds the choices of how much memory to keep free. The peak does not count all memory that a step
/// needs, such as the context of the driver and the rounding of the allocator.
void FitDeviceMenu::add_reserves() {
  QMenu* const menu = addMenu(tr("&Keep free"));
  menu->setObjectName(u"reserve_menu"_s);
  for (const double percent : {0.0, 2.0, 5.0, 10.0, 20.0}) {
    const QString text = percent == 0 ? tr("Nothing") : tr("%1 % of the memory").arg(percent);
    QAction* const action = add_choice(
        menu, u"reserve:%1"_s.arg(percent), text,
        [percent](const Choices& choices) { return choices.times.reserve_percent == percent; },
        [percent](Choices& choices, bool) { choices.times.reserve_percent = percent; },
        [percent](bool) { return tr("Keep %1 % of the device free").arg(percent); });
    make_one_of(*menu, action);
  }
}

void FitDeviceMenu::add_overlap() {
  QAction* const action = add_choice(
      this, u"overlap_copies"_s, tr("Copies of o&ffloaded tensors run beside the nodes"),
      [](const Choices& choices) { return choices.plans.overlaps_copies; },
      [](Choices& choices, bool on) { choices.plans.overlaps_copies = on; },
      [](bool on) { return on ? tr("Copies beside the nodes") : tr("Copies between the nodes"); });
  action->setToolTip(
      tr("Predicts, plans and runs the step with copies that overlap with computing, one at a time "
         "in each direction. The peak stays as it is."));
  add_search_words(*action, tr("overlap transfers offload"));
}

void FitDeviceMenu::add_device_memory() {
  add_amount(
      {&TimeChoices::device_memory, u"fit_device_memory"_s, tr("&Other memory"), tr("24 (GiB)"),
       tr("Memory into which the step must fit; a number without a unit is in GiB. Times are "
          "still predicted for the chosen device. If the field is empty, the step must fit "
          "into the memory of that device."),
       tr("Device memory %1"), tr("The device's own memory"), "no step fits"});
}

void FitDeviceMenu::add_host_memory() {
  add_amount(
      {&TimeChoices::host_memory, u"host_memory"_s, tr("Memory of the &host"), tr("no limit"),
       tr("The most memory of the host that planners may use for offloaded tensors; a number "
          "without a unit is in GiB."),
       tr("Host memory %1"), tr("Host memory without a limit"), "no tensor can be offloaded"});
}

void FitDeviceMenu::add_amount(Amount amount) {
  auto* const field = new AmountField;
  field->setObjectName(amount.object_name);
  QString name = amount.label;
  field->setAccessibleName(name.remove(u'&'));
  field->setPlaceholderText(amount.hint);
  field->setToolTip(amount.tip);
  auto* const entry = new QWidgetAction(this);
  entry->setObjectName(amount.object_name + u"_entry"_s);
  entry->setText(amount.label);
  entry->setDefaultWidget(row_of(field, amount.label));
  addAction(entry);
  connect(field, &QLineEdit::returnPressed, this,
          [this, index = amounts_.size()] { take(amounts_[index]); });
  amounts_.push_back({std::move(amount), field, entry});
}

/// The mnemonic of a field moves the focus to the field. QMenu alone would close on this key.
void FitDeviceMenu::keyPressEvent(QKeyEvent* event) {
  // The Return key in a field closes the menus. The menu gets the key event afterwards.
  if (!isVisible()) return;
  const bool is_alone = (event->modifiers() & ~Qt::ShiftModifier) == 0;
  const QKeySequence letter(Qt::ALT | static_cast<Qt::Key>(event->key()));
  const auto entry = std::ranges::find_if(amounts_, [&](const AmountEntry& each) {
    return QKeySequence::mnemonic(each.action->text()) == letter;
  });
  if (!is_alone || entry == amounts_.end()) return QMenu::keyPressEvent(event);
  setActiveAction(entry->action);
  entry->field->setFocus(Qt::ShortcutFocusReason);
  entry->field->selectAll();
}

void FitDeviceMenu::take(const AmountEntry& entry) {
  // The shown text is rounded, so a text that the user did not change is not applied.
  if (!entry.field->isModified()) return close_all_menus();
  const QString text = entry.field->amount().trimmed();
  Choices choices = document().choices();
  auto& chosen = choices.times.*entry.amount.choice;
  chosen.reset();
  const auto failure = failure_of([&] {
    if (text.isEmpty()) return;
    chosen = parse_bytes(text.toStdString());
    if (*chosen == 0) {
      fail_usage("memory of 0 bytes", entry.amount.if_zero, "write a size such as 24GiB");
    }
  });
  close_all_menus();
  if (failure) return document().notices().report(*failure);
  document().choose(choices,
                    text.isEmpty() ? entry.amount.not_chosen : entry.amount.chosen.arg(text));
}

void FitDeviceMenu::fill_fields() {
  for (const AmountEntry& each : amounts_) {
    const auto& amount = document().choices().times.*each.amount.choice;
    each.field->setText(amount ? bytes_text(*amount) : QString());
    // A menu that opens again would give the focus to the widget that had it last.
    each.field->clearFocus();
  }
}

}  // namespace stashscope::ui
