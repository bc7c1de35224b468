#include "ui/theme/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QWidget>

#include "ui/theme/style.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Opacity of disabled text. The text stays readable, because it may state why the control is
/// disabled.
constexpr float disabled_opacity = 0.8F;

/// A theme whose texts and lines have a contrast of at least 7:1 to window, surface and canvas.
/// (WCAG 2.2, 1.4.6)
const Theme& high_contrast_theme() {
  static const Theme theme = {true,
                              QColor(Qt::black),
                              QColor(Qt::black),
                              QColor(Qt::black),
                              QColor(0xb0b0b0),
                              QColor(0xffffff),
                              QColor(0xe0e0e0),
                              QColor(0x1aebff),
                              QColor(0x8cc8ff),
                              QColor(0xd8d8d8),
                              QColor(0xffa040),
                              QColor(0xff8a80),
                              true,
                              0.75};
  return theme;
}

const Theme& theme_of(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::dark:
      return dark_theme();
    case ThemeChoice::high_contrast:
      return high_contrast_theme();
    default:
      return light_theme();
  }
}

/// The outlines that the style draws are invisible on black, so buttons on black have a lighter
/// background.
QColor button_colour(const Theme& theme) {
  if (theme.surface == high_contrast_theme().surface) return QColor(0x333333);
  return theme.dark ? theme.surface.lighter(115) : theme.surface;
}

QPalette palette_of(const Theme& theme) {
  QPalette palette(theme.window);
  palette.setColor(QPalette::Window, theme.window);
  palette.setColor(QPalette::WindowText, theme.text);
  palette.setColor(QPalette::Base, theme.surface);
  palette.setColor(QPalette::AlternateBase, theme.canvas);
  palette.setColor(QPalette::Text, theme.text);
  palette.setColor(QPalette::Button, button_colour(theme));
  palette.setColor(QPalette::ButtonText, theme.text);
  palette.setColor(QPalette::PlaceholderText, theme.muted);
  palette.setColor(QPalette::Highlight, theme.accent);
  palette.setColor(QPalette::HighlightedText, theme.dark ? QColor(0x0f1113) : QColor(Qt::white));
  palette.setColor(QPalette::Link, theme.accent);
  palette.setColor(QPalette::BrightText, theme.warning);
  palette.setColor(QPalette::ToolTipBase, theme.surface);
  palette.setColor(QPalette::ToolTipText, theme.text);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    QColor faded = theme.muted;
    faded.setAlphaF(disabled_opacity);
    palette.setColor(QPalette::Disabled, role, faded);
  }
  return palette;
}

/// A style sheet that draws thin lines instead of the style's bevels.
QString sheet_of(const Theme& theme) {
  const QString sheet =
      u"QMainWindow::separator { background: %1; width: 5px; height: 5px; }"
      "QToolBar { background: %1; border: 0; border-bottom: 1px solid %2; padding: 4px 8px;"
      " spacing: 4px; }"
      "QToolBar#answer_bar { padding: 0px 8px; }"
      "QToolBar QToolButton { padding: 4px 8px; border: 1px solid transparent;"
      " border-radius: 4px; }"
      "QToolBar QToolBarExtension { padding: 0px; }"
      "QToolBar QToolButton:hover { background: %3; border-color: %2; }"
      "QToolBar QToolButton:pressed { background: %2; }"
      "QToolBar QToolButton:focus { border-color: %6; }"
      "QToolBar QToolButton[popupMode=\"2\"] { padding-right: 18px; }"
      "QToolBar QToolButton::menu-indicator { subcontrol-origin: padding;"
      " subcontrol-position: center right; right: 4px; }"
      "QToolBar::separator { background: %2; width: 1px; margin: 4px 6px; }"
      "QMenuBar { background: %1; }"
      "QStatusBar { background: %1; border-top: 1px solid %2; }"
      "QStatusBar::item { border: 0; }"
      "QDockWidget { font-weight: 600; }"
      "QDockWidget::title { background: %1; padding: 6px 8px 6px 8px; }"
      "QHeaderView::section { background: %3; color: %4; border: 0;"
      " border-bottom: 1px solid %2; padding: 4px 8px; font-weight: normal; }"
      "QTableView, QTreeView { border: 1px solid transparent; gridline-color: transparent; }"
      "QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: padding;"
      " subcontrol-position: top center; width: 7px; height: 7px; }"
      "QTextBrowser, QTextEdit#message_text { border: 1px solid transparent; }"
      "QTableView:focus, QTreeView:focus, QTextBrowser:focus, QTextEdit#message_text:focus {"
      " border-color: %6; }"
      "QScrollArea { border: 0; }"
      "QFrame#command_palette { background: %1; border: 1px solid %2; }"
      "QToolTip { border: 1px solid %2; padding: 4px; background: %3; color: %5; }"_s;
  return sheet.arg(theme.window.name(), theme.line.name(), theme.surface.name(), theme.muted.name(),
                   theme.text.name(), theme.accent.name());
}

