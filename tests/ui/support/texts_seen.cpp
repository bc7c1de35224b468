#include "tests/ui/support/texts_seen.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>

namespace stashscope::ui::test {

namespace {

using namespace Qt::StringLiterals;

class Collector {
 public:
  void add(const QString& text, const QObject& owner, const QString& kind) {
    if (text.trimmed().isEmpty()) return;
    found_.push_back({text, owner.objectName() + u" ("_s +
                                QString::fromLatin1(owner.metaObject()->className()) + u") "_s +
                                kind});
  }

  void add_widget(QWidget& widget) {
    add(widget.toolTip(), widget, u"tool tip"_s);
    add(widget.accessibleName(), widget, u"accessible name"_s);
    if (auto* const button = qobject_cast<QAbstractButton*>(&widget)) {
      add(button->text(), widget, u"text"_s);
    } else if (auto* const label = qobject_cast<QLabel*>(&widget)) {
      add(label->text(), widget, u"text"_s);
    } else if (auto* const edit = qobject_cast<QLineEdit*>(&widget)) {
      add(edit->placeholderText(), widget, u"placeholder"_s);
    } else if (auto* const dock = qobject_cast<QDockWidget*>(&widget)) {
      add(dock->windowTitle(), widget, u"title"_s);
    } else if (auto* const menu = qobject_cast<QMenu*>(&widget)) {
      Q_EMIT menu->aboutToShow();
      add(menu->title(), widget, u"title"_s);
    } else if (auto* const view = qobject_cast<QAbstractItemView*>(&widget)) {
      add_headers(*view);
    }
  }

  void add_headers(QAbstractItemView& view) {
    const QAbstractItemModel* const model = view.model();
    if (model == nullptr || qobject_cast<QHeaderView*>(&view) != nullptr) return;
    for (int column = 0; column < model->columnCount(); ++column) {
      for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) {
        add(model->headerData(column, Qt::Horizontal, role).toString(), view, u"header"_s);
      }
    }
  }

  void add_action(const QAction& action) {
    add(action.text(), action, u"action"_s);
    add(action.toolTip(), action, u"action's tool tip"_s);
  }

  std::vector<SeenText> take() { return std::move(found_); }

 private:
  std::vector<SeenText> found_;
};

}  // namespace

std::vector<SeenText> texts_of(QWidget& window) {
  Collector collector;
  collector.add_widget(window);
  for (QWidget* const widget : window.findChildren<QWidget*>()) collector.add_widget(*widget);
  for (const QAction* const action : window.findChildren<QAction*>()) collector.add_action(*action);
  return collector.take();
}

}  // namespace stashscope::ui::test
