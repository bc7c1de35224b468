#include "ui/window/picture_actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QTimer>
#include <QtMath>
#include <algorithm>

#include "core/base/files.h"
#include "ui/pictures/picture_file.h"
#include "ui/widgets/drop_menu.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/floating.h"
#include "ui/widgets/main_widget.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int waiting_interval = 20;  // milliseconds

PictureSource* source_of(QWidget* widget) { return dynamic_cast<PictureSource*>(widget); }

bool is_visible_view(QWidget* widget) {
  return source_of(widget) != nullptr && widget->isVisible();
}

/// Offers the formats SVG, PNG and PDF. The suffix of the chosen format is added to a file name
/// without a suffix.
void follow_filter(QFileDialog& dialog) {
  const QStringList suffixes = {u"svg"_s, u"png"_s, u"pdf"_s};
  dialog.setNameFilters({PictureActions::tr("SVG drawing (*.svg)"),
                         PictureActions::tr("PNG image (*.png)"),
                         PictureActions::tr("PDF page (*.pdf)")});
  QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                   [&dialog, suffixes](const QString& filter) {
                     const auto chosen = dialog.nameFilters().indexOf(filter);
                     if (chosen >= 0) dialog.setDefaultSuffix(suffixes[chosen]);
                   });
}

QString other_model_text(const QString& view) {
  return PictureActions::tr("%1: not done, because another model was opened").arg(view);
}

QString done_text(const QString& path, const Picture& picture) {
  const double scale = png_scale(picture.size);
  if (!path.endsWith(u".png"_s, Qt::CaseInsensitive) || scale >= 1) {
    return PictureActions::tr("Exported %1").arg(path);
  }
  return PictureActions::tr(
             "Exported %1 at %2 % of its size, because many programs cannot open larger images. "
             "SVG and PDF keep every detail.")
      .arg(path)
      .arg(std::max(1, qFloor(100 * scale)));
}

}  // namespace

PictureActions::PictureActions(Document& document, QWidget& window, QWidget& first)
    : QObject(&window), document_(document), window_(window), first_(first) {
  connect(qApp, &QApplication::focusChanged, this,
          [this](const QWidget*, QWidget* focused) { remember_focus(focused); });
}

std::vector<PictureActions::Entry> PictureActions::entries() {
  return {{u"save_picture"_s, tr("Save picture…"), u"Ctrl+Alt+S"_s, &PictureActions::save_picture},
          {u"copy_picture"_s, tr("Copy picture"), u"Ctrl+Alt+C"_s, &PictureActions::copy_picture},
          {u"save_data"_s, tr("Save data as CSV…"), u"Ctrl+Alt+D"_s, &PictureActions::save_data}};
}

void PictureActions::remember_focus(QWidget* focused) {
  if (view_of(focused) != nullptr) focused_ = focused;
}

QWidget* PictureActions::view_of(QWidget* focused) const {
  if (focused == nullptr || !is_part_of(*focused, window_)) return nullptr;
  for (QWidget* each = focused; each != nullptr && each != &window_; each = each->parentWidget()) {
    // A hidden view may show an earlier study.
    if (is_visible_view(each)) return each;
    if (QWidget* const main = main_widget(*each); is_visible_view(main)) return main;
    const auto inside = each->findChildren<QWidget*>();
    const auto view = std::ranges::find_if(inside, is_visible_view);
    if (view != inside.end()) return *view;
  }
  return nullptr;
}

QWidget& PictureActions::seen_view() {
  QWidget* const view = view_of(focused_);
  return view == nullptr ? first_ : *view;
}

void PictureActions::add_to_views() {
  for (QWidget* const view : window_.findChildren<QWidget*>()) {
    if (source_of(view) == nullptr) continue;
    for (const Entry& entry : entries()) {
      auto* const action = new QAction(entry.text, this);
      action->setObjectName(entry.name);
      connect(action, &QAction::triggered, view,
              [this, view, act = entry.act] { (this->*act)(*view); });
      add_picture_action(*view, action);
    }
    const bool has_own_menu = view->contextMenuPolicy() != Qt::DefaultContextMenu;
    const bool is_table = qobject_cast<QAbstractItemView*>(view) != nullptr;
    if (is_table && !has_own_menu) view->setContextMenuPolicy(Qt::ActionsContextMenu);
  }
}

QMenu* PictureActions::make_menu() {
  auto* const menu = new QMenu(tr("Pictures and &data (CSV)"), &window_);
  menu->setObjectName(u"picture_menu"_s);
  for (const Entry& entry : entries()) {
    QAction* const action = add_entry(*menu, u"focused_"_s + entry.name, entry.text,
                                      [this, act = entry.act] { (this->*act)(seen_view()); });
    action->setShortcut(QKeySequence(entry.key));
  }
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->setTitle(tr("Pictures and &data (CSV): %1").arg(menu_text(seen_view().accessibleName())));
  });
  return menu;
}

