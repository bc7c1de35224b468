#include "ui/widgets/document_dialog.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/spacing.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr QSize first_size(760, 620);
constexpr int widest = 1000;
constexpr double page_margin = 2 * spacing_unit;

/// Whether the block is a line between the fences of code.
bool is_code(const QTextBlock& block) {
  return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
}

/// The name that links have for a heading: small letters, hyphens for spaces, no punctuation.
QString anchor_of(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower()) {
    if (c.isLetterOrNumber() || c == u'-' || c == u'_') anchor += c;
    if (c == u' ') anchor += u'-';
  }
  return anchor;
}

}  // namespace

DocumentDialog::DocumentDialog(const Text& text, FindPage find_page, QWidget* parent)
    : QDialog(parent),
      find_page_(std::move(find_page)),
      first_title_(text.title),
      page_(new QTextBrowser),
      failure_(new QLabel),
      back_(new QPushButton(tr("← &Back"))),
      browse_(nullptr) {
  setObjectName(u"document_dialog"_s);
  setAttribute(Qt::WA_DeleteOnClose);
  page_->setObjectName(u"document_page"_s);
  page_->setOpenLinks(false);
  page_->viewport()->installEventFilter(this);
  connect(page_, &QTextBrowser::anchorClicked, this, &DocumentDialog::follow);
  failure_->setObjectName(u"document_failure"_s);
  failure_->setWordWrap(true);
  failure_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* const layout = new QVBoxLayout(this);
  layout->setSpacing(spacing_unit);
  layout->addWidget(page_, 1);
  layout->addWidget(failure_);
  layout->addWidget(make_buttons());
  show_page(text);
  resize(std::clamp(width_of_code(), first_size.width(), widest), first_size.height());
  page_->setFocus();
}

QWidget* DocumentDialog::make_buttons() {
  auto* const row = new QWidget;
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  browse_ = buttons->addButton(tr("Open in the b&rowser"), QDialogButtonBox::ActionRole);
  browse_->setObjectName(u"document_browse"_s);
  connect(browse_, &QPushButton::clicked, this,
          [this] { open_outside(QUrl::fromLocalFile(text_.file)); });
  back_->setObjectName(u"document_back"_s);
  back_->setToolTip(tr("Back to the previous page or place (Alt+Left)"));
  connect(back_, &QPushButton::clicked, this, &DocumentDialog::go_back);
  auto* const keys = new QAction(this);
  keys->setShortcuts({QKeySequence(u"Alt+Left"_s), QKeySequence(Qt::Key_Backspace)});
  connect(keys, &QAction::triggered, this, &DocumentDialog::go_back);
  addAction(keys);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(back_);
  layout->addWidget(buttons, 1);
  return row;
}

/// The width at which no line of code wraps.
int DocumentDialog::width_of_code() const {
  double widest_line = 0;
  const QFontMetricsF font(fixed_font());
  for (QTextBlock block = page_->document()->begin(); block.isValid(); block = block.next()) {
    if (is_code(block)) widest_line = std::max(widest_line, font.horizontalAdvance(block.text()));
  }
  const int around = 2 * (page_->frameWidth() + static_cast<int>(page_margin) + 2 * spacing_unit);
  return static_cast<int>(widest_line) + page_->verticalScrollBar()->sizeHint().width() + around;
}

void DocumentDialog::show_page(const Text& text) {
  text_ = text;
  setWindowTitle(text.title);
  page_->setAccessibleName(text.title);
  page_->setMarkdown(text.markdown);
  page_->document()->setDocumentMargin(page_margin);
  style_page();
  browse_->setVisible(!text.file.isEmpty());
  browse_->setToolTip(text.file);
  back_->setEnabled(!places_.empty());
  failure_->hide();
}

/// Sets headings apart, and wraps lines of code in a window that is too narrow for them. Unwrapped,
/// they would go beyond the right edge.
void DocumentDialog::style_page() {
  const double above_heading = 1.2 * page_->fontMetrics().height();
  for (QTextBlock block = page_->document()->begin(); block.isValid(); block = block.next()) {
    const bool is_first = block == page_->document()->begin();
    const bool is_heading = block.blockFormat().headingLevel() > 0 && !is_first;
    const bool is_line_of_code = is_code(block);
    QTextBlockFormat format;
    if (is_heading) format.setTopMargin(above_heading);
    if (is_line_of_code) format.setNonBreakableLines(false);
    if (is_heading || is_line_of_code) QTextCursor(block).mergeBlockFormat(format);
  }
  page_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  page_->moveCursor(QTextCursor::Start);
}

void DocumentDialog::follow(const QUrl& link) {
  failure_->hide();
  if (!link.scheme().isEmpty()) return open_outside(link);
  const QString name = link.path().isEmpty() ? text_.name : link.path();
  const QString heading = link.fragment();
  if (name == text_.name && !heading.isEmpty()) {
    const int before = page_->verticalScrollBar()->value();
    if (scroll_to(heading)) {
      places_.push_back({text_, before});
      back_->setEnabled(true);
      return;
    }
  }
  // The dialog may show one section of a page, and the heading may be in another section.
  const std::optional<Text> page = find_page_(name);
  page ? go_to(*page, heading) : say_where(name);
}

void DocumentDialog::go_to(const Text& text, const QString& heading) {
  places_.push_back({text_, page_->verticalScrollBar()->value()});
  show_page(text);
  if (!heading.isEmpty()) scroll_to(heading);
}

/// Returns false if the page has no such heading.
bool DocumentDialog::scroll_to(const QString& heading) {
  for (QTextBlock block = page_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || anchor_of(block.text()) != heading) continue;
    const QRectF place = page_->document()->documentLayout()->blockBoundingRect(block);
    page_->setTextCursor(QTextCursor(block));
    page_->verticalScrollBar()->setValue(static_cast<int>(place.top()));
    return true;
  }
  return false;
}

void DocumentDialog::go_back() {
  if (places_.empty()) return;
  const Place place = std::move(places_.back());
  places_.pop_back();
  show_page(place.text);
  // The layout of the page must be known before it can be scrolled.
  page_->document()->documentLayout()->documentSize();
  page_->verticalScrollBar()->setValue(place.scrolled);
  page_->setFocus();
}

void DocumentDialog::return_to_first() {
  if (places_.empty()) return;
  places_.resize(1);
  go_back();
}

bool DocumentDialog::eventFilter(QObject* watched, QEvent* event) {
  const bool is_back = event->type() == QEvent::MouseButtonPress &&
                       static_cast<QMouseEvent*>(event)->button() == Qt::BackButton;
  if (!is_back) return QDialog::eventFilter(watched, event);
  go_back();
  return true;
}

void DocumentDialog::open_outside(const QUrl& url) {
  const bool is_open = QDesktopServices::openUrl(url);
  failure_->setText(tr("No program on this computer can show %1.")
                        .arg(url.isLocalFile() ? url.toLocalFile() : url.toString()));
  failure_->setVisible(!is_open);
}

/// Says where to find a file to which a link leads, but which is no page of the program.
void DocumentDialog::say_where(const QString& path) {
  const QString beside = QFileInfo(text_.file).dir().filePath(path);
  const bool is_there = !text_.file.isEmpty() && QFileInfo::exists(beside);
  failure_->setText(is_there ? tr("The link leads to no page of the program, but to the file %1.")
                                   .arg(QFileInfo(beside).canonicalFilePath())
                             : tr("The link leads to no page of the program, but to the file %1 "
                                  "in the folder of the program's source.")
                                   .arg(QDir::cleanPath(u"docs/"_s + path)));
  failure_->show();
}

}  // namespace stashscope::ui
