// The message above the views: how keys close it and lead to it, and how much room it takes.

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QToolButton>

#include "tests/ui/support/window_test.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::test {
namespace message_bar_test {

using namespace Qt::StringLiterals;

class MessageKeys : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    apply_theme(*qApp, ThemeChoice::high_contrast);
    window().resize(1366, 768);
    find<QAction>(u"workspace_order"_s).trigger();
    open(sample(u"gpt2_tiny"_s));
  }
  void TearDown() override {
    apply_text_size(*qApp, 100);
    apply_theme(*qApp, ThemeChoice::light);
  }

  MessageText& text() { return find<MessageText>(u"message_text"_s); }
  void tell(const QString& message = u"Exported plan.sh"_s) {
    document().notices().notify(message);
    QCoreApplication::processEvents();
    ASSERT_EQ(this->message(), message);
  }
  GraphView& graph() { return window().graph().view(); }
};

TEST_F(MessageKeys, EscapeClosesItFromAnywhere) {
  for (QWidget* const place :
       {static_cast<QWidget*>(&graph()), &find<QWidget>(u"order_table"_s),
        &find<QWidget>(u"graph_search"_s), &find<QWidget>(u"graph_colours"_s),
        &find<QWidget>(u"alive_table"_s), &find<QWidget>(u"memory_view"_s)}) {
    SCOPED_TRACE(place->objectName().toStdString());
    place->setFocus();
    tell();
    press(Qt::Key_Escape);
    EXPECT_EQ(message(), QString());
    EXPECT_TRUE(place->hasFocus());
  }
}

TEST_F(MessageKeys, EscapeFirstDoesWhatElseItIsFor) {
  graph().isolate(1);
  graph().setFocus();
  tell();
  press(Qt::Key_Escape);
  EXPECT_FALSE(graph().isolation());
  EXPECT_NE(message(), QString());
  press(Qt::Key_Escape);
  EXPECT_EQ(message(), QString());
}

TEST_F(MessageKeys, AKeyLeadsToItAndBack) {
  const QAction& action = find<QAction>(u"go_to_message"_s);
  EXPECT_FALSE(action.isEnabled()) << "there is no message";
  auto& orders = find<QWidget>(u"order_table"_s);
  orders.setFocus();
  tell();
  EXPECT_TRUE(action.isEnabled());
  const QImage without = text().grab().toImage();
  press(Qt::Key_F6);
  ASSERT_TRUE(text().hasFocus());
  EXPECT_NE(text().grab().toImage(), without) << "a frame shows the focus";
  press(Qt::Key_F6);
  EXPECT_TRUE(orders.hasFocus());
  press(Qt::Key_F6);
  press(Qt::Key_Tab);
  EXPECT_TRUE(find<QWidget>(u"message_close"_s).hasFocus());
  press(Qt::Key_Escape);
  EXPECT_EQ(message(), QString());
  EXPECT_TRUE(orders.hasFocus());
  EXPECT_FALSE(action.isEnabled());
}

TEST_F(MessageKeys, ALongOneLeavesTheGraphMostOfItsRoom) {
  apply_text_size(*qApp, 125);
  tell(u"Exported /home/me/runs/plan.sh and its list; "_s.repeated(20));
  QTest::qWait(20);
  const auto& bar = find<QWidget>(u"message_bar"_s);
  EXPECT_LE(bar.height(), 4 * text().fontMetrics().lineSpacing());
  EXPECT_LT(bar.height(), graph().height() / 2);
  auto& scroll = *text().verticalScrollBar();
  ASSERT_TRUE(scroll.isVisible());
  press(Qt::Key_F6);
  press(Qt::Key_PageDown);
  EXPECT_GT(scroll.value(), 0);
}

TEST_F(MessageKeys, AKeyLeadsToTheFirstButtonAndTabThroughAllInOrder) {
  auto& bar = find<MessageBar>(u"message_bar"_s);
  QStringList done;
  const auto offer = [&] {
    bar.show_message(MessageBar::Tone::note, u"Choices were not saved."_s,
                     {{u"Restore"_s, [&] { done << u"Restore"_s; }},
                      {u"Discard"_s, [&] { done << u"Discard"_s; }}});
    QTest::qWait(0);
    press(Qt::Key_F6);
  };
  offer();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
  EXPECT_EQ(done, QStringList{u"Restore"_s});
  offer();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
  EXPECT_EQ(done, (QStringList{u"Restore"_s, u"Discard"_s}));
  offer();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  EXPECT_TRUE(find<QWidget>(u"message_close"_s).hasFocus()) << "it comes last";
}

TEST_F(MessageKeys, EachOfAFewLinesIsInSight) {
  QString text = u"/home/me/m/snap.pickle: is not a measurement file; choose a file that Run"_s;
  for (int i = 0; i < 40; ++i) {
    text += u"iii"_s;
    tell(text);
    QTest::qWait(20);
    const int most = 3 * this->text().fontMetrics().lineSpacing();
    if (this->text().height() >= most) break;
    EXPECT_FALSE(this->text().verticalScrollBar()->isVisible()) << text.toStdString();
  }
}

class MessageBars : public WindowTest {};

TEST_F(MessageBars, ALineOfTextIsInTheMiddle) {
  open(sample(u"lenet"_s));
  document().notices().notify(u"One line of text."_s);
  auto& text = find<MessageText>(u"message_text"_s);
  ASSERT_TRUE(comes_true([&] { return text.isVisible(); }));
  QCoreApplication::processEvents();
  const auto middle_in_bar = [this](const QWidget& widget, const QRect& part) {
    return widget.mapTo(&find<QWidget>(u"message_bar"_s), part.center()).y();
  };
  const QRect line = text.cursorRect();
  const auto& close = find<QToolButton>(u"message_close"_s);
  EXPECT_NEAR(middle_in_bar(*text.viewport(), line), middle_in_bar(close, close.rect()), 1);
}

}  // namespace message_bar_test
}  // namespace stashscope::ui::test
