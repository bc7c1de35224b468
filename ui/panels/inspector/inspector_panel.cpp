#include "ui/panels/inspector/inspector_panel.h"

#include <QDesktopServices>
#include <QEvent>
#include <QFileInfo>
#include <QScrollBar>
#include <QVBoxLayout>

namespace stashscope::ui {

InspectorPanel::InspectorPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), page_(new DetailsView) {
  setObjectName(QStringLiteral("inspector_panel"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  page_->setObjectName(QStringLiteral("inspector_page"));
  page_->setAccessibleName(tr("Details of the selection"));
  page_->setOpenLinks(false);
  page_->document()->setDocumentMargin(8);
  layout->addWidget(page_);
  connect(page_, &QTextBrowser::anchorClicked, this, &InspectorPanel::follow);
  connect(&document_.selection(), &LinkedSelection::changed, this, &InspectorPanel::take_selection);
}

void InspectorPanel::take_selection() {
  opened_.clear();
  show_selection();
}

void InspectorPanel::show_selection() {
  if (document_.study() == nullptr) return page_->clear();
  page_->setHtml(inspector_page(*document_.study(), document_.selection().current(), opened_));
}

/// The page stays where it was scrolled to.
void InspectorPanel::open_list(ValueId value) {
  opened_.insert(value);
  const int at = page_->verticalScrollBar()->value();
  show_selection();
  page_->verticalScrollBar()->setValue(at);
}

/// Builds the page again for a new palette, because the page keeps the colour of its links.
void InspectorPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_selection();
}

/// Looks for the file only after the click, because looking up some paths takes long.
void InspectorPanel::open_source(const QUrl& link) {
  const QString file = link.toLocalFile();
  if (!names_python_file(file)) return;
  if (!QFileInfo(file).isFile()) {
    document_.notices().notify(tr("%1 is not on this computer").arg(file));
    return;
  }
  QDesktopServices::openUrl(link);
}

void InspectorPanel::follow(const QUrl& link) {
  if (link.isLocalFile()) return open_source(link);
  bool is_number = false;
  const std::size_t index = link.path().toULongLong(&is_number);
  const Study* const study = document_.study().get();
  if (!is_number || study == nullptr) return;
  if (link.scheme() == QStringLiteral("readers")) return open_list(ValueId(index));
  if (link.scheme() == QStringLiteral("tensor")) {
    if (index < study->graph().values().size()) Q_EMIT tensor_wanted(ValueId(index));
    return;
  }
  if (index < study->current->dataflow.topology.nodes()) Q_EMIT node_wanted(NodeId(index));
}

}  // namespace stashscope::ui
