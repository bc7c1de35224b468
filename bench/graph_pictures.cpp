// Draws the graph of a model at several zooms, once with the groups that are open at first and once
// with all groups open, as pictures to look at:
//   bench_graph_pictures MODEL FOLDER light|dark TEXT
// TEXT is the text size in percent of the system's.

#include <QDir>
#include <QFileInfo>
#include <QTest>
#include <cstdio>

#include "bench/open_window.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::bench {
namespace {

using namespace Qt::StringLiterals;

constexpr int rounds = 3;  // each opens all groups that are closed

class GraphAlbum {
 public:
  GraphAlbum(GraphView& view, QString prefix) : view_(view), prefix_(std::move(prefix)) {}

  /// A picture of what the view shows now.
  void add(const QString& name) {
    QTest::qWait(20);
    const QString file = prefix_ + name + u".png"_s;
    if (!view_.grab().save(file)) std::fprintf(stderr, "cannot write %s\n", qPrintable(file));
  }
  void add_zooms(const QString& name) {
    view_.fit();
    add(name + u"_fit"_s);
    const layout::Rect bounds = view_.scene()->drawing().bounds;
    for (const double zoom : {0.06, 0.12, 0.24, 0.4, 0.7, 1.0, 2.0, 3.0}) {
      view_.zoom_by(zoom / view_.camera().zoom);
      view_.center_on({bounds.x + 0.4 * bounds.width, bounds.y + 0.3 * bounds.height});
      add(name + u'_' + QString::number(zoom));
    }
  }

 private:
  GraphView& view_;
  QString prefix_;
};

void open_closed_groups(OpenWindow& open) {
  layout::OpenGroups groups = open.view().scene()->picture().open;
  for (const layout::DrawnBox& box : open.view().scene()->drawing().boxes) {
    if (box.shows.group.valid() && !groups.contains(box.shows.group)) {
      groups.insert(box.shows.group);
      open.window().graph().toggle(box.shows.group);
      open.settle();
    }
  }
}

}  // namespace

int run(QApplication& application, const QStringList& words) {
  const int text_size = words.value(4).toInt();
  if (text_size <= 0) {
    std::fprintf(stderr, "usage: bench_graph_pictures MODEL FOLDER light|dark TEXT\n");
    return 2;
  }
  apply_theme(application, words[3] == u"dark"_s ? ThemeChoice::dark : ThemeChoice::light);
  apply_text_size(application, text_size);
  OpenWindow open;
  open.open(words[1]);
  open.settle();
  const QFileInfo model(words[1]);
  const QString name = model.baseName() == u"model"_s ? model.dir().dirName() : model.baseName();
  GraphAlbum album(open.view(), u"%1/%2_%3_%4_"_s.arg(words[2], name, words[3], words[4]));
  album.add(u"first"_s);
  album.add_zooms(u"closed"_s);
  for (int round = 0; round < rounds; ++round) open_closed_groups(open);
  album.add_zooms(u"open"_s);
  return 0;
}

}  // namespace stashscope::ui::bench
