#include "ui/window/layout_menu.h"

#include <QInputDialog>
#include <QSettings>

#include "ui/widgets/drop_menu.h"
#include "ui/window/mnemonics.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QVariantMap saved_layouts() { return QSettings().value(u"window/layouts"_s).toMap(); }

void keep_layouts(const QVariantMap& layouts) {
  QSettings().setValue(u"window/layouts"_s, layouts);
}

}  // namespace

LayoutMenu::LayoutMenu(QMainWindow& window, int version, std::function<void()> reset)
    : QMenu(tr("&Layouts"), &window), window_(window), version_(version), reset_(std::move(reset)) {
  setObjectName(u"layout_menu"_s);
  connect(this, &QMenu::aboutToShow, this, &LayoutMenu::fill);
  fill();
}

void LayoutMenu::fill() {
  empty_menu(*this);
  const QStringList names = saved_layouts().keys();
  for (const QString& name : names) add_saved(name);
  if (!names.isEmpty()) addSeparator();
  addAction(tr("&Save as…"), this, &LayoutMenu::ask_for_name)->setObjectName(u"save_layout"_s);
  addAction(tr("&Reset to default"), this, [this] { reset_(); })->setObjectName(u"reset_layout"_s);
  if (names.isEmpty()) return;
  QMenu* const removal = addMenu(tr("&Delete"));
  for (const QString& name : names) {
    removal->addAction(menu_text(name), this, [name] {
      QVariantMap layouts = saved_layouts();
      layouts.remove(name);
      keep_layouts(layouts);
    });
  }
  give_mnemonics(*this);
}

void LayoutMenu::add_saved(const QString& name) {
  addAction(menu_text(name), this, [this, name] {
    window_.restoreState(saved_layouts().value(name).toByteArray(), version_);
  })->setObjectName(u"layout:"_s + name);
}

void LayoutMenu::save(const QString& name) {
  if (name.trimmed().isEmpty()) return;
  QVariantMap layouts = saved_layouts();
  layouts[name.trimmed()] = window_.saveState(version_);
  keep_layouts(layouts);
}

void LayoutMenu::ask_for_name() {
  auto* const dialog = new QInputDialog(&window_);
  dialog->setObjectName(u"layout_name_dialog"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save the layout"));
  dialog->setLabelText(tr("Name of the layout (replaces a layout of the same name):"));
  connect(dialog, &QInputDialog::textValueSelected, this, &LayoutMenu::save);
  dialog->open();
}

}  // namespace stashscope::ui
