// The labels of the graph, and what is shown at each zoom.

#include <QPainter>
#include <QTextBrowser>
#include <set>

#include "core/onnx/model_file.h"
#include "tests/support/model_builder.h"
#include "tests/ui/graph/graph_test.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/graph_tips.h"
#include "ui/graph/memory_words.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui::test {
namespace labels_test {

using namespace Qt::StringLiterals;

class GraphLabels : public GraphTest {
 protected:
  const layout::DrawnBox& box(std::uint32_t index) { return scene().drawing().boxes[index]; }

  /// Whether a label shows the title of its box, or a part of the title that is cut at a word or
  /// module border and differs from all titles beside it.
  bool tells(const GraphLabel& label) {
    QString text = label.text;
    const layout::DrawnBox& drawn = box(label.box);
    if (label.kind == LabelKind::heading) text.remove(0, open_mark.size());
    if (drawn.shows.group.valid() && !drawn.is_open()) text.remove(0, closed_mark.size());
    const QString title = QString::fromStdString(drawn.title);
    if (text == title) return true;
    if (drawn.shows.node.valid() && is_first_letters(text, title)) return true;
    return std::any_of(
        drawn.short_titles.begin(), drawn.short_titles.end(),
        [&](const std::string& each) { return text == QString::fromStdString(each); });
  }
  /// Whether a text is the beginning of an operator's name, of three letters at least.
  static bool is_first_letters(const QString& text, const QString& title) {
    return text.size() >= 4 && text.endsWith(u'…') && title.startsWith(text.chopped(1));
  }
  bool covers_a_leaf(const GraphLabel& label) {
    for (std::size_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      const bool is_box = scene().is_drawn(i) && scene().is_leaf(i);
      const QRectF rect = view().camera().to_screen(to_qt(scene().drawing().boxes[i].rect));
      if (is_box && rect.intersects(label.rect)) return true;
    }
    return false;
  }
  void check_labels() {
    const auto labels = view().texts().labels;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      ++labels_;
      EXPECT_FALSE(labels[i].text.isEmpty());
      EXPECT_GE(labels[i].pixels, qRound(8 * text_scale()));
      EXPECT_TRUE(view().rect().toRectF().contains(labels[i].rect));
      if (labels[i].kind != LabelKind::line) {
        EXPECT_TRUE(tells(labels[i])) << labels[i].text.toStdString();
      }
      if (labels[i].kind == LabelKind::heading) {
        EXPECT_FALSE(covers_a_leaf(labels[i])) << labels[i].text.toStdString();
      }
      for (std::size_t k = 0; k < i; ++k) {
        EXPECT_FALSE(labels[i].rect.intersects(labels[k].rect))
            << labels[i].text.toStdString() << " over " << labels[k].text.toStdString();
      }
    }
  }
  bool has_title(std::uint32_t wanted) {
    const auto labels = view().texts().labels;
    return std::any_of(labels.begin(), labels.end(), [&](const GraphLabel& label) {
      return label.box == wanted && label.kind != LabelKind::line;
    });
  }
  /// Whether the label could stick out of its box at another size without covering anything.
  QRectF on_screen(std::uint32_t index) {
    return view().camera().to_screen(to_qt(box(index).rect));
  }
  /// Whether the box can become as wide as its title at this size: within its frame, and without
  /// covering a label, a box or what another box has become wider by.
  bool has_room(const GraphLabel& label, int pixels) {
    const QRectF own = on_screen(label.box);
    const double width = 1.1 * label.rect.width() * pixels / label.pixels;
    const double behind = 6;
    const QRectF outside(own.right() + 1, own.top(),
                         std::max(1.0, label.rect.left() + width - own.right()) + behind,
                         own.height());
    const std::uint32_t parent = box(label.box).parent;
    if (parent != layout::outside && outside.right() >= on_screen(parent).right()) return false;
    if (!view().rect().toRectF().contains(outside)) return false;
    const GraphTexts texts = view().texts();
    for (const auto& [other, right] : texts.right_edges) {
      QRectF wider = on_screen(other);
      wider.setRight(right);
      if (other != label.box && wider.intersects(outside)) return false;
    }
    const auto& labels = texts.labels;
    const bool is_labelled = std::any_of(labels.begin(), labels.end(), [&](const auto& each) {
      return each.box != label.box && each.rect.intersects(outside);
    });
    GraphLabel there = label;
    there.rect = outside;
    return !is_labelled && !covers_a_leaf(there);
  }
  /// The lines below the title of a box at a high zoom.
  QStringList lines_of(std::uint32_t wanted) {
    zoom_to(3);
    view().center_on(to_qt(box(wanted).rect.center()));
    QStringList lines;
    for (const GraphLabel& label : view().texts().labels) {
      if (label.box == wanted && label.kind == LabelKind::line) lines << label.text;
    }
    return lines;
  }
  void zoom_to(double zoom) { view().zoom_by(zoom / view().camera().zoom); }

