#include "ui/panels/dimensions/size_menu.h"

#include "ui/document/choice_words.h"
#include "ui/text/texts.h"
#include "ui/widgets/drop_menu.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

SizeMenu::SizeMenu(Document& document, QWidget* parent)
    : QMenu(tr("Si&zes"), parent), document_(document) {
  setObjectName(u"size_menu"_s);
  connect(this, &QMenu::aboutToShow, this, &SizeMenu::fill);
}

void SizeMenu::fill() {
  clear();
  if (document_.study() == nullptr) {
    addAction(tr("Open a model to see its sizes"))->setEnabled(false);
    return;
  }
  for (const NamedSize& each : named_sizes(*document_.study())) {
    const QString name = shown(each.dimension);
    add_entry(*this, u"set_size:"_s + name, menu_text(tr("Set %1…").arg(full_text(each))),
              [this, name] { Q_EMIT size_wanted(name); });
  }
  if (isEmpty()) addAction(tr("All sizes of this model are fixed"))->setEnabled(false);
}

}  // namespace stashscope::ui
