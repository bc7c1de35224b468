// Draws the window and each of its panels with a model, as pictures to look at:
//   bench_window_pictures MODEL FOLDER light|dark TEXT [DIMENSION=VALUE...]
// TEXT is the text size in percent of the system's. The pictures show everything a panel can show:
// plans, a pinned variant, a curve of plans, a sweep, a comparison, and a run unless the step takes
// too much memory.

#include <QDockWidget>
#include <QFileInfo>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <cstdio>

#include "bench/open_window.h"
#include "ui/panels/compare/compare_panel.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::bench {
namespace {

using namespace Qt::StringLiterals;

constexpr QSize panel_size(900, 560);
constexpr int settling_time = 150;  // milliseconds
/// Larger steps are not run.
constexpr std::int64_t most_run_bytes = std::int64_t{4} << 30;

/// The pictures of one model in one theme.
class Album {
 public:
  /// @param text_size in percent
  Album(QString folder, const QString& model, const QString& theme, const QString& text_size)
      : folder_(std::move(folder)), prefix_(u"%1_%2_%3_"_s.arg(model, theme, text_size)) {}

  void add(QWidget& widget, const QString& name) const {
    QTest::qWait(settling_time);
    const QString file = folder_ + u'/' + prefix_ + name + u".png"_s;
    if (!widget.grab().save(file)) std::fprintf(stderr, "cannot write %s\n", qPrintable(file));
  }

 private:
  QString folder_;
  QString prefix_;
};

Choices with_dims(Choices choices, const QStringList& dims) {
  for (const QString& each : dims) {
    const QStringList parts = each.split(u'=');
    choices.dims[parts[0].toStdString()] = parts.value(1).toLongLong();
  }
  return choices;
}

/// Pins the baseline, switches on all plans within layers, and runs the step if it is small.
void fill_choices(OpenWindow& open, const QStringList& dims) {
  open.choose(with_dims(open.document().choices(), dims), u"Set the sizes"_s);
  open.settle();
  open.find<QAbstractButton>(u"pin_button"_s).click();
  Choices choices = open.document().choices();
  choices.plans.level = 1;
  open.choose(choices, u"Level 1"_s);
  open.settle();
  if (open.document().study()->baseline->timeline.peak_bytes > most_run_bytes) return;
  // The first run of a process is slower, because it loads libraries.
  open.find<QSpinBox>(u"warm_up"_s).setValue(1);
  open.find<QSpinBox>(u"repeats"_s).setValue(3);
  open.document().run();
  wait_until([&] { return !open.document().run_job().is_running(); });
}

void fill_planner(OpenWindow& open) {
  auto& curve = open.find<QAbstractButton>(u"curve_button"_s);
  curve.click();
  QTest::qWait(6000);
  open.find<QAbstractButton>(u"stop_planning_button"_s).click();
  wait_until([&] { return curve.isEnabled(); });
}

/// Draws all tab pages of a panel.
void draw_pages(QDockWidget& dock, const QString& name, const Album& album) {
  auto* const tabs = dock.widget()->findChild<QTabBar*>();
  const int pages = tabs == nullptr ? 1 : tabs->count();
  for (int page = 0; page < pages; ++page) {
    if (tabs != nullptr) tabs->setCurrentIndex(page);
    album.add(dock, page == 0 ? name : name + QString::number(page + 1));
  }
}

void draw_panels(OpenWindow& open, const Album& album) {
  for (QDockWidget* const dock : open.window().findChildren<QDockWidget*>()) {
    dock->raise();
    QTest::qWait(settling_time);
    dock->setFloating(true);
    dock->resize(panel_size);
    dock->show();
    draw_pages(*dock, dock->objectName().remove(u"_dock"_s), album);
    dock->setFloating(false);
  }
}

void draw_all(const QStringList& arguments) {
  const QFileInfo model(arguments[1]);
  const Album album(arguments[2], model.completeBaseName().remove(u"_train_fwd"_s), arguments[3],
                    arguments[4]);
  OpenWindow open;
  open.open(model.filePath());
  fill_choices(open, arguments.mid(5));
  open.settle();
  open.document().selection().select_slot(open.document().study()->current->timeline.peak_slot);
  album.add(open.window(), u"window"_s);
  open.find<ComparePanel>(u"compare_panel"_s).open(model.filePath());
  fill_planner(open);
  draw_panels(open, album);
  open.document().undo_stack().setClean();
}

}  // namespace

int run(QApplication& application, const QStringList& words) {
  const int text_size = words.value(4).toInt();
  if (text_size <= 0) {
    std::fprintf(
        stderr, "usage: bench_window_pictures MODEL FOLDER light|dark TEXT [DIMENSION=VALUE...]\n");
    return 2;
  }
  apply_theme(application, words[3] == u"dark"_s ? ThemeChoice::dark : ThemeChoice::light);
  apply_text_size(application, text_size);
  draw_all(words);
  return 0;
}

}  // namespace stashscope::ui::bench