  int labels_ = 0;
};

TEST_F(GraphLabels, AreReadableTellBoxesApartAndCoverNoOtherAtAnyZoom) {
  for (const QString& model : {u"gpt2_tiny"_s, u"lenet"_s}) {
    SCOPED_TRACE(model.toStdString());
    open(sample(model));
    for (const bool is_open : {false, true}) {
      if (is_open) open_groups();
      view().fit();
      const layout::Point middle = scene().drawing().bounds.center();
      for (const double zoom : {0.03, 0.08, 0.15, 0.25, 0.4, 0.6, 1.0, 1.7, 3.0}) {
        zoom_to(zoom);
        view().center_on(to_qt(middle));
        check_labels();
        view().center_on({middle.x / 2, middle.y / 3});
        check_labels();
      }
    }
  }
  EXPECT_GT(labels_, 500);
}

TEST_F(GraphLabels, TheSelectedBoxAlwaysHasItsTitle) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  std::vector<std::uint32_t> some;
  for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); i += 7) {
    if (box(i).shows.node.valid()) some.push_back(i);
  }
  ASSERT_GT(some.size(), 5U);
  for (const std::uint32_t each : some) {
    document().selection().select_node(box(each).shows.node);
    for (const double zoom : {0.02, 0.1, 0.2, 0.3, 0.45, 0.8, 2.0}) {
      zoom_to(zoom);
      view().center_on(to_qt(box(each).rect.center()));
      EXPECT_TRUE(has_title(each)) << box(each).title << " at " << zoom;
    }
  }
}

TEST_F(GraphLabels, TheTitleOfTheSelectedBoxStandsBesideThePlaceKeptFree) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  std::uint32_t node = 0;
  while (!box(node).shows.node.valid()) ++node;
  document().selection().select_node(box(node).shows.node);
  zoom_to(0.02);
  view().center_on(to_qt(box(node).rect.center()));
  const QRectF own = on_screen(node);
  QRectF room = view().rect().toRectF();
  room.setLeft(own.left());
  LabelOptions options;
  options.keep_free = QRectF(own.right() + 2, own.top() - 40, 120, 100);
  const GraphTexts texts = place_texts(scene(), view().camera(), room, options);
  const auto title = std::ranges::find(texts.labels, node, &GraphLabel::box);
  ASSERT_NE(title, texts.labels.end());
  EXPECT_FALSE(title->rect.intersects(*options.keep_free));
  EXPECT_TRUE(room.contains(title->rect));
}

TEST_F(GraphLabels, FarAwayBlocksAsHighAsALineHaveTitlesAndMostOthersToo) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  view().fit();
  for (const double zoom : {0.01, 0.015}) {
    zoom_to(zoom);
    std::size_t blocks = 0;
    std::size_t titled = 0;
    for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      const QRectF rect = view().camera().to_screen(to_qt(box(i).rect));
      if (!box(i).is_open() || box(i).parent != layout::outside) continue;
      if (!view().rect().toRectF().contains(rect)) continue;
      ++blocks;
      if (has_title(i)) ++titled;
      EXPECT_TRUE(has_title(i) || rect.height() < 14) << box(i).title << " at " << zoom;
    }
    EXPECT_GT(blocks, 0U);
    EXPECT_GT(2 * titled, blocks) << zoom;
  }
}

