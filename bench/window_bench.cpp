// Measures what the user of the window waits for, on the real widgets without a display. Prints a
// table of medians; run with
//   QT_QPA_PLATFORM=offscreen build/release/bin/bench_window [REPEATS [FILE]]
// With a file, only opening the file is measured. The reference models are beside the project; rows
// whose model is missing are left out.

#include <sys/resource.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTest>
#include <cstdio>
#include <functional>

#include "bench/open_window.h"
#include "core/layout/place/layered.h"
#include "core/study/edits/edits.h"
#include "core/study/search/next_moves.h"
#include "tests/ui/support/long_step.h"
#include "ui/memory/icicle_view.h"
#include "ui/memory/memory_view.h"
#include "ui/memory/segment_map.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::bench {
namespace {

using namespace Qt::StringLiterals;

constexpr int frames = 60;
constexpr double readable_zoom = 0.6;  // at which operators have labels

QString model_file(const QString& name) {
  return QStringLiteral(STASHSCOPE_SHARED "/models/full/") + name + u"_train_fwd.onnx"_s;
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// One line of the table.
struct Row {
  std::string what;
  std::vector<double> milliseconds;
  double wanted = 0;  ///< the goal in milliseconds
};

void print(const Row& row) {
  const double worst = *std::max_element(row.milliseconds.begin(), row.milliseconds.end());
  const double middle = median(row.milliseconds);
  std::printf("| %s | %.1f | %.1f | %.0f | %s |\n", row.what.c_str(), middle, worst, row.wanted,
              middle < row.wanted ? "yes" : "no");
  std::fflush(stdout);
}

double milliseconds_of(const std::function<void()>& job) {
  QElapsedTimer timer;
  timer.start();
  job();
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

Choices large_batch(const QString& model, Choices choices) {
  if (!model.startsWith(u"gpt2"_s)) return choices;
  choices.dims = {{"inputs_input_ids_dim0", 8}, {"inputs_input_ids_dim1", 1024}};
  return choices;
}

/// The processor time that this process and its ended children have used.
double processor_milliseconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum += 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e3;
    }
  }
  return sum;
}

/// The first picture may be a plain one; the final picture is that of Graphviz.
void measure_open(const QString& file, double wanted, int repeats) {
  const std::string name = "open " + QFileInfo(file).baseName().toStdString();
  Row first{name + " to the first picture", {}, wanted};
  Row final{name + " to the final picture", {}, wanted};
  Row busy{name + " to the final picture, processor time", {}, wanted};
  for (int i = 0; i < repeats; ++i) {
    OpenWindow window;
    const double before = processor_milliseconds();
    first.milliseconds.push_back(milliseconds_of([&] { window.open(file); }));
    const double more = milliseconds_of([&] {
      wait_until([&] { return window.window().graph().is_settled(); });
      draw(window.window());
    });
    final.milliseconds.push_back(first.milliseconds.back() + more);
    busy.milliseconds.push_back(processor_milliseconds() - before);
  }
  print(first);
  print(final);
  print(busy);
}

void measure_tick(const QString& model, int repeats) {
  OpenWindow window;
  window.open(model_file(model));
  window.choose(large_batch(model, window.document().choices()), u"sizes"_s);
  window.settle();
  Row row{"tick a plan of " + model.toStdString() + ": curve and table drawn", {}, 50};
  for (int i = 0; i < 4 * repeats; ++i) {
    const Study& study = *window.document().study();
    const PlanRow& plan = study.plan_table->plans.front();
    const Choices after = with_plan(study, window.document().choices(), plan, !plan.on);
    row.milliseconds.push_back(milliseconds_of([&] {
      window.choose(after, u"plan"_s);
      window.paint(u"memory_view"_s);
      window.paint(u"plan_tree"_s);
    }));
    window.settle();
  }
  print(row);
}

/// The first closed group of the picture with more than 20 nodes, such as a layer.
layout::GroupId closed_group(const GraphScene& scene) {
  for (const layout::DrawnBox& box : scene.drawing().boxes) {
    if (box.shows.group.valid() && !box.is_open() && box.nodes > 20) return box.shows.group;
  }
  return {};
}

