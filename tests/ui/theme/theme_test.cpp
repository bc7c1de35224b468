#include "ui/theme/theme.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOptionViewItem>
#include <QTabBar>
#include <QTabWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "tests/ui/support/window_test.h"
#include "ui/charts/data_colours.h"

namespace stashscope::ui::test {
namespace theme_test {

using namespace Qt::StringLiterals;

class Themes : public WindowTest {
 protected:
  void TearDown() override {
    WindowTest::TearDown();
    apply_theme(*qApp, ThemeChoice::light);
  }
  void choose(const QString& action) { window().findChild<QAction*>(action)->trigger(); }
};

TEST_F(Themes, LightAndDarkDrawTheWholeWindow) {
  open(sample(u"gpt2_tiny"_s));
  for (const auto& [action, dark] :
       {std::pair(u"theme_1"_s, false), std::pair(u"theme_2"_s, true)}) {
    choose(action);
    EXPECT_EQ(theme_of(window().palette()).dark, dark);
    const QImage picture = window().grab().toImage();
    const QColor corner = picture.pixelColor(2, picture.height() / 2);
    EXPECT_EQ(corner.lightness() < 128, dark);
  }
}

TEST_F(Themes, TextCanBeReadOnEveryGround) {
  for (const auto choice : {ThemeChoice::light, ThemeChoice::dark}) {
    apply_theme(*qApp, choice);
    const Theme theme = theme_of(QApplication::palette());
    for (const QColor& ground : {theme.window, theme.surface, theme.canvas}) {
      EXPECT_GT(std::abs(theme.text.lightness() - ground.lightness()), 120);
      EXPECT_GT(std::abs(theme.muted.lightness() - ground.lightness()), 60);
    }
  }
}

/// Relative luminance and contrast of WCAG 2.2.
double luminance(const QColor& colour) {
  const auto linear = [](float part) {
    return part <= 0.04045F ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

TEST_F(Themes, HighContrastHasSevenToOneEverywhere) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"theme_3"_s);
  const Theme theme = theme_of(window().palette());
  for (const QColor& ground : {theme.window, theme.surface, theme.canvas}) {
    for (const QColor& ink : {theme.line, theme.text, theme.muted, theme.accent, theme.stash,
                              theme.baseline, theme.measured, theme.warning}) {
      EXPECT_GE(contrast(ink, ground), 7) << ink.name().toStdString();
    }
  }
  EXPECT_GE(contrast(window().palette().color(QPalette::HighlightedText), theme.accent), 7);
  const QImage picture = window().grab().toImage();
  EXPECT_EQ(picture.pixelColor(2, picture.height() / 2), QColor(Qt::black));
}

TEST_F(Themes, DarkOnesShowEveryColourOfDataOnBoxes) {
  for (const QString& name : {u"theme_2"_s, u"theme_3"_s}) {
    choose(name);
    const Theme theme = theme_of(window().palette());
    for (int i = 0; i <= 100; ++i) {
      const QColor own = lifetime_colour(i / 100.0);
      EXPECT_GE(contrast(seen_colour(own, theme), theme.canvas), 3) << i;
      EXPECT_GE(contrast(seen_colour(own, theme), theme.surface), 3) << i;
      EXPECT_EQ(seen_colour(own, light_theme()), own) << i;
    }
  }
}

TEST_F(Themes, HighContrastShowsWhichTabIsChosen) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"theme_3"_s);
  auto& tabs = *find<QTabWidget>(u"orders_panel"_s).tabBar();
  const auto whites = [&](int tab) {
    const QImage picture = tabs.grab(tabs.tabRect(tab)).toImage();
    int count = 0;
    for (int x = 0; x < picture.width(); ++x) {
      for (int y : {0, 1, 2, 3}) count += qGray(picture.pixel(x, y)) > 200 ? 1 : 0;
    }
    return count;
  };
  for (const int chosen : {0, 1}) {
    tabs.setCurrentIndex(chosen);
    EXPECT_GT(whites(chosen), tabs.tabRect(chosen).width());
    EXPECT_LT(whites(1 - chosen), tabs.tabRect(1 - chosen).width() / 2);
  }
}

