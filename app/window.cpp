#include "app/window.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <iostream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/process/run_child.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/translation.h"

namespace stashscope::app {

namespace {

/// A screenshot is given up if nothing has progressed for this time. The layout of a large graph
/// reports no progress, and may take minutes on a slow machine.
constexpr int screenshot_patience = 300;  // seconds
constexpr int second = 1000;              // milliseconds
/// The time that panels get to take their final positions before the window is drawn.
constexpr int settling_time = 60;  // milliseconds

/// Hides Qt's own warnings, which are for developers. The window itself reports errors to users.
void handle_qt_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
  const bool wanted = type == QtCriticalMsg || type == QtFatalMsg ||
                      qEnvironmentVariableIsSet("STASHSCOPE_QT_MESSAGES");
  if (wanted) std::cerr << "stashscope: " << text.toStdString() << "\n";
}

/// Whether a display server answers at a local socket. A leading zero byte in `socket_name` marks
/// an abstract socket.
bool answers(const std::string& socket_name) {
  sockaddr_un address{};
  if (socket_name.size() >= sizeof(address.sun_path)) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_name.data(), socket_name.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_name.size());
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0;
  ::close(fd);
  return connected;
}

/// Whether an X11 display answers. Tries only displays of this machine; assumes that displays of
/// other machines answer.
bool x11_answers(const std::string& display) {
  if (display.empty()) return false;
  if (!display.starts_with(':')) return true;
  const std::string number = display.substr(1, display.find('.') - 1);
  const std::string path = "/tmp/.X11-unix/X" + number;
  return answers(path) || answers(std::string(1, '\0') + path);
}

bool wayland_answers(const std::string& display) {
  if (display.empty()) return false;
  const std::string folder = qEnvironmentVariable("XDG_RUNTIME_DIR").toStdString();
  return answers(display.starts_with('/') ? display : folder + "/" + display);
}

/// Parses a size such as `1600x1000`. Throws a usage Error for other texts and for sizes beyond the
/// limits.
QSize parse_size(const std::string& text) {
  int width = 0;
  int height = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  const bool has_cross = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
  const auto second = has_cross ? std::from_chars(first.ptr + 1, end, height) : first;
  const bool fits = has_cross && second.ec == std::errc() && second.ptr == end && width >= 320 &&
                    height >= 240 && width <= 16384 && height <= 16384;
  if (!fits)
    fail_usage("--size " + printable(text), "is not a size from 320x240 to 16384x16384",
               "write the width and the height, for example 1600x1000");
  return {width, height};
}

ui::ThemeChoice theme_choice(const std::string& name) {
  if (name == "light") return ui::ThemeChoice::light;
  if (name == "dark") return ui::ThemeChoice::dark;
  if (name == "contrast") return ui::ThemeChoice::high_contrast;
  return static_cast<ui::ThemeChoice>(QSettings().value(QStringLiteral("window/theme"), 0).toInt());
}

void open_model(ui::Document& document, const AnalysisOptions& analysis) {
  document.open(QString::fromStdString(analysis.file),
                [analysis] { return load_model_or_session(analysis); });
}

/// Draws the real window once its views are complete, the search for the next best moves has ended
/// and, if --device names a device, the measurement has arrived. Without a model, `draw_soon` draws
/// the start page.
class Screenshot {
 public:
  Screenshot(ui::MainWindow& window, const WindowOptions& options, bool runs)
      : window_(window), file_(QString::fromStdString(options.screenshot)), runs_(runs) {
    QObject::connect(
        &window.document().notices(), &ui::Notices::failed, &window,
        [](const ui::Failure& failure) { end(failure.message, exit_code(failure.kind)); });
    if (runs) {
      QObject::connect(&window.graph(), &ui::GraphPanel::settled, &window.document(),
                       &ui::Document::run, Qt::SingleShotConnection);
      QObject::connect(&window.document(), &ui::Document::measured_changed, &window,
                       [this] { draw_soon(); });
    } else {
      QObject::connect(&window.graph(), &ui::GraphPanel::settled, &window, [this] { draw_soon(); });
    }
    QObject::connect(&window.document().study_job(), &ui::StudyJob::progressed, &window,
                     [this] { idle_seconds_ = 0; });
    QObject::connect(&clock_, &QTimer::timeout, &window, [this] { count_second(); });
    clock_.start(second);
  }