void measure_expand(const QString& model, int repeats) {
  OpenWindow window;
  window.open(model_file(model));
  window.settle();
  Row row{"open one layer of " + model.toStdString(), {}, 150};
  for (int i = 0; i < repeats; ++i) {
    const layout::GroupId group = closed_group(*window.view().scene());
    row.milliseconds.push_back(milliseconds_of([&] {
      window.window().graph().toggle(group);
      wait_until([&] { return window.view().scene()->picture().open.contains(group); });
      draw(window.view());
    }));
    window.settle();
  }
  print(row);
}

layout::Rect moved(layout::Rect rect, double by) {
  rect.x += by;
  return rect;
}

layout::Curve moved(layout::Curve curve, double by) {
  for (layout::Point& point : curve) point.x += by;
  return curve;
}

/// Several copies of a drawing side by side.
layout::Drawing tiled(const layout::Drawing& one, int copies) {
  layout::Drawing all = one;
  for (int i = 1; i < copies; ++i) {
    const double by = i * (one.bounds.width + 100);
    const auto first = static_cast<std::uint32_t>(all.boxes.size());
    for (layout::DrawnBox box : one.boxes) {
      box.rect = moved(box.rect, by);
      if (box.parent != layout::outside) box.parent += first;
      all.boxes.push_back(std::move(box));
    }
    const auto add = [&](auto curves, auto& to) {
      for (auto& each : curves) {
        each.curve = moved(std::move(each.curve), by);
        each.bounds = moved(each.bounds, by);
        each.from += first;
        each.to += first;
        to.push_back(std::move(each));
      }
    };
    add(one.edges, all.edges);
    add(one.stash_edges, all.stash_edges);
  }
  all.bounds.width = copies * (one.bounds.width + 100);
  return all;
}

/// A step with all groups open, placed by the plain layout, repeated until there are `boxes` boxes.
std::shared_ptr<const GraphPicture> large_picture(std::shared_ptr<const Study> study,
                                                  std::size_t boxes) {
  auto picture = std::make_shared<GraphPicture>();
  picture->study = std::move(study);
  picture->grouping = std::make_shared<const layout::Grouping>(grouping_of(*picture->study));
  for (const layout::GroupId id : IdRange<layout::GroupId>(picture->grouping->groups.size())) {
    picture->open.insert(id);
  }
  const layout::StepView view = step_view(*picture->study, *picture->grouping);
  const layout::Outline outline =
      layout::make_outline(view.dataflow, *picture->grouping, picture->open, boxes);
  const layout::LayoutRequest request = layout::make_request(
      outline, view.graph, view.dataflow, *picture->grouping,
      [](std::string_view text) { return 7.0 * static_cast<double>(text.size()); });
  const layout::Drawing one =
      layout::draw(view, outline, layout::place(request, layout::place_layered));
  const auto copies = (boxes + one.boxes.size() - 1) / one.boxes.size();
  picture->drawing = tiled(one, static_cast<int>(copies));
  return picture;
}

std::size_t boxes_in_view(const GraphView& view) {
  const QRectF seen = view.camera().to_picture(view.rect().toRectF());
  const auto& boxes = view.scene()->drawing().boxes;
  return static_cast<std::size_t>(
      std::count_if(boxes.begin(), boxes.end(),
                    [&](const layout::DrawnBox& box) { return seen.intersects(to_qt(box.rect)); }));
}

/// Pans and zooms around the zoom of the view.
void measure_frames_of(GraphView& view) {
  const std::string seen = std::to_string(boxes_in_view(view));
  Row pan{"pan a frame with " + seen + " boxes in view", {}, 16};
  Row zoom{"zoom a frame with " + seen + " boxes in view", {}, 16};
  draw(view);
  for (int i = 0; i < frames; ++i) {
    const double by = i % 2 == 0 ? 7 : -7;
    const QPointF middle = view.camera().to_picture(view.rect().toRectF().center());
    pan.milliseconds.push_back(milliseconds_of([&] {
      view.center_on(middle + QPointF(by, by) / view.camera().zoom);
      draw(view);
    }));
    zoom.milliseconds.push_back(milliseconds_of([&] {
      view.zoom_by(i % 2 == 0 ? 1.05 : 1 / 1.05);
      draw(view);
    }));
  }
  print(pan);
  print(zoom);
}

