#include "bench/open_window.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QTest>
#include <cstdio>

namespace stashscope::ui::bench {

namespace {

using namespace Qt::StringLiterals;

constexpr int time_limit = 120'000;  // milliseconds

std::filesystem::path program() {
  return (QCoreApplication::applicationDirPath() + u"/stashscope"_s).toStdString();
}

}  // namespace

void wait_until(const std::function<bool()>& condition) {
  if (QTest::qWaitFor(condition, time_limit)) return;
  std::fprintf(stderr, "the window did not answer within %d s\n", time_limit / 1000);
  std::exit(3);
}

void draw(QWidget& widget) {
  static QImage screen(2 * window_size, QImage::Format_ARGB32_Premultiplied);
  widget.render(&screen);
}

OpenWindow::OpenWindow() : window_({program(), places_.path()}) {
  window_.resize(window_size);
  window_.workspaces().choose(QString::fromLatin1(all_panels));
  window_.show();
  QApplication::processEvents();
}

void OpenWindow::open(const QString& file) {
  const Study* const before = document().study().get();
  QObject::connect(&document().notices(), &Notices::failed, &window_, [](const Failure& failure) {
    std::fprintf(stderr, "%s\n", qPrintable(failure.message));
  });
  document().open(file);
  wait_until([&] { return document().study().get() != before && shows_graph(); });
  draw(window_);
}

void OpenWindow::choose(const Choices& choices, const QString& text) {
  document().choose(choices, text);
  wait_until([&] { return document().study()->choices == choices; });
}

void OpenWindow::settle() {
  wait_until([&] { return window_.graph().is_settled() && !document().study_job().is_busy(); });
}

bool OpenWindow::shows_graph() {
  return view().scene() != nullptr && view().scene()->picture().study == document().study();
}

void OpenWindow::paint(const QString& name) {
  QWidget& widget = find<QWidget>(name);
  auto* const area = qobject_cast<QAbstractScrollArea*>(&widget);
  draw(area != nullptr ? *area->viewport() : widget);
}

}  // namespace stashscope::ui::bench