  void draw_soon() {
    is_drawing_ = true;
    QTimer::singleShot(settling_time, &window_, [this] { draw(); });
  }

 private:
  QString pending() const {
    if (window_.document().study() == nullptr) return QStringLiteral("the analysis of the model");
    QString views = window_.pending();
    if (!views.isEmpty()) return views;
    if (runs_ && !is_drawing_) return QStringLiteral("the run of the step");
    return QStringLiteral("the search for the next best moves");
  }

  /// Gives up if the window has waited too long for the same thing without progress.
  void count_second() {
    if (const QString now = pending(); now != pending_) {
      pending_ = now;
      idle_seconds_ = 0;
    }
    if (++idle_seconds_ < screenshot_patience) return;
    end(QStringLiteral("no picture, because %1 made no progress for %2 s")
            .arg(pending_)
            .arg(screenshot_patience),
        3);
  }

  void draw() {
    if (!window_.is_settled() || !window_.answers().is_settled()) return draw_soon();
    if (!window_.grab().save(file_, "PNG")) {
      return end(file_ + QStringLiteral(": cannot write the picture"), 1);
    }
    QCoreApplication::exit(0);
  }

  static void end(const QString& message, int code) {
    std::cerr << "stashscope: " << message.toStdString() << "\n";
    QCoreApplication::exit(code);
  }

  ui::MainWindow& window_;
  QString file_;
  const bool runs_;          ///< whether the step also runs
  bool is_drawing_ = false;  ///< the window draws itself as soon as it is settled
  QTimer clock_;
  QString pending_;  ///< what the window waited for when the last second ended
  int idle_seconds_ = 0;
};

int take_screenshot(QApplication& application, const AnalysisOptions& analysis,
                    const WindowOptions& options) {
  const QSize size = parse_size(options.size);
  const QTemporaryDir places;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, places.path());
  ui::apply_theme(application, theme_choice(options.theme));
  ui::MainWindow window({running_program(), places.path(), {}});
  window.resize(size);
  window.workspaces().choose(QString::fromStdString(options.workspace));
  const bool runs = !analysis.device.empty() && analysis.device != no_device;
  Screenshot screenshot(window, options, runs);
  if (analysis.file.empty()) screenshot.draw_soon();
  window.show();
  if (!analysis.file.empty()) open_model(window.document(), analysis);
  return QApplication::exec();
}

int show_window(QApplication& application, const AnalysisOptions& analysis,
                const WindowOptions& options) {
  const ui::ThemeChoice theme = theme_choice(options.theme);
  ui::apply_theme(application, theme);
  if (theme == ui::ThemeChoice::system) ui::follow_system_theme(application);
  ui::apply_text_size(application, ui::remembered_text_size());
  ui::MainWindow window(
      {running_program(), ui::Autosave::default_folder(), ui::Thumbnails::default_folder()});
  window.workspaces().choose(QString::fromStdString(options.workspace));
  window.show();
  if (analysis.file.empty()) {
    window.offer_recovery();
  } else {
    open_model(window.document(), analysis);
  }
  return QApplication::exec();
}

}  // namespace

bool can_show_window() {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  return x11_answers(qEnvironmentVariable("DISPLAY").toStdString()) ||
         wayland_answers(qEnvironmentVariable("WAYLAND_DISPLAY").toStdString());
}

int run_window(const AnalysisOptions& analysis, const WindowOptions& options, int argc,
               char** argv) {
  const bool needs_no_display = !options.screenshot.empty();
  if (needs_no_display && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  qInstallMessageHandler(handle_qt_message);
  QApplication application(argc, argv);
  QCoreApplication::setOrganizationName(QStringLiteral("stashscope"));
  QCoreApplication::setApplicationName(QStringLiteral("stashscope"));
  QCoreApplication::setApplicationVersion(QStringLiteral(STASHSCOPE_VERSION));
  QGuiApplication::setDesktopFileName(QStringLiteral("stashscope"));
  ui::load_translation(application, QLocale(), ui::translation_folders());
  return needs_no_display ? take_screenshot(application, analysis, options)
                          : show_window(application, analysis, options);
}

}  // namespace stashscope::app