TEST_F(GraphLabels, ZoomingInShowsBlocksThenModulesThenOperatorsThenTensors) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  const auto shown_nodes = [this] {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      if (box(i).parent != layout::outside && box(i).shows.node.valid() && scene().is_drawn(i)) {
        ++count;
      }
    }
    return count;
  };
  const auto shown_boxes = [this] {
    const auto& boxes = scene().shown().boxes;
    return std::count(boxes.begin(), boxes.end(), 1);
  };
  zoom_to(0.01);
  const auto far = shown_boxes();
  EXPECT_EQ(shown_nodes(), 0U);
  zoom_to(0.05);
  EXPECT_GT(shown_boxes(), far) << "modules";
  zoom_to(0.6);
  EXPECT_GT(shown_nodes(), 0U) << "operators";
  EXPECT_EQ(shown_boxes(), std::ssize(scene().drawing().boxes));
  const NodeId maker = find_node([this](NodeId node) {
    return is_shown(node) && box(scene().drawing().box_of[node]).memory.stashed_bytes > 0;
  });
  const std::string lines = lines_of(scene().drawing().box_of[maker]).join(u'|').toStdString();
  EXPECT_NE(lines.find("stashes "), std::string::npos) << lines;
}

TEST_F(GraphLabels, ABoxHasTheFiguresOfItsToolTip) {
  open(sample(u"lenet"_s));
  open_groups();
  int with_memory = 0;
  for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
    const NodeMemory& memory = box(i).memory;
    if (!box(i).shows.node.valid() || memory.bytes == 0) continue;
    const QString words = memory_text(memory);
    const QStringList lines = lines_of(i);
    EXPECT_TRUE(lines.front().endsWith(words)) << lines.join(u'|').toStdString();
    for (const QString& part : words.split(u", "_s)) {
      EXPECT_TRUE(tip_of_box(scene(), i).contains(part)) << part.toStdString();
    }
    ++with_memory;
  }
  EXPECT_GT(with_memory, 4);
}

TEST_F(GraphLabels, ANodeWithSeveralTensorsSaysWhatAllOfThemTake) {
  const QString file = in_folder(u"norm.onnx"_s);
  stashscope::test::ModelBuilder m;
  m.input("x", {8, 16, 32, 32}).weight("c", {16, 16, 3, 3});
  for (const char* const name : {"scale", "bias", "mean", "var"}) m.weight(name, {16});
  m.node("Conv", {"x", "c"}, {"h"}, {{"pads", Integers{1, 1, 1, 1}}});
  m.node("BatchNormalization", {"h", "scale", "bias", "mean", "var"}, {"n", "new_mean", "new_var"},
         {{"training_mode", std::int64_t{1}}});
  m.node("Relu", {"n"}, {"r"}).node("ReduceMean", {"r"}, {"y"}).output("y");
  save_model(Graph(m.build()), file.toStdString());
  open(file);
  open_groups();
  const NodeId norm = find_node([this](NodeId node) {
    const std::string& type = document().study()->graph().node(dataflow().origin(node)).op_type;
    return type.starts_with("BatchNorm") &&
           box(scene().drawing().box_of[node]).memory.stashed_bytes > 0;
  });
  const std::uint32_t at = scene().drawing().box_of[norm];
  ASSERT_GT(dataflow().topology.outputs[norm].size(), 1U);
  const QString all = bytes_text(box(at).memory.bytes);
  EXPECT_TRUE(lines_of(at).front().contains(all)) << lines_of(at).front().toStdString();
  EXPECT_TRUE(tip_of_box(scene(), at).contains(all));
}

