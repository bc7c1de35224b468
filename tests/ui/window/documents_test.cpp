// The pages of the program: links between them, the way back, and how they look.

#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>

#include "tests/ui/support/window_test.h"
#include "ui/text/documents.h"
#include "ui/widgets/document_dialog.h"

namespace stashscope::ui::test {
namespace documents_test {

using namespace Qt::StringLiterals;

/// Gets links instead of the programs of the desktop.
class Desktop : public QTextBrowser {
 protected:
  QVariant loadResource(int, const QUrl&) override { return u"a page"_s; }
};

class Documents : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    find<QAction>(u"pytorch_document"_s).trigger();
    ASSERT_TRUE(comes_true([this] { return dialog().isVisible(); }));
  }

  DocumentDialog& dialog() { return find<DocumentDialog>(u"document_dialog"_s); }
  QTextBrowser& page() { return *dialog().findChild<QTextBrowser*>(u"document_page"_s); }
  QPushButton& back() { return *dialog().findChild<QPushButton*>(u"document_back"_s); }
  QString said() { return dialog().findChild<QLabel*>(u"document_failure"_s)->text(); }
  QString title() { return page().toPlainText().section(u'\n', 0, 0); }

  /// Follows a link as the keyboard does.
  void follow(const QString& link) {
    page().setFocus();
    page().moveCursor(QTextCursor::Start);
    for (int i = 0; i < 200; ++i) {
      QTest::keyClick(&page(), Qt::Key_Tab);
      if (page().textCursor().charFormat().anchorHref() != link) continue;
      QTest::keyClick(&page(), Qt::Key_Return);
      return;
    }
    FAIL() << "no link " << link.toStdString();
  }

  /// Presses a key with the dialog in front.
  void press_here(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    dialog().activateWindow();
    ASSERT_TRUE(comes_true([this] { return QApplication::activeWindow() == &dialog(); }));
    QTest::keyClick(dialog().focusWidget(), key, modifiers);
  }

  /// The first line in view.
  QString first_line() {
    return page().cursorForPosition(QPoint(page().width() / 4, 12)).block().text();
  }
};

TEST_F(Documents, LinksLeadFromPageToPageAndBack) {
  EXPECT_FALSE(back().isEnabled());
  EXPECT_EQ(title(), u"PyTorch"_s);
  follow(u"python.md"_s);
  EXPECT_EQ(title(), title_of(document_named(u"python.md"_s)));
  EXPECT_EQ(dialog().windowTitle(), title());
  EXPECT_TRUE(back().isEnabled());
  QTest::mouseClick(&back(), Qt::LeftButton);
  EXPECT_EQ(title(), u"PyTorch"_s);
  EXPECT_FALSE(back().isEnabled());
  EXPECT_EQ(dialog().focusWidget(), &page()) << "the button gives the keyboard back";
  for (const auto& [key, modifier] :
       {std::pair(Qt::Key_Left, Qt::AltModifier), std::pair(Qt::Key_Backspace, Qt::NoModifier)}) {
    follow(u"captured_step.md"_s);
    EXPECT_EQ(title(), title_of(document_named(u"captured_step.md"_s)));
    press_here(key, modifier);
    EXPECT_EQ(title(), u"PyTorch"_s);
  }
}

TEST_F(Documents, ALinkToAHeadingLeadsThereAndBackToItsPlace) {
  follow(u"#mixtures-of-experts"_s);
  EXPECT_EQ(first_line(), u"Mixtures of experts"_s);
  const int there = page().verticalScrollBar()->value();
  follow(u"captured_step.md#plans"_s);
  EXPECT_EQ(first_line(), u"Plans"_s);
  press_here(Qt::Key_Left, Qt::AltModifier);
  press_here(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(title(), u"PyTorch"_s);
  EXPECT_LT(page().verticalScrollBar()->value(), there);
}

TEST_F(Documents, EveryLinkLeadsSomewhereOrSaysWhere) {
  for (const QString& name : {u"pytorch.md"_s, u"passes.md"_s, u"python.md"_s, u"library.md"_s}) {
    const DocumentDialog::Text text{u"all links"_s, document_named(name), name, {}};
    DocumentDialog all(text, [](const QString& wanted) -> std::optional<DocumentDialog::Text> {
      const QString found = document_named(wanted);
      if (found.isEmpty()) return std::nullopt;
      return DocumentDialog::Text{title_of(found), found, wanted, {}};
    });
    all.setAttribute(Qt::WA_DeleteOnClose, false);
    auto& shown = *all.findChild<QTextBrowser*>(u"document_page"_s);
    const auto& failure = *all.findChild<QLabel*>(u"document_failure"_s);
    QStringList links;
    for (QTextBlock block = shown.document()->begin(); block.isValid(); block = block.next()) {
      for (auto part = block.begin(); !part.atEnd(); ++part) {
        const QString link = part.fragment().charFormat().anchorHref();
        if (!link.isEmpty() && !link.startsWith(u"http"_s)) links << link;
      }
    }
    ASSERT_FALSE(links.isEmpty()) << name.toStdString();
    for (const QString& link : links) {
      Q_EMIT shown.anchorClicked(QUrl(link));
      EXPECT_FALSE(shown.toPlainText().isEmpty()) << link.toStdString();
      const bool is_page = link.startsWith(u'#') || !document_named(QUrl(link).path()).isEmpty();
      EXPECT_EQ(failure.isHidden(), is_page) << link.toStdString();
      if (!is_page) {
        EXPECT_TRUE(failure.text().contains(QUrl(link).fileName()));
      }
      all.return_to_first();
    }
  }
}

TEST_F(Documents, TheFirstPageComesBackFromTheMenu) {
  follow(u"python.md"_s);
  find<QAction>(u"pytorch_document"_s).trigger();
  EXPECT_EQ(window().findChildren<DocumentDialog*>().size(), 1);
  EXPECT_EQ(title(), u"PyTorch"_s);
}

TEST_F(Documents, LinesOfCodeAreWholeAndHeadingsStandApart) {
  const QAbstractTextDocumentLayout& layout = *page().document()->documentLayout();
  layout.documentSize();
  int lines = 0;
  for (QTextBlock block = page().document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence)) {
      EXPECT_EQ(block.layout()->lineCount(), 1) << block.text().toStdString();
      ++lines;
    }
    if (block.blockFormat().headingLevel() < 2) continue;
    const qreal above = layout.blockBoundingRect(block.previous()).bottom();
    const qreal below = block.layout()->position().y();
    EXPECT_GT(below - above, page().fontMetrics().height()) << block.text().toStdString();
  }
  EXPECT_GT(lines, 20);
}

TEST_F(Documents, LinksOutOfTheProgramOpenElsewhereOrSayWhere) {
  Desktop desktop;
  QDesktopServices::setUrlHandler(u"https"_s, &desktop, "setSource");
  Q_EMIT page().anchorClicked(QUrl(u"https://example.org/page"_s));
  EXPECT_EQ(desktop.source().host(), u"example.org"_s);
  QDesktopServices::unsetUrlHandler(u"https"_s);
  EXPECT_EQ(title(), u"PyTorch"_s) << "the page stays";
  Q_EMIT page().anchorClicked(QUrl(u"../python/examples/capture_a_step.py"_s));
  EXPECT_TRUE(said().contains(u"python/examples/capture_a_step.py"_s)) << said().toStdString();
  EXPECT_EQ(title(), u"PyTorch"_s);
}

}  // namespace documents_test
}  // namespace stashscope::ui::test
