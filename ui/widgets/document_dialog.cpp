#include "ui/widgets/document_dialog.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr QSize first_size(760, 620);
constexpr double page_margin = 2 * spacing_unit;

}  // namespace

DocumentDialog::DocumentDialog(const Text& text, QWidget* parent)
    : QDialog(parent), section_(text.section), page_(new QTextBrowser), failure_(new QLabel) {
  setObjectName(u"document_dialog"_s);
  setWindowTitle(text.title);
  setAttribute(Qt::WA_DeleteOnClose);
  resize(first_size);
  page_->setObjectName(u"document_page"_s);
  page_->setAccessibleName(text.title);
  page_->setOpenExternalLinks(true);
  page_->document()->setDocumentMargin(page_margin);
  page_->setMarkdown(text.markdown);
  failure_->setObjectName(u"document_failure"_s);
  failure_->setWordWrap(true);
  failure_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  failure_->hide();
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  if (!text.file.isEmpty()) {
    auto* const browse =
        buttons->addButton(tr("Open in the &browser"), QDialogButtonBox::ActionRole);
    browse->setObjectName(u"document_browse"_s);
    browse->setToolTip(text.file);
    connect(browse, &QPushButton::clicked, this, [this, file = text.file] { open_file(file); });
  }
  auto* const layout = new QVBoxLayout(this);
  layout->setSpacing(spacing_unit);
  layout->addWidget(page_, 1);
  layout->addWidget(failure_);
  layout->addWidget(buttons);
}

void DocumentDialog::open_file(const QString& file) {
  const bool is_open = QDesktopServices::openUrl(QUrl::fromLocalFile(file));
  failure_->setText(tr("No program on this computer can show %1.").arg(file));
  failure_->setVisible(!is_open);
}

/// Only now the page has its width, which places the sections. A restored window was shown before.
void DocumentDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  if (event->spontaneous()) return;
  QMetaObject::invokeMethod(this, &DocumentDialog::show_section, Qt::QueuedConnection);
}

void DocumentDialog::show_section() {
  const QTextDocument& text = *page_->document();
  for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
    if (section_.isEmpty() || block.text() != section_) continue;
    const double top = text.documentLayout()->blockBoundingRect(block).top();
    return page_->verticalScrollBar()->setValue(qRound(top));
  }
}

}  // namespace stashscope::ui