TEST_F(GraphLabels, ADoubleClickOnABlockZoomsInAndClosesNothing) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  zoom_to(0.05);
  std::uint32_t block = 0;
  while (!box(block).is_open()) ++block;
  view().center_on(to_qt(box(block).rect.center()));
  ASSERT_TRUE(scene().is_leaf(block));
  const auto open_before = scene().picture().open;
  QTest::mouseDClick(&view(), Qt::LeftButton, {}, place_of_box(block));
  ASSERT_TRUE(settles());
  EXPECT_EQ(scene().picture().open, open_before);
  EXPECT_FALSE(scene().is_leaf(block));
}

TEST_F(GraphLabels, NamesOfOperatorsAreWholeWhereThereIsRoomAndEquallyLarge) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  std::uint32_t middle = 0;
  while (!box(middle).shows.node.valid() || box(middle).parent == layout::outside) ++middle;
  int shown = 0;
  for (const double zoom : {0.62, 0.75, 0.9}) {
    zoom_to(zoom);
    view().center_on(to_qt(box(middle).rect.center()));
    int largest = 0;
    std::set<std::uint32_t> titled;
    for (const GraphLabel& label : view().texts().labels) {
      if (!box(label.box).shows.node.valid() || label.kind != LabelKind::title) continue;
      titled.insert(label.box);
      EXPECT_EQ(label.text.toStdString(), box(label.box).title) << zoom;
      largest = std::max(largest, label.pixels);
    }
    for (const GraphLabel& label : view().texts().labels) {
      const bool is_small =
          titled.contains(label.box) && label.kind == LabelKind::title && label.pixels < largest;
      EXPECT_FALSE(is_small && has_room(label, largest)) << label.text.toStdString();
    }
    const QRectF room = view().rect().toRectF().adjusted(60, 20, -60, -20);
    for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      const QRectF rect = view().camera().to_screen(to_qt(box(i).rect));
      if (!box(i).shows.node.valid() || !scene().is_drawn(i) || !room.contains(rect)) continue;
      ++shown;
      EXPECT_TRUE(titled.contains(i) || has_title(i)) << box(i).title << " at " << zoom;
    }
  }
  EXPECT_GT(shown, 20);
}

TEST_F(GraphLabels, ABlockShowsWhatIsInsideAsPatches) {
  open(sample(u"gpt2_tiny"_s));
  open_groups();
  zoom_to(0.2);
  int patches = 0;
  for (std::uint32_t i = 0; i < scene().drawing().boxes.size(); ++i) {
    if (scene().is_drawn(i) || box(i).is_open() || !scene().colour(i)) continue;
    const QRectF rect = view().camera().to_screen(to_qt(box(i).rect));
    if (rect.height() < 3 || !view().rect().toRectF().contains(rect)) continue;
    const QImage picture = view().grab(rect.toAlignedRect()).toImage();
    const QColor colour = picture.pixelColor(picture.width() - 1, picture.height() / 2);
    patches += colour.saturation() > 20 ? 1 : 0;
  }
  EXPECT_GT(patches, 5);
}

TEST_F(GraphLabels, ADoubleClickOpensAGroupAndTheInspectorShowsIt) {
  open(sample(u"gpt2_tiny"_s));
  std::uint32_t group = 0;
  while (!box(group).shows.group.valid() || box(group).is_open()) ++group;
  view().center_on(to_qt(box(group).rect.center()));
  const layout::GroupId wanted = box(group).shows.group;
  const QPoint place = place_of_box(group);
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place);
  // The group opens before the button is released.
  QMouseEvent press(QEvent::MouseButtonDblClick, place, view().mapToGlobal(place), Qt::LeftButton,
                    Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&view(), &press);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(scene().picture().open.contains(wanted));
  QTest::mouseRelease(&view(), Qt::LeftButton, {}, QPoint(2, view().height() - 2));
  const QString title = QString::fromStdString(scene().picture().grouping->groups[wanted].label);
  EXPECT_EQ(document().selection().current().title, title);
  EXPECT_TRUE(find<QTextBrowser>(u"inspector_page"_s).toPlainText().startsWith(title));
}

