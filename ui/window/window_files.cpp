// How the main window opens and saves files, and asks about unsaved choices. No function here waits
// for an answer: every dialog reports its answer by a signal.

#include <QCloseEvent>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>

#include "ui/document/recent_files.h"
#include "ui/widgets/drop_menu.h"
#include "ui/widgets/file_dialog.h"
#include "ui/window/main_window.h"
#include "ui/window/mnemonics.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr auto session_folder_key = "files/session_folder"_L1;

QString readable_files() {
  return MainWindow::tr("Models and sessions (*.onnx *.stashscope *.json)");
}

/// Lets a dialog start in the folder of the open model. If no model is open, the dialog starts in
/// the folder of the newest recent file.
void start_near(QFileDialog& dialog, const QString& model) {
  const QStringList files = model.isEmpty() ? recent_files_there() : QStringList(model);
  if (!files.isEmpty()) dialog.setDirectory(QFileInfo(files.front()).absolutePath());
}

/// Lets a dialog start in the folder of the open session or, if no session is open, in the folder
/// of the session that was saved last. If there is no such folder, the dialog starts near the
/// model.
void start_near_sessions(QFileDialog& dialog, const Document& document) {
  const QString open_session = document.files().session_path();
  const QString folder = open_session.isEmpty() ? QSettings().value(session_folder_key).toString()
                                                : QFileInfo(open_session).absolutePath();
  if (!folder.isEmpty() && QFileInfo(folder).isDir()) return dialog.setDirectory(folder);
  start_near(dialog, document.model_path());
}

/// The name of the file whose choices were kept: `way.stashscope of gpt2.onnx`. If the choices
/// belong to no session of the user, only the name of the model.
QString name_of_kept(const Autosave::Abandoned& kept) {
  const QString model = QFileInfo(kept.model).fileName();
  return kept.session.isEmpty()
             ? model
             : MainWindow::tr("%1 of %2").arg(QFileInfo(kept.session).fileName(), model);
}

}  // namespace

void MainWindow::choose_file() {
  QFileDialog* const dialog =
      make_open_dialog(*this, u"open_dialog"_s, tr("Open a model or session"), readable_files());
  start_near(*dialog, document_.model_path());
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open_file);
  dialog->open();
}

void MainWindow::choose_comparison() {
  QFileDialog* const dialog = make_open_dialog(
      *this, u"compare_dialog"_s, tr("Compare with a model or session"), readable_files());
  start_near_sessions(*dialog, document_);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    show_comparison();
    compare_->open(path);
  });
  dialog->open();
}

/// The panel is wide enough for both sides only in its own workspace and in the arrangement of all
/// panels.
void MainWindow::show_comparison() {
  if (workspaces_.current() != QLatin1StringView(all_panels)) workspaces_.choose(u"compare"_s);
  go_to_dock(*findChild<QDockWidget*>(u"compare_dock"_s));
}

void MainWindow::open_file(const QString& path) {
  leave_choices([this, path] { document_.open(path); });
}

void MainWindow::save_session() {
  if (document_.files().session_path().isEmpty()) {
    save_session_as();
  } else {
    document_.save_session_as(document_.files().session_path());
  }
}

void MainWindow::save_session_as() {
  QFileDialog* const dialog =
      save_with(tr("Save the session"), u".stashscope"_s,
                [this](const QString& path) { document_.save_session_as(path); });
  connect(dialog, &QFileDialog::rejected, this, [this] { after_saving_ = nullptr; });
}

QFileDialog* MainWindow::save_with(const QString& title, const QString& suffix,
                                   const std::function<void(const QString&)>& save) {
  const QFileInfo model(document_.model_path());
  const QString name =
      model.completeBaseName() + (suffix == u".onnx"_s ? u"_modified"_s : QString()) + suffix;
  QFileDialog* const dialog =
      make_save_dialog(*this, u"save_dialog"_s, title, {document_.model_path(), name});
  dialog->setNameFilter(u"*"_s + suffix);
  dialog->setDefaultSuffix(suffix.mid(1));
  connect(dialog, &QFileDialog::fileSelected, this, save);
  dialog->open();
  return dialog;
}

void MainWindow::leave_choices(std::function<void()> go_on) {
  if (document_.is_saved()) return go_on();
  if (findChild<QMessageBox*>(u"unsaved_question"_s) != nullptr) return;
  const QString session = document_.files().session_path();
  const QString file = session.isEmpty() ? document_.model_path() : session;
  auto* const question =
      new QMessageBox(QMessageBox::Question, tr("Unsaved choices"),
                      tr("Your choices for %1 are not saved.").arg(QFileInfo(file).fileName()),
                      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  question->setObjectName(u"unsaved_question"_s);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setDefaultButton(QMessageBox::Save);
  connect(question, &QMessageBox::finished, this, [this, go_on = std::move(go_on)](int answer) {
    if (answer == QMessageBox::Discard) return go_on();
    if (answer != QMessageBox::Save) return;
    after_saving_ = go_on;
    save_session();
  });
  question->open();
}

void MainWindow::offer_recovery() {
  offers_unsaved_ = true;
  offer_unsaved(0);
}

void MainWindow::offer_unsaved(std::size_t place) {
  const auto abandoned = autosave_.abandoned();
  if (abandoned.empty()) return;
  place %= abandoned.size();
  const Autosave::Abandoned& kept = abandoned[place];  // the actions below keep copies
  QString text =
      tr("Choices for %1 were not saved when the program ended.").arg(name_of_kept(kept));
  std::vector<MessageBar::Action> actions = {{tr("Restore"), [this, kept] { restore(kept); }},
                                             {tr("Discard"), [this, kept, place] {
                                                autosave_.discard(kept);
                                                offer_unsaved(place);
                                              }}};
  if (abandoned.size() > 1) {
    text = tr("%1 (%2 of %3)").arg(text).arg(place + 1).arg(abandoned.size());
    actions.push_back({tr("Next"), [this, place] { offer_unsaved(place + 1); }});
  }
  messages_->show_message(MessageBar::Tone::offer, text, std::move(actions));
}

void MainWindow::restore(const Autosave::Abandoned& kept) {
  leave_choices([this, kept] { autosave_.restore(kept); });
}

void MainWindow::fill_unsaved_menu() {
  unsaved_menu_->clear();
  for (const Autosave::Abandoned& each : autosave_.abandoned()) {
    const QString when =
        QLocale().toString(QFileInfo(each.file).lastModified(), QLocale::ShortFormat);
    unsaved_menu_->addAction(menu_text(tr("%1, %2").arg(name_of_kept(each), when)), this,
                             [this, each] { restore(each); });
  }
  if (unsaved_menu_->isEmpty()) {
    unsaved_menu_->addAction(tr("No choices are left to restore"))->setEnabled(false);
  }
  give_mnemonics(*unsaved_menu_);
}

void MainWindow::take_saved(const QString& session) {
  QSettings().setValue(session_folder_key, QFileInfo(session).absolutePath());
  add_recent_file(session);
  // The session of an earlier model may be written late. Nobody waits for that one.
  if (session != document_.files().session_path()) return;
  if (const auto go_on = std::exchange(after_saving_, nullptr)) go_on();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!leaving_ && !document_.is_saved()) {
    event->ignore();
    return leave_choices([this] {
      leaving_ = true;
      autosave_.give_up();
      close();
    });
  }
  QSettings().setValue(u"window/geometry"_s, saveGeometry());
  workspaces_.remember();
  recorder_->finish();
  QMainWindow::closeEvent(event);
}

}  // namespace stashscope::ui
