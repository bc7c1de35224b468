#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QPixmap>
#include <QSpinBox>
#include <QStyle>
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

TEST_F(Themes, HighContrastShowsEveryColourOfDataOnBlack) {
  choose(u"theme_3"_s);
  const Theme theme = theme_of(window().palette());
  for (int i = 0; i <= 100; ++i) {
    const QColor own = lifetime_colour(i / 100.0);
    EXPECT_GE(contrast(seen_colour(own, theme), theme.canvas), 3) << i;
    EXPECT_EQ(seen_colour(own, light_theme()), own) << i;
  }
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