/// Frames at two zooms: with all boxes as blocks, and with labelled operators.
void measure_frames(const QString& model) {
  const auto loaded = load_model_or_session(model_file(model).toStdString(), nullptr);
  const auto study = compute_study(loaded.model, loaded.session.choices, nullptr, Progress());
  GraphView view;
  view.resize(window_size);
  view.show();
  view.set_picture(large_picture(study, 10'000));
  view.fit();
  measure_frames_of(view);
  view.zoom_by(readable_zoom / view.camera().zoom);
  measure_frames_of(view);
}

/// Zooms in and out, so that every frame is drawn anew.
void measure_events(std::uint32_t steps, MemoryLook::Fill fill) {
  MemoryView view;
  view.resize(window_size.width(), 400);
  view.show();
  view.set_curves(test::long_step(steps, 90));
  view.set_look({fill, MemoryLook::Colouring::lifetime, AxisUnit::steps});
  view.activateWindow();
  view.setFocus();
  wait_until([&] { return view.hasFocus(); });
  const std::string filled = fill == MemoryLook::Fill::bands ? "bands" : "tensors";
  Row row{"memory view, " + std::to_string(2 * steps) + " events, " + filled + ": zoom a frame",
          {},
          16};
  draw(view);
  for (int i = 0; i < frames; ++i) {
    row.milliseconds.push_back(milliseconds_of([&] {
      QTest::keyClick(&view, i % 2 == 0 ? Qt::Key_Plus : Qt::Key_Minus);
      draw(view);
    }));
  }
  print(row);
}

/// A tree of layers with equal modules and tensors.
MemoryTree tree_of(std::uint32_t layers, std::uint32_t tensors_of_a_layer) {
  MemoryTree tree;
  tree.nodes.resize(1);
  tree.nodes[0].first_child = 1;
  tree.nodes[0].child_count = layers;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    MemoryTreeNode& node = tree.nodes.emplace_back();
    node.name = "layers." + std::to_string(layer);
    node.depth = 1;
    node.first_child = 1 + layers + layer * tensors_of_a_layer;
    node.child_count = tensors_of_a_layer;
  }
  for (std::uint32_t i = 0; i < layers * tensors_of_a_layer; ++i) {
    MemoryTreeNode& node = tree.nodes.emplace_back();
    node.name = "tensor_" + std::to_string(i);
    node.parent = 1 + i / tensors_of_a_layer;
    node.depth = 2;
    node.band = Band::stashed;
  }
  return tree;
}

void measure_icicle(std::uint32_t layers, std::uint32_t tensors_of_a_layer) {
  IcicleView view;
  view.resize(window_size.width(), 200);
  view.show();
  const MemoryTree tree = tree_of(layers, tensors_of_a_layer);
  // One tensor in 36 is large, so that nearly every pixel of the last row has a box.
  std::vector<std::int64_t> bytes(tree.nodes.size(), 1);
  for (std::uint32_t i = static_cast<std::uint32_t>(bytes.size()); i-- > 1;) {
    if (tree.nodes[i].child_count > 0) bytes[i] = 0;
    if (tree.nodes[i].child_count == 0 && i % 36 == 0) bytes[i] = 100'000;
  }
  for (std::size_t i = bytes.size(); i-- > 1;) bytes[tree.nodes[i].parent] += bytes[i];
  bytes[0] -= 1;
  view.set_tree(tree, bytes);
  draw(view);
  const std::string tensors = std::to_string(layers * tensors_of_a_layer);
  Row row{"icicle of " + tensors + " tensors: other bytes, drawn", {}, 16};
  for (int i = 0; i < frames; ++i) {
    row.milliseconds.push_back(milliseconds_of([&] {
      view.set_bytes(bytes);
      draw(view);
    }));
  }
  print(row);
}

/// One buffer in 36 is large, so that nearly every pixel of a row has a block.
SegmentPicture segments_of(std::uint32_t segments, std::uint32_t blocks_of_a_segment) {
  SegmentPicture picture;
  AllocatorMap& map = picture.map;
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    map.first_block.push_back(map.blocks.size());
    std::int64_t offset = 0;
    for (std::uint32_t i = 0; i < blocks_of_a_segment; ++i) {
      const std::int64_t bytes = i % 36 == 0 ? 1 << 20 : 512;
      map.blocks.push_back({segment, offset, bytes, bytes, BufferId(map.blocks.size())});
      offset += bytes + (i % 7 == 0 ? 1 << 16 : 0);
      picture.looks.push_back({Band::stashed, i / (1.0 + blocks_of_a_segment), false});
    }
    map.segments.push_back({std::int64_t{segment} << 40, offset, MemoryPool::large});
  }
  map.first_block.push_back(map.blocks.size());
  return picture;
}

