#include "ui/widgets/document_dialog.h"

#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QTextBlock>
#include <QTextCursor>
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
    : QDialog(parent), page_(new QTextBrowser), failure_(new QLabel) {
  setObjectName(u"document_dialog"_s);
  setWindowTitle(text.title);
  setAttribute(Qt::WA_DeleteOnClose);
  resize(first_size);
  page_->setObjectName(u"document_page"_s);
  page_->setAccessibleName(text.title);
  page_->setOpenExternalLinks(true);
  page_->document()->setDocumentMargin(page_margin);
  page_->setMarkdown(text.markdown);
  wrap_code();
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

/// Wraps lines of code. Unwrapped, they would go beyond the right edge.
void DocumentDialog::wrap_code() {
  QTextBlockFormat wrapped;
  wrapped.setNonBreakableLines(false);
  for (QTextBlock block = page_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().nonBreakableLines()) QTextCursor(block).mergeBlockFormat(wrapped);
  }
  page_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  page_->moveCursor(QTextCursor::Start);
}

}  // namespace stashscope::ui