void PictureActions::say_nothing_to_show(const QWidget& view) {
  document_.notices().notify(tr("%1 has nothing to show yet.").arg(view.accessibleName()));
}

QFileDialog* PictureActions::ask(const QWidget& view, const QString& title, const QString& suffix) {
  const QFileInfo model(document_.model_path());
  const QString name = u"%1_%2.%3"_s.arg(model.completeBaseName(), view.objectName(), suffix);
  QFileDialog* const dialog =
      make_save_dialog(window_, u"save_dialog"_s, title, {document_.model_path(), name});
  dialog->setNameFilter(u"*."_s + suffix);
  dialog->setDefaultSuffix(suffix);
  return dialog;
}

bool PictureActions::has_current_study() const {
  // While another model loads, the views still show the open model.
  const StudyJob& job = document_.study_job();
  if (job.is_busy() && !job.is_opening()) return false;
  return document_.study() == nullptr || document_.is_up_to_date();
}

bool PictureActions::is_current(QWidget& view) const {
  return has_current_study() && source_of(&view)->is_current();
}

void PictureActions::give_up(QTimer& waiting, const QString& why) {
  waiting.stop();
  waiting.deleteLater();
  document_.notices().notify(why);
}

void PictureActions::when_current(QWidget& view, const std::function<void()>& act) {
  if (is_current(view)) return act();
  const QString name = view.accessibleName();
  document_.notices().notify(tr("%1: waiting until the view shows the chosen step…").arg(name));
  auto* const timer = new QTimer(&view);
  connect(&document_, &Document::opened, timer,
          [this, name, timer] { give_up(*timer, other_model_text(name)); });
  connect(timer, &QTimer::timeout, this, [this, &view, name, timer, act] {
    if (has_current_study() && !view.isVisible() && !is_current(view)) {
      return give_up(*timer, tr("%1: not done, because its panel is hidden").arg(name));
    }
    if (!is_current(view)) return;
    timer->stop();
    timer->deleteLater();
    act();
  });
  timer->start(waiting_interval);
}

bool PictureActions::has_content(QWidget& view) {
  const bool has = document_.study() != nullptr && source_of(&view)->has_picture();
  if (!has) say_nothing_to_show(view);
  return has;
}

void PictureActions::save_picture(QWidget& view) {
  if (!has_content(view)) return;
  QFileDialog* const dialog =
      ask(view, tr("Save the picture: %1").arg(view.accessibleName()), u"svg"_s);
  follow_filter(*dialog);
  connect(dialog, &QFileDialog::fileSelected, &view, [this, &view](const QString& path) {
    when_current(view, [this, &view, path] { write_picture(view, path); });
  });
  dialog->open();
}

void PictureActions::write_picture(QWidget& view, const QString& path) {
  const Picture picture = source_of(&view)->picture(document_.model_path());
  if (picture.size.isEmpty()) return say_nothing_to_show(view);
  document_.files().write_file(
      path, done_text(path, picture), [picture, file = path.toStdString()] {
        write_file_atomically(file, encoded(picture, picture_format(file)));
      });
}

void PictureActions::copy_picture(QWidget& view) {
  if (!has_content(view)) return;
  when_current(view, [this, &view] { copy_current(view); });
}

void PictureActions::copy_current(QWidget& view) {
  const Picture picture = source_of(&view)->picture(document_.model_path());
  if (picture.size.isEmpty()) return say_nothing_to_show(view);
  document_.files().write_in_background(
      tr("Copied the picture: %1").arg(view.accessibleName()), [picture] {
        QMetaObject::invokeMethod(
            qApp, [image = image_of(picture)] { QApplication::clipboard()->setImage(image); },
            Qt::QueuedConnection);
      });
}

void PictureActions::save_data(QWidget& view) {
  if (!has_content(view)) return;
  QFileDialog* const dialog =
      ask(view, tr("Save the data: %1").arg(view.accessibleName()), u"csv"_s);
  connect(dialog, &QFileDialog::fileSelected, &view, [this, &view](const QString& path) {
    when_current(view, [this, &view, path] { write_data(view, path); });
  });
  dialog->open();
}

void PictureActions::write_data(QWidget& view, const QString& path) {
  const auto is_gathered = std::make_shared<bool>(false);
  const std::weak_ptr<const Graph> model = document_.study()->model;
  source_of(&view)->gather_data([=, this, &view](const PictureData& data) {
    *is_gathered = true;
    if (model.lock() != document_.study()->model) {
      return document_.notices().notify(other_model_text(view.accessibleName()));
    }
    if (!data) return say_nothing_to_show(view);
    document_.files().write_file(
        path, tr("Exported %1").arg(path),
        [data, file = path.toStdString()] { write_file_atomically(file, data()); });
  });
  if (!*is_gathered) {
    document_.notices().notify(tr("%1: gathering the rows…").arg(view.accessibleName()));
  }
}

}  // namespace stashscope::ui