TEST_F(Themes, HighContrastDrawsLinesAroundTheBoxesOfTheIcicle) {
  open(sample(u"gpt2_tiny"_s));
  auto& icicle = find<QWidget>(u"icicle_view"_s);
  for (QWidget* each = &icicle; each != nullptr; each = each->parentWidget()) {
    if (auto* const dock = qobject_cast<QDockWidget*>(each)) dock->raise();
  }
  QCoreApplication::processEvents();
  // Columns with a line as high as half a row of the chart.
  const auto lines = [&] {
    const QImage picture = icicle.grab().toImage();
    const QRgb ink = theme_of(window().palette()).text.rgb();
    const int least = icicle.fontMetrics().height() / 2;
    int count = 0;
    for (int x = 0; x < picture.width(); ++x) {
      int longest = 0;
      for (int y = 0, run = 0; y < picture.height(); ++y) {
        run = picture.pixel(x, y) == ink ? run + 1 : 0;
        longest = std::max(longest, run);
      }
      count += longest > least ? 1 : 0;
    }
    return count;
  };
  choose(u"theme_2"_s);
  const int in_dark = lines();
  choose(u"theme_3"_s);
  EXPECT_GT(lines(), in_dark + 6);
}

TEST_F(Themes, HighContrastShowsEveryColourOfDataOnBlack) {
  choose(u"theme_3"_s);
  const Theme theme = theme_of(window().palette());
  const auto on_canvas = [&](int part) { return qRound(part * theme.stash_opacity); };
  const QColor curve(on_canvas(theme.stash.red()), on_canvas(theme.stash.green()),
                     on_canvas(theme.stash.blue()));
  EXPECT_GE(contrast(curve, theme.canvas), 4.5);
}

TEST_F(Themes, TextsInColoursFollow) {
  open(sample(u"gpt2_tiny"_s));
  const auto& bands = find<QLabel>(u"alive_bands"_s);
  const auto& hint = find<QLabel>(u"step_hint"_s);
  const auto hint_colour = [&] { return hint.palette().color(hint.foregroundRole()); };
  find<QTabWidget>(u"orders_panel"_s).setCurrentIndex(1);
  choose(u"theme_1"_s);
  const QString light_bands = bands.text();
  EXPECT_EQ(hint_colour(), theme_of(window().palette()).muted);
  choose(u"theme_2"_s);
  EXPECT_NE(bands.text(), light_bands);
  EXPECT_EQ(hint_colour(), theme_of(window().palette()).muted);
  auto& steps = find<QTableView>(u"step_table"_s);
  steps.setCurrentIndex(steps.model()->index(0, 0));
  steps.setFocus();
  press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
  EXPECT_EQ(hint_colour(), theme_of(window().palette()).warning) << hint.text().toStdString();
}

TEST_F(Themes, LinksFollow) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"theme_1"_s);
  const auto& dataflow = document().study()->current->dataflow;
  document().selection().select_node(NodeId(dataflow.topology.nodes() / 2));
  const auto& page = find<QTextBrowser>(u"inspector_page"_s);
  const auto link_colour = [&] {
    for (QTextBlock block = page.document()->begin(); block.isValid(); block = block.next()) {
      for (auto part = block.begin(); !part.atEnd(); ++part) {
        const QTextCharFormat format = part.fragment().charFormat();
        if (format.isAnchor()) return format.foreground().color();
      }
    }
    return QColor();
  };
  ASSERT_TRUE(link_colour().isValid());
  EXPECT_EQ(link_colour(), window().palette().color(QPalette::Link));
  choose(u"theme_2"_s);
  EXPECT_EQ(link_colour(), window().palette().color(QPalette::Link));
}

int pixels_of(const QColor& colour, const QImage& picture) {
  int count = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == colour ? 1 : 0;
  }
  return count;
}

TEST_F(Themes, LinksOfTheBarAndOfOverviewFollow) {
  open(sample(u"gpt2_tiny"_s));
  find<QDockWidget>(u"overview_dock"_s).raise();
  for (const QString& label : {u"answer_text"_s, u"overview_sizes"_s}) {
    for (const QString& theme : {u"theme_1"_s, u"theme_3"_s, u"theme_2"_s}) {
      choose(theme);
      QTest::qWait(0);
      const QColor link = window().palette().color(QPalette::Link);
      EXPECT_GT(pixels_of(link, find<QWidget>(label).grab().toImage()), 20)
          << label.toStdString() << " " << theme.toStdString();
    }
  }
}

