// When the text of the details is laid out.

#include "ui/panels/inspector/details_view.h"

#include <gtest/gtest.h>

#include <QAbstractTextDocumentLayout>
#include <QApplication>

namespace stashscope::ui::test {
namespace details_view_test {

using namespace Qt::StringLiterals;

/// Counts how often the whole text is laid out.
class CountedLayout : public QAbstractTextDocumentLayout {
 public:
  using QAbstractTextDocumentLayout::QAbstractTextDocumentLayout;

  int count = 0;

  void draw(QPainter* /*painter*/, const PaintContext& /*context*/) override {}
  int hitTest(const QPointF& /*point*/, Qt::HitTestAccuracy /*accuracy*/) const override {
    return 0;
  }
  int pageCount() const override { return 1; }
  QSizeF documentSize() const override { return {100, 1000}; }
  QRectF frameBoundingRect(QTextFrame* /*frame*/) const override { return {}; }
  QRectF blockBoundingRect(const QTextBlock& /*block*/) const override { return {}; }

 protected:
  void documentChanged(int /*from*/, int /*removed*/, int /*added*/) override { ++count; }
};

class Details : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(400, 300);
    view.setPlainText(u"some words"_s);
    layout = new CountedLayout(view.document());
    view.document()->setDocumentLayout(layout);
    view.show();
    // The scroll bar that the first layout brings changes the width once more.
    for (int i = 0; i < 2; ++i) QApplication::processEvents();
    layout->count = 0;
  }
  double text_width() { return view.document()->pageSize().width(); }

  DetailsView view;
  CountedLayout* layout = nullptr;
};

TEST_F(Details, AreLaidOutOnceForManyChangesOfWidth) {
  ASSERT_EQ(text_width(), view.viewport()->width());
  for (const int width : {500, 600, 700, 800}) view.resize(width, 300);
  EXPECT_EQ(layout->count, 0);
  EXPECT_NE(text_width(), view.viewport()->width());
  QApplication::processEvents();
  EXPECT_EQ(layout->count, 1);
  EXPECT_EQ(text_width(), view.viewport()->width());
}

TEST_F(Details, AreNotLaidOutForAnotherHeight) {
  view.resize(400, 200);
  QApplication::processEvents();
  EXPECT_EQ(layout->count, 0);
}

}  // namespace details_view_test
}  // namespace stashscope::ui::test