void measure_segments(std::uint32_t segments, std::uint32_t blocks_of_a_segment) {
  SegmentMap map;
  map.resize(window_size.width(), 400);
  map.show();
  const SegmentPicture picture = segments_of(segments, blocks_of_a_segment);
  const std::string blocks = std::to_string(segments * blocks_of_a_segment);
  Row row{"segments with " + blocks + " blocks, " + std::to_string(segments) + " rows: drawn anew",
          {},
          16};
  for (int i = 0; i < frames; ++i) {
    row.milliseconds.push_back(milliseconds_of([&] {
      map.set_segments(picture);
      draw(map);
    }));
  }
  print(row);
}

/// The time from the study to the moves that the buttons of the answer bar offer.
void measure_moves(const QString& model, int repeats) {
  const auto loaded = load_model_or_session(model_file(model).toStdString(), nullptr);
  const Choices choices = large_batch(model, loaded.session.choices);
  const auto study = compute_study(loaded.model, choices, nullptr, Progress());
  Row row{"next best moves of " + model.toStdString() + ", in the background", {}, 2000};
  for (int i = 0; i < repeats; ++i) {
    row.milliseconds.push_back(milliseconds_of([&] { next_moves(*study, 3, Progress()); }));
  }
  print(row);
}

/// The time after a tick of a plan until the curve and the overview are drawn.
void measure_overview(const QString& model, int repeats) {
  OpenWindow window;
  window.window().workspaces().choose(u"overview"_s);
  window.open(model_file(model));
  window.choose(large_batch(model, window.document().choices()), u"sizes"_s);
  window.settle();
  Row row{"tick a plan of " + model.toStdString() + ": curve and overview drawn", {}, 50};
  for (int i = 0; i < 4 * repeats; ++i) {
    const Study& study = *window.document().study();
    const PlanRow& plan = study.plan_table->plans.front();
    const Choices after = with_plan(study, window.document().choices(), plan, !plan.on);
    row.milliseconds.push_back(milliseconds_of([&] {
      window.choose(after, u"plan"_s);
      window.paint(u"memory_view"_s);
      window.paint(u"icicle_view"_s);
    }));
    window.settle();
  }
  print(row);
}

bool is_there(const QString& model) { return QFileInfo::exists(model_file(model)); }

void measure_all(int repeats) {
  const QString small = u"gpt2_124m"_s;
  const QString large = u"gpt2_xl_1.5b"_s;
  for (const auto fill : {MemoryLook::Fill::bands, MemoryLook::Fill::tensors}) {
    measure_events(500'000, fill);
  }
  measure_icicle(100, 500);
  measure_segments(50, 2'000);
  measure_segments(1, 100'000);
  if (is_there(small)) measure_frames(small);
  if (is_there(small)) {
    measure_tick(small, repeats);
    measure_overview(small, repeats);
    measure_open(model_file(small), 1500, repeats);
    measure_expand(small, repeats);
  }
  if (!is_there(large)) return;
  measure_open(model_file(large), 4000, repeats);
  measure_moves(large, repeats);
}

}  // namespace

int run(QApplication& application, const QStringList& words) {
  apply_theme(application, ThemeChoice::light);
  const int repeats = words.size() > 1 ? std::max(1, words[1].toInt()) : 5;
  std::printf("| what | median ms | worst ms | wanted below | met |\n|---|---|---|---|---|\n");
  if (words.size() > 2) {
    measure_open(words[2], 3000, repeats);
  } else {
    measure_all(repeats);
  }
  return 0;
}

}  // namespace stashscope::ui::bench