TEST_F(Themes, MenusTipsAndThePaletteHaveAFrameOnDark) {
  open(sample(u"gpt2_tiny"_s));
  for (const QString& choice : {u"theme_2"_s, u"theme_3"_s}) {
    choose(choice);
    const QColor line = theme_of(window().palette()).line;
    const auto is_framed = [&](QWidget& widget) {
      const QImage picture = widget.grab().toImage();
      const int right = picture.width() - 1;
      const int middle = picture.height() / 2;
      return picture.pixelColor(0, middle) == line && picture.pixelColor(right, middle) == line &&
             picture.pixelColor(right / 2, 0) == line &&
             picture.pixelColor(right / 2, picture.height() - 1) == line;
    };
    auto& menu = find<QMenu>(u"optimizer_menu"_s);
    menu.popup({});
    EXPECT_TRUE(is_framed(menu)) << choice.toStdString();
    menu.close();
    find<QAction>(u"commands"_s).trigger();
    EXPECT_TRUE(is_framed(find<QWidget>(u"command_palette"_s))) << choice.toStdString();
    press(Qt::Key_Escape);
    QToolTip::showText(QPoint(50, 50), u"a tip"_s, &window());
    const QWidgetList windows = QApplication::topLevelWidgets();
    const auto tip = std::ranges::find_if(
        windows, [](const QWidget* each) { return each->inherits("QTipLabel"); });
    ASSERT_NE(tip, windows.end());
    EXPECT_TRUE(is_framed(**tip)) << choice.toStdString();
    QToolTip::hideText();
  }
}

TEST_F(Themes, CheckBoxesAndLinksShowTheFocus) {
  open(sample(u"gpt2_tiny"_s));
  find<QDockWidget>(u"overview_dock"_s).raise();
  press(Qt::Key_Tab);  // the frame is shown to a user of the keyboard
  for (const QString& choice : {u"theme_1"_s, u"theme_2"_s, u"theme_3"_s}) {
    choose(choice);
    const QColor accent = theme_of(window().palette()).accent;
    for (const QString& name : {u"overview_sum_blocks"_s, u"answer_text"_s}) {
      auto& widget = find<QWidget>(name);
      find<QWidget>(u"graph_view"_s).setFocus(Qt::TabFocusReason);
      const int before = pixels_of(accent, widget.grab().toImage());
      widget.setFocus(Qt::TabFocusReason);
      EXPECT_GT(pixels_of(accent, widget.grab().toImage()), before + 40)
          << name.toStdString() << " " << choice.toStdString();
    }
  }
}

TEST_F(Themes, TabsShowTheFocusWithAFrameOfTwoPixels) {
  open(sample(u"gpt2_tiny"_s));
  auto& tabs = find<QTabBar>(u"memory_tabs"_s);
  press(Qt::Key_Tab);
  for (const QString& choice : {u"theme_1"_s, u"theme_2"_s, u"theme_3"_s}) {
    choose(choice);
    const QColor accent = theme_of(window().palette()).accent;
    find<QWidget>(u"graph_view"_s).setFocus(Qt::TabFocusReason);
    const int before = pixels_of(accent, tabs.grab().toImage());
    tabs.setFocus(Qt::TabFocusReason);
    const QSize tab = tabs.tabRect(tabs.currentIndex()).size();
    EXPECT_GT(pixels_of(accent, tabs.grab().toImage()), before + 2 * (tab.width() + tab.height()))
        << choice.toStdString();
  }
}

/// The largest difference in lightness between a pixel of a widget and its background.
int contrast_of(QWidget& widget, const QRect& part) {
  const QImage picture = widget.grab(part).toImage();
  const int ground = widget.palette().color(QPalette::Window).lightness();
  int most = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      most = std::max(most, std::abs(picture.pixelColor(x, y).lightness() - ground));
    }
  }
  return most;
}

TEST_F(Themes, BoxesAndFieldsHaveEdgesOnEveryGround) {
  for (const auto choice : {ThemeChoice::light, ThemeChoice::dark}) {
    apply_theme(*qApp, choice);
    QCheckBox box(u" "_s);
    box.resize(box.sizeHint());
    EXPECT_GT(contrast_of(box, QRect(0, 0, 20, box.height())), 60);
    QLineEdit line;
    line.resize(80, 24);
    EXPECT_GT(contrast_of(line, QRect(0, 0, 80, 3)), 30);
    QSpinBox spin;
    spin.resize(80, 24);
    EXPECT_GT(contrast_of(spin, QRect(0, 0, 40, 3)), 30);
  }
}

/// The colour at the middle of a check box of an item, and the ground right beside the mark.
std::pair<QColor, QColor> mark_on(QStyleOptionViewItem option, QStyle::State state) {
  QImage picture(16, 16, QImage::Format_RGB32);
  picture.fill(option.palette.color(QPalette::Highlight));
  QPainter painter(&picture);
  option.rect = picture.rect();
  option.state |= state;
  qApp->style()->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &option, &painter);
  return {picture.pixelColor(8, 8), picture.pixelColor(4, 5)};
}

