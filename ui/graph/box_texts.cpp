#include "ui/graph/box_texts.h"

#include <QFontMetricsF>

#include "core/layout/scene/short_titles.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/memory_words.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The measured widths of texts are multiplied by this factor. At another font size, a text can be
/// a little wider than the measured width scaled to that size.
constexpr double width_reserve = 1.04;

class FormsMaker {
 public:
  FormsMaker() : metrics_(graph_font(title_pixels)) {}

  TextForms of(const QStringList& texts) const {
    TextForms made;
    for (const QString& text : texts) {
      made.forms.push_back({text, width_reserve * metrics_.horizontalAdvance(text) + 1});
    }
    return made;
  }

 private:
  QFontMetricsF metrics_;
};

QStringList all_forms(const std::string& whole, const std::vector<std::string>& shorter) {
  QStringList forms = {shown(whole)};
  for (const std::string& each : shorter) forms << shown(each);
  return forms;
}

/// The first letters of an operator's name, longest first: the last resort for a box without room
/// for anything else. The letters need not be unique: boxes of the same operator have the same
/// title anyway.
QStringList first_letters(const QString& title, const QStringList& forms) {
  QStringList letters;
  for (const qsizetype length : {8, 5, 3}) {
    const QString cut = title.left(length) + u"…"_s;
    if (cut.size() < title.size() && !forms.contains(cut)) letters << cut;
  }
  return letters;
}

QStringList marked(QStringList titles, const QString& mark) {
  for (QString& title : titles) title.prepend(mark);
  return titles;
}

/// The forms of a detail text such as `43 nodes · stashes 1.2 GiB`: the whole text, then its part
/// after the last dot.
QStringList detail_forms(const std::string& detail) {
  const QString whole = shown(detail);
  QStringList forms = {whole};
  const qsizetype dot = whole.lastIndexOf(u" · "_s);
  if (dot >= 0) forms << whole.mid(dot + 3);
  return forms;
}

/// The largest output of a node, or the first of several largest outputs. Invalid without outputs.
ValueId largest_output(const Study& study, NodeId node) {
  ValueId largest;
  std::int64_t most = -1;
  for (const ValueId output : study.current->dataflow.topology.outputs[node]) {
    const std::int64_t bytes = stored_value(study, output).bytes;
    if (bytes <= most) continue;
    most = bytes;
    largest = output;
  }
  return largest;
}

/// The lines below the title of a node: the type of its largest output and the memory of the node,
/// then the name of that output. Empty if the node has no output.
std::vector<QStringList> tensor_lines(const GraphPicture& picture, const layout::DrawnBox& box) {
  const Study& study = *picture.study;
  const ValueId value = largest_output(study, box.shows.node);
  if (!value.valid()) return {};
  const QString type = shown(sized_type_text(study, stored_value(study, value).type));
  const std::string name = name_of(study.graph(), study.current->dataflow, value);
  const QString memory =
      box.memory.bytes > 0 ? memory_text(box.memory) : borrowed_text(study, box.shows.node, false);
  const QStringList facts =
      memory.isEmpty() ? QStringList{type} : QStringList{type + u" · "_s + memory, memory};
  return {facts, all_forms(name, layout::shorter_titles(name))};
}

}  // namespace

const TextForms::Form* TextForms::within(double width, double pixels) const {
  const double most = width * title_pixels / pixels;
  const auto found = std::find_if(forms.begin(), forms.end(),
                                  [&](const Form& form) { return form.width <= most; });
  return found == forms.end() ? nullptr : &*found;
}

BoxTexts::BoxTexts(std::shared_ptr<const GraphPicture> picture)
    : picture_(std::move(picture)), texts_(picture_->drawing.boxes.size()) {}

const BoxTexts::Texts& BoxTexts::of(std::size_t box) const {
  if (texts_[box] == nullptr) texts_[box] = std::make_unique<const Texts>(make(box));
  return *texts_[box];
}

BoxTexts::Texts BoxTexts::make(std::size_t box) const {
  const layout::DrawnBox& drawn = picture_->drawing.boxes[box];
  const FormsMaker maker;
  QStringList titles = all_forms(drawn.title, drawn.short_titles);
  if (drawn.shows.node.valid()) titles += first_letters(titles.front(), titles);
  const bool is_closed = drawn.shows.group.valid() && !drawn.is_open();
  Texts texts{maker.of(is_closed ? marked(titles, closed_mark) : titles), {}, {}};
  if (drawn.is_open()) texts.heading = maker.of(marked(titles, open_mark));
  if (drawn.shows.group.valid()) {
    const std::string& detail =
        drawn.is_open() ? picture_->drawing.blocks[drawn.block].detail : drawn.detail;
    if (!detail.empty()) texts.lines.push_back(maker.of(detail_forms(detail)));
  } else if (picture_->study != nullptr) {
    for (const QStringList& line : tensor_lines(*picture_, drawn)) {
      texts.lines.push_back(maker.of(line));
    }
  }
  return texts;
}

}  // namespace stashscope::ui