TEST_F(GraphLabels, GrowWithTheTextOfTheWindow) {
  open(sample(u"gpt2_tiny"_s));
  zoom_to(1);
  const auto title_pixels_now = [this] {
    int most = 0;
    for (const GraphLabel& label : view().texts().labels) most = std::max(most, label.pixels);
    return most;
  };
  const int normal = title_pixels_now();
  ASSERT_GT(normal, 0);
  apply_text_size(*qApp, 150);
  ASSERT_TRUE(settles());
  zoom_to(1);
  EXPECT_NEAR(title_pixels_now(), 1.5 * normal, 1);
  apply_text_size(*qApp, 100);
  ASSERT_TRUE(settles());
  zoom_to(1);
  EXPECT_EQ(title_pixels_now(), normal);
}

/// Theme with texts that cannot be seen, so that a picture shows what lies below them.
Theme theme_without_texts() {
  Theme theme = dark_theme();
  theme.surface = theme.canvas = theme.text = theme.muted = theme.stash = Qt::black;
  theme.line = Qt::white;
  return theme;
}

TEST_F(GraphLabels, NoTitleRunsOverTheBorderOfItsBox) {
  open(sample(u"lenet"_s));
  open_groups();
  const Theme theme = theme_without_texts();
  int widened = 0;
  for (const double zoom : {0.4, 0.5, 0.6, 0.7}) {
    zoom_to(zoom);
    const GraphTexts texts = view().texts();
    QImage picture(view().size(), QImage::Format_RGB32);
    QPainter painter(&picture);
    GraphPainter(scene(), view().camera(), theme, std::nullopt)
        .paint(painter, view().rect().toRectF(), texts);
    for (const GraphLabel& label : texts.labels) {
      const QRectF own = view().camera().to_screen(to_qt(box(label.box).rect));
      const QPoint border(qRound(own.right()), qRound(label.rect.center().y()));
      const bool is_title = label.kind == LabelKind::title && label.rect.right() > own.right() + 2;
      if (!is_title || !picture.rect().adjusted(4, 4, -4, -4).contains(border)) continue;
      ++widened;
      for (int x = -1; x <= 1; ++x) {
        for (int y = -2; y <= 2; ++y) {
          EXPECT_LT(qGray(picture.pixel(border + QPoint(x, y))), 64) << label.text.toStdString();
        }
      }
      const double right = texts.right_edges.at(label.box);
      EXPECT_GT(right, label.rect.right());
      const auto is_line = [&](int x) {
        return qGray(picture.pixel(qRound(right) + x, border.y())) > 64;
      };
      EXPECT_TRUE(is_line(-1) || is_line(0) || is_line(1)) << "the box ends behind its title";
    }
  }
  EXPECT_GT(widened, 0);
}

TEST_F(GraphLabels, AClickOnTheTitleOfAWidenedBoxSelectsIt) {
  open(sample(u"lenet"_s));
  open_groups();
  for (const double zoom : {0.4, 0.5, 0.6, 0.7}) {
    zoom_to(zoom);
    view().grab();
    const GraphTexts texts = view().texts();
    if (texts.right_edges.empty()) continue;
    const auto [wide, right] = *texts.right_edges.begin();
    const QRectF own = view().camera().to_screen(to_qt(box(wide).rect));
    ASSERT_GT(right, own.right() + 2);
    QTest::mouseClick(&view(), Qt::LeftButton, {}, QPointF(right - 2, own.center().y()).toPoint());
    EXPECT_EQ(document().selection().node(), box(wide).shows.node);
    return;
  }
  FAIL() << "no box is widened";
}

}  // namespace labels_test
}  // namespace stashscope::ui::test