TEST_F(Themes, MarksOfASelectedRowCanBeRead) {
  for (const auto choice : {ThemeChoice::light, ThemeChoice::dark, ThemeChoice::high_contrast}) {
    apply_theme(*qApp, choice);
    QStyleOptionViewItem option;
    option.palette = QApplication::palette();
    option.state = QStyle::State_Enabled | QStyle::State_Selected;
    const auto [partly, beside] = mark_on(option, QStyle::State_NoChange);
    EXPECT_GE(contrast(partly, beside), 3);
    const auto [on, ground] = mark_on(option, QStyle::State_On);
    const auto [off, row] = mark_on(option, QStyle::State_Off);
    EXPECT_EQ(off, row) << "a box that is off is empty";
    EXPECT_GE(contrast(ground, row), 3) << "a box that is on is filled";
  }
}

TEST_F(Themes, WhatCannotBeUsedCanBeRead) {
  for (const auto choice : {ThemeChoice::light, ThemeChoice::dark}) {
    apply_theme(*qApp, choice);
    QLabel enabled(u"MMMM"_s);
    QLabel disabled(u"MMMM"_s);
    enabled.resize(enabled.sizeHint());
    disabled.resize(disabled.sizeHint());
    disabled.setEnabled(false);
    const int contrast = contrast_of(disabled, disabled.rect());
    EXPECT_GT(contrast, 90);
    EXPECT_LT(contrast, contrast_of(enabled, enabled.rect()) - 40) << "and be told apart";
    EXPECT_EQ(qApp->style()->styleHint(QStyle::SH_EtchDisabledText), 0);
  }
}

TEST_F(Themes, TablesAndTextsShowTheFocus) {
  open(sample(u"gpt2_tiny"_s));
  for (const QString& theme : {u"theme_1"_s, u"theme_2"_s, u"theme_3"_s}) {
    choose(theme);
    for (const QString& panel : {u"inspector"_s, u"orders"_s, u"plans"_s}) {
      find<QAction>(u"go_to_%1_dock"_s.arg(panel)).trigger();
      QCoreApplication::processEvents();
      auto* const view = qobject_cast<QAbstractScrollArea*>(QApplication::focusWidget());
      ASSERT_NE(view, nullptr) << panel.toStdString();
      const auto edge = [&] { return view->grab().toImage().pixelColor(0, view->height() / 2); };
      EXPECT_EQ(edge(), theme_of(view->palette()).accent) << panel.toStdString();
      window().graph().view().setFocus();
      EXPECT_NE(edge(), theme_of(view->palette()).accent) << panel.toStdString();
    }
  }
}

TEST_F(Themes, MessagesFollow) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"theme_3"_s);
  document().notices().notify(u"A message"_s);
  auto& bar = find<QWidget>(u"message_bar"_s);
  ASSERT_TRUE(bar.isVisible());
  for (const QString& name : {u"theme_3"_s, u"theme_1"_s, u"theme_2"_s, u"theme_1"_s}) {
    choose(name);
    QCoreApplication::processEvents();
    const Theme theme = theme_of(window().palette());
    EXPECT_EQ(bar.grab().toImage().pixelColor(bar.width() / 2, 1), theme.surface);
    EXPECT_EQ(find<QWidget>(u"message_text"_s).palette().color(QPalette::Text), theme.text);
  }
}

TEST_F(Themes, WarningsOfThePlannerFollow) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"theme_1"_s);
  press(Qt::Key_B, Qt::ControlModifier);
  auto& field = find<QLineEdit>(u"budget_field"_s);
  QTest::keyClicks(&field, u"lots"_s);
  QTest::keyClick(&field, Qt::Key_Return);
  const auto& hint = find<QLabel>(u"budget_hint"_s);
  const auto is_in_colour = [&] {
    return hint.text().contains(theme_of(window().palette()).warning.name());
  };
  EXPECT_TRUE(is_in_colour()) << hint.text().toStdString();
  choose(u"theme_2"_s);
  EXPECT_TRUE(is_in_colour()) << hint.text().toStdString();
}

TEST_F(Themes, ASmallWindowHasRoomForEverything) {
  apply_theme(*qApp, ThemeChoice::light);
  open(sample(u"gpt2_tiny"_s));
  for (const Workspace& each : workspaces()) {
    window().workspaces().choose(QString::fromLatin1(each.id));
    window().resize(900, 600);
    EXPECT_EQ(window().size(), QSize(900, 600)) << each.id << ": no panel asks for more";
  }
  window().workspaces().choose(QString::fromLatin1(all_panels));
  window().resize(900, 640);
  EXPECT_EQ(window().size(), QSize(900, 640)) << "the answer bar takes a line";
}

}  // namespace theme_test
}  // namespace stashscope::ui::test
