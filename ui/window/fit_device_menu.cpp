#include "ui/window/fit_device_menu.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QWidgetAction>

#include "core/base/text.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/drop_menu.h"
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
  add_field();
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

void FitDeviceMenu::add_field() {
  field_ = new AmountField;
  field_->setObjectName(u"fit_device_memory"_s);
  field_->setAccessibleName(tr("Other memory"));
  field_->setPlaceholderText(tr("24 (GiB)"));
  field_->setToolTip(
      tr("Memory into which the step must fit; a number without a unit is in GiB. Times are still "
         "predicted for the chosen device. If the field is empty, the step must fit into the "
         "memory of "
         "that device."));
  auto* const row = new QWidget;
  // The menu gives the focus to the row when the arrow keys come to the entry.
  row->setFocusPolicy(Qt::StrongFocus);
  row->setFocusProxy(field_);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(3 * spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->addWidget(make_label_of(*field_, tr("&Other memory")));
  layout->addWidget(field_, 1);
  auto* const entry = new QWidgetAction(this);
  entry->setObjectName(u"fit_other_memory"_s);
  entry->setText(tr("&Other memory"));
  entry->setDefaultWidget(row);
  addAction(entry);
  field_entry_ = entry;
  connect(field_, &QLineEdit::returnPressed, this, &FitDeviceMenu::take_field);
  connect(this, &QMenu::aboutToShow, this, &FitDeviceMenu::fill_field);
}

/// The mnemonic of the field moves the focus to the field. QMenu alone would close on this key.
void FitDeviceMenu::keyPressEvent(QKeyEvent* event) {
  // The Return key in the field closes the menus. The menu gets the key event afterwards.
  if (!isVisible()) return;
  const bool is_alone = (event->modifiers() & ~Qt::ShiftModifier) == 0;
  const QKeySequence letter(Qt::ALT | static_cast<Qt::Key>(event->key()));
  if (!is_alone || QKeySequence::mnemonic(field_entry_->text()) != letter) {
    return QMenu::keyPressEvent(event);
  }
  setActiveAction(field_entry_);
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
}

void FitDeviceMenu::take_field() {
  // The shown text is rounded, so a text that the user did not change is not applied.
  if (!field_->isModified()) return close_all_menus();
  const QString text = field_->amount().trimmed();
  Choices choices = document().choices();
  choices.times.device_memory.reset();
  const auto failure = failure_of([&] {
    if (text.isEmpty()) return;
    choices.times.device_memory = parse_bytes(text.toStdString());
    if (*choices.times.device_memory == 0) {
      fail_usage("memory of 0 bytes", "no step fits", "write a size such as 24GiB");
    }
  });
  close_all_menus();
  if (failure) return document().notices().report(*failure);
  document().choose(
      choices, text.isEmpty() ? tr("The device's own memory") : tr("Device memory %1").arg(text));
}

void FitDeviceMenu::fill_field() {
  const auto& memory = document().choices().times.device_memory;
  field_->setText(memory ? bytes_text(*memory) : QString());
  // A menu that opens again would give the focus to the widget that had it last.
  field_->clearFocus();
}

}  // namespace stashscope::ui
