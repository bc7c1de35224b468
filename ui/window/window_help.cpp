// The Help menu of the main window, and the dialogs with texts.

#include <QAction>
#include <QMenuBar>

#include "ui/palette/commands.h"
#include "ui/text/documents.h"
#include "ui/theme/icons.h"
#include "ui/widgets/key_action.h"
#include "ui/window/about_box.h"
#include "ui/window/main_window.h"
#include "ui/window/plan_code_dialog.h"
#include "ui/window/samples.h"
#include "ui/window/shortcut_sheet.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

void show_in_front(QDialog* dialog) {
  dialog->show();
  dialog->activateWindow();
}

/// Brings an open dialog of this type to the front. Returns false if no such dialog is open.
template <class Dialog>
bool show_again(const QWidget& window) {
  auto* const open = window.findChild<Dialog*>();
  if (open == nullptr || !open->isVisible()) return false;
  show_in_front(open);
  return true;
}

std::optional<DocumentDialog::Text> page_named(const QString& name) {
  const QString page = document_named(name);
  if (page.isEmpty()) return std::nullopt;
  return DocumentDialog::Text{title_of(page), page, name, documentation_page(name)};
}

}  // namespace

void MainWindow::make_help_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Help"));
  QAction* const commands =
      add_action(menu, u"commands"_s, tr("&Commands…"), {}, [this] { show_commands(); });
  commands->setShortcuts({QKeySequence(u"Ctrl+Shift+P"_s), QKeySequence(u"Ctrl+K"_s)});
  commands->setIcon(icon(Icon::list));
  QAction* const shortcuts =
      add_action(menu, u"shortcuts"_s, tr("&Keyboard shortcuts"), {}, [this] { show_shortcuts(); });
  shortcuts->setShortcuts({QKeySequence(u"F1"_s), QKeySequence(u"Ctrl+/"_s)});
  add_action(menu, u"export_document"_s, tr("What &exporters change"), {},
             [this] { show_export_document(); });
  add_search_words(
      *add_action(menu, u"pytorch_document"_s, tr("Capture, plan, apply and measure in &PyTorch"),
                  {}, [this] { show_pytorch_document(); }),
      tr("stashscope.capture captured step stashscope.apply stashscope.measure script"));
  menu->addSeparator();
  add_action(menu, u"about"_s, tr("&About Stashscope"), {}, [this] {
    if (!show_again<AboutBox>(*this)) {
      show_in_front(new AboutBox(document_.run_job().devices(), this));
    }
  });
}

void MainWindow::show_export_document() {
  const QString name = u"passes.md"_s;
  show_document({tr("What exporters change"),
                 section_of(document_named(name), u"What exporters change"_s), name,
                 documentation_page(name)});
}

void MainWindow::show_pytorch_document() {
  const QString name = u"pytorch.md"_s;
  show_document({tr("Capture, plan, apply and measure in PyTorch"), document_named(name), name,
                 documentation_page(name)});
}

void MainWindow::show_document(const DocumentDialog::Text& text) {
  for (DocumentDialog* const open : findChildren<DocumentDialog*>()) {
    if (open->first_title() != text.title) continue;
    open->return_to_first();
    return show_in_front(open);
  }
  show_in_front(new DocumentDialog(text, page_named, this));
}

void MainWindow::show_plan_code(const QString& path, const std::shared_ptr<const Study>& study) {
  show_in_front(new PlanCodeDialog(*study, path, this));
}

void MainWindow::show_shortcuts() {
  if (show_again<ShortcutSheet>(*this)) return;
  show_in_front(new ShortcutSheet(commands_with_keys(*menuBar(), *this), this));
}

}  // namespace stashscope::ui