bool is_dark(const QPalette& palette) { return palette.color(QPalette::Window).lightness() < 128; }

/// Whether the platform prefers dark windows. Some desktops state it in an environment variable,
/// others in the palette that the program starts with.
bool system_is_dark() {
  if (qEnvironmentVariable("GTK_THEME").contains(u"dark"_s, Qt::CaseInsensitive)) return true;
  return is_dark(QGuiApplication::palette());
}

void set_theme(QApplication& application, const Theme& theme) {
  application.setStyle(new Style);
  application.setPalette(palette_of(theme));
  application.setStyleSheet(sheet_of(theme));
}

}  // namespace

const Theme& light_theme() {
  static const Theme theme = {false,
                              QColor(0xeeeff1),
                              QColor(0xffffff),
                              QColor(0xf8f9fa),
                              QColor(0xd5d8dc),
                              QColor(0x1f2328),
                              QColor(0x68717d),
                              QColor(0x1a6fd4),
                              QColor(0x3d6fb6),
                              QColor(0x8b929b),
                              QColor(0xc2500a),
                              QColor(0xb3261e)};
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme = {true,
                              QColor(0x1d1f22),
                              QColor(0x26292d),
                              QColor(0x1f2225),
                              QColor(0x3b4046),
                              QColor(0xe3e6e9),
                              QColor(0x98a1ab),
                              QColor(0x5aa5f5),
                              QColor(0x7fa9e0),
                              QColor(0x8d959e),
                              QColor(0xf0914a),
                              QColor(0xf2766d)};
  return theme;
}

Theme theme_of(const QPalette& palette) {
  if (palette.color(QPalette::Window) == high_contrast_theme().window) return high_contrast_theme();
  return is_dark(palette) ? dark_theme() : light_theme();
}

LightPalette::LightPalette(QWidget& widget)
    : widget_(is_dark(widget.palette()) ? &widget : nullptr) {
  if (widget_ != nullptr) widget_->setPalette(palette_of(light_theme()));
}

LightPalette::~LightPalette() {
  // With an empty palette, the widget inherits all colours, as it did before it got the light
  // palette.
  if (widget_ != nullptr) widget_->setPalette(QPalette());
}

void apply_theme(QApplication& application, ThemeChoice choice) {
  static const bool dark_system = system_is_dark();
  const bool follows_dark = choice == ThemeChoice::system && dark_system;
  set_theme(application, theme_of(follows_dark ? ThemeChoice::dark : choice));
}

void follow_system_theme(QApplication& application) {
  const QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  QDBusMessage question = QDBusMessage::createMethodCall(
      u"org.freedesktop.portal.Desktop"_s, u"/org/freedesktop/portal/desktop"_s,
      u"org.freedesktop.portal.Settings"_s, u"Read"_s);
  question << u"org.freedesktop.appearance"_s << u"color-scheme"_s;
  auto* const answer = new QDBusPendingCallWatcher(bus.asyncCall(question), &application);
  QObject::connect(answer, &QDBusPendingCallWatcher::finished, &application,
                   [&application, answer] {
                     const QDBusPendingReply<QDBusVariant> reply = *answer;
                     answer->deleteLater();
                     if (reply.isError()) return;
                     QVariant value = reply.value().variant();
                     if (value.canConvert<QDBusVariant>())
                       value = value.value<QDBusVariant>().variant();
                     if (value.toUInt() == 1) set_theme(application, dark_theme());
                   });
}

}  // namespace stashscope::ui
