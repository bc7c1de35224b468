#include "ui/panels/inspector/inspector_page.h"

#include <QClipboard>
#include <QMimeData>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>

#include "core/onnx/model_file.h"
#include "core/study/facts/group_memory.h"
#include "core/study/facts/node_facts.h"
#include "tests/support/captured_chain.h"
#include "tests/support/model_builder.h"
#include "tests/ui/support/window_test.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace inspector_page_test {

using namespace Qt::StringLiterals;

class InspectorPages : public WindowTest {
 protected:
  QTextBrowser& page() { return find<QTextBrowser>(u"inspector_page"_s); }

  /// The first node for which the condition holds.
  template <class Condition>
  NodeId node_with(const Condition& is_wanted) {
    for (const NodeId node : IdRange<NodeId>(dataflow().topology.nodes())) {
      if (is_wanted(node)) return node;
    }
    throw std::runtime_error("no such node");
  }
  const Dataflow& dataflow() { return document().study()->current->dataflow; }

  std::vector<Read> reads(NodeId node) {
    const auto& outputs = dataflow().topology.outputs[node];
    return outputs.empty() ? std::vector<Read>() : reads_of(*document().study(), outputs.front());
  }

  /// The parts of the page that are links or have a tool tip.
  std::vector<QTextFragment> marked_parts() {
    std::vector<QTextFragment> parts;
    for (QTextBlock block = page().document()->begin(); block.isValid(); block = block.next()) {
      for (auto part = block.begin(); !part.atEnd(); ++part) {
        const QTextCharFormat format = part.fragment().charFormat();
        if (format.isAnchor() || !format.toolTip().isEmpty()) parts.push_back(part.fragment());
      }
    }
    return parts;
  }
  QStringList links(const QString& scheme) {
    QStringList found;
    for (const QTextFragment& part : marked_parts()) {
      if (part.charFormat().anchorHref().startsWith(scheme))
        found << part.charFormat().anchorHref();
    }
    return found;
  }
  /// Walks to the link by the keyboard and follows it.
  void follow(const QString& link) {
    page().setFocus();
    for (int i = 0; i < 100; ++i) {
      QTest::keyClick(&page(), Qt::Key_Tab);
      const QTextCharFormat format = page().textCursor().charFormat();
      if (QTextCursor(page().textCursor()).selectedText().isEmpty()) continue;
      if (format.anchorHref() != link) continue;
      QTest::keyClick(&page(), Qt::Key_Return);
      return;
    }
    FAIL() << "no link " << link.toStdString();
  }
  QString copied() {
    page().setFocus();
    QTest::keyClick(&page(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&page(), Qt::Key_C, Qt::ControlModifier);
    return QApplication::clipboard()->text();
  }
};

TEST_F(InspectorPages, LongNamesBreakBetweenWordsAndUseTheWholeRow) {
  open(sample(u"gpt2_tiny"_s));
  const NodeId node = node_with([this](NodeId each) {
    const auto& inputs = dataflow().topology.inputs[each];
    return std::ranges::any_of(inputs, [this](ValueId id) {
      return !dataflow().topology.producer[id].valid() &&
             name_of(document().study()->graph(), dataflow(), id).ends_with("c_attn.weight");
    });
  });
  document().selection().select_node(node);
  int names = 0;
  for (QTextBlock block = page().document()->begin(); block.isValid(); block = block.next()) {
    const QTextLayout& layout = *block.layout();
    if (!block.text().contains(u"weight"_s) || layout.lineCount() == 0) continue;
    ++names;
    for (int line = 0; line + 1 < layout.lineCount(); ++line) {
      const QTextLine& shown = layout.lineAt(line);
      EXPECT_EQ(block.text()[shown.textStart() + shown.textLength() - 1], QChar(0x200b));
      EXPECT_GT(shown.naturalTextWidth(), 0.5 * page().viewport()->width());
    }
  }
  EXPECT_GT(names, 0);
}

TEST_F(InspectorPages, TheModelIsDescribedWhileNothingIsSelected) {
  open(sample(u"gpt2_tiny"_s));
  document().selection().clear();
  const QString text = page().toPlainText().remove(u'\u200b');  // where a name may break
  const GraphData& model = document().study()->model->data();
  EXPECT_TRUE(text.contains(shown(model.producer)));
  EXPECT_TRUE(text.contains(u"ai.onnx %1"_s.arg(model.opset(""))));
  for (const ValueId input : document().study()->graph().data().inputs) {
    EXPECT_TRUE(text.contains(shown(document().study()->graph().value(input).name)));
  }
}

TEST_F(InspectorPages, NamesOfTheModelBreakAtWords) {
  open(sample(u"gpt2_tiny"_s));
  page().setFixedWidth(240);
  QCoreApplication::processEvents();
  int breaks = 0;
  for (QTextBlock block = page().document()->begin(); block.isValid(); block = block.next()) {
    const QTextLayout& layout = *block.layout();
    for (int line = 0; line + 1 < layout.lineCount(); ++line) {
      const QTextLine each = layout.lineAt(line);
      const QChar last = block.text().at(each.textStart() + each.textLength() - 1);
      ++breaks;
      EXPECT_TRUE(last == u'\u200b' || last == u' ') << block.text().toStdString();
    }
  }
  EXPECT_GT(breaks, 3);
}

TEST_F(InspectorPages, NamesOfNodesAndTensorsMayBreakAtEveryWord) {
  open(sample(u"gpt2_tiny"_s));
  const auto has_words = [](const QString& name) {
    return name.contains(u'.') && name.contains(u'/') && name.contains(u'_');
  };
  const Graph& graph = document().study()->graph();
  const NodeId node =
      node_with([&](NodeId each) { return has_words(shown(name_of(graph, dataflow(), each))); });
  document().selection().select_node(node);
  EXPECT_TRUE(page().toPlainText().contains(breakable(shown(name_of(graph, dataflow(), node)))));
  const NodeId reader = node_with([&](NodeId each) {
    const auto& inputs = dataflow().topology.inputs[each];
    return inputs.size() > 1 && !dataflow().topology.producer[inputs[1]].valid() &&
           graph.value(inputs[1]).name.find('_') != std::string::npos;
  });
  const ValueId tensor = dataflow().topology.inputs[reader][1];
  document().selection().select_tensor(tensor);
  EXPECT_TRUE(page().toPlainText().contains(breakable(shown(graph.value(tensor).name))));
}

TEST_F(InspectorPages, ShapesHaveTheSizesInForceFirst) {
  open(sample(u"gpt2_tiny"_s));
  const NodeId node = node_with([this](NodeId id) {
    const auto& outputs = dataflow().topology.outputs[id];
    return !outputs.empty() && stored_value(*document().study(), outputs.front()).type.shape &&
           stored_value(*document().study(), outputs.front()).type.shape->size() == 3;
  });
  document().selection().select_node(node);
  const QString text = page().toPlainText();
  EXPECT_TRUE(text.contains(QRegularExpression(u"\\[\\d+, \\d+, \\d+\\] float"_s)))
      << text.toStdString();
  EXPECT_TRUE(text.contains(u"= [batch, "_s)) << text.toStdString();
  EXPECT_FALSE(text.contains(u"[inputs_input_ids"_s)) << text.toStdString();
}

TEST_F(InspectorPages, AGroupHasAsManyNodesAsAreSelected) {
  open(sample(u"gpt2_tiny"_s));
  Selection selection;
  selection.title = u"three"_s;
  selection.nodes = {NodeId(0), NodeId(1), NodeId(2)};
  const QString several = inspector_page(*document().study(), selection);
  EXPECT_TRUE(several.contains(u"<p>3 nodes, "_s)) << several.toStdString();
  EXPECT_TRUE(several.contains(u" % of the step's FLOPs</p>"_s)) << several.toStdString();
  selection.nodes = {NodeId(0)};
  EXPECT_TRUE(inspector_page(*document().study(), selection).contains(u"<p>1 node, "_s));
}

TEST_F(InspectorPages, AGroupSaysItsMemoryAndLargestTensors) {
  open(sample(u"gpt2_tiny"_s));
  const Study& study = *document().study();
  std::vector<NodeId> nodes;
  for (const NodeId node : IdRange<NodeId>(dataflow().topology.nodes())) {
    if (!dataflow().is_clone(node) && study.opportunities->is_forward(node)) nodes.push_back(node);
  }
  document().selection().select_nodes(nodes, u"forward"_s);
  const GroupMemory memory = group_memory(study, nodes, 5);
  ASSERT_GT(memory.sum.stashed_bytes, 0);
  ASSERT_EQ(memory.largest.size(), 5U);
  const QString text = page().toPlainText();
  const QString stashes = u"stashes %1 for backward"_s.arg(bytes_text(memory.sum.stashed_bytes));
  EXPECT_TRUE(text.contains(stashes)) << text.toStdString();
  EXPECT_TRUE(text.contains(bytes_text(memory.sum.peak_bytes) + u" at the peak"_s));
  QStringList wanted;
  for (const GroupTensor& tensor : memory.largest) {
    wanted << u"node:%1"_s.arg(tensor.maker.index());
    EXPECT_TRUE(text.contains(bytes_text(tensor.bytes))) << text.toStdString();
  }
  EXPECT_EQ(links(u"node:"_s), wanted);
}

TEST_F(InspectorPages, AGroupSaysWhoStashesTheMemoryThatItAllocated) {
  const QString file = in_folder(u"in_place.onnx"_s);
  stashscope::test::ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"a"});
  m.node("MatMul", {"w", "x"}, {"e"}).node("Tanh", {"a"}, {"b"});
  m.node("ReluGrad", {"b", "e"}, {"d"}, {}, "com.microsoft").output("d");
  save_model(m.build(), file.toStdString());
  open(file);
  const auto first = [this](const char* op) {
    return node_with([&](NodeId id) { return document().study()->graph().node(id).op_type == op; });
  };
  Selection selection;
  selection.nodes = {first("MatMul")};
  QString text = inspector_page(*document().study(), selection);
  EXPECT_FALSE(text.contains(u"stashes 64 B for backward<br>"_s)) << text.toStdString();
  EXPECT_TRUE(text.contains(u"stashes 64 B for backward in memory that it took over"_s))
      << text.toStdString();
  EXPECT_TRUE(text.contains(u"node:%1"_s.arg(first("Tanh").index())));
  selection.nodes = {first("MatMul"), first("Tanh")};
  text = inspector_page(*document().study(), selection);
  EXPECT_TRUE(text.contains(u"stashes 64 B for backward"_s)) << text.toStdString();
  EXPECT_FALSE(text.contains(u"took over"_s)) << text.toStdString();
}

TEST_F(InspectorPages, AGroupHasTheMemoryOfItsBoxInTheGraph) {
  open(sample(u"gpt2_tiny"_s));
  const layout::Drawing& drawing = window().graph().view().scene()->drawing();
  std::size_t compared = 0;
  for (std::uint32_t i = 0; i < drawing.boxes.size(); ++i) {
    const layout::DrawnBox& box = drawing.boxes[i];
    if (!box.shows.group.valid() || box.is_open()) continue;
    std::vector<NodeId> nodes;
    for (const NodeId node : IdRange<NodeId>(drawing.box_of.size())) {
      if (drawing.box_of[node] == i) nodes.push_back(node);
    }
    const NodeMemory memory = group_memory(*document().study(), nodes, 0).sum;
    EXPECT_EQ(memory.stashed_bytes, box.memory.stashed_bytes) << box.title;
    EXPECT_EQ(memory.peak_bytes, box.memory.peak_bytes) << box.title;
    compared += memory.stashed_bytes > 0 ? 1 : 0;
  }
  EXPECT_GT(compared, 0U);
}

TEST_F(InspectorPages, TheLastReaderIsALinkThatSelectsIt) {
  open(sample(u"gpt2_tiny"_s));
  const NodeId node = node_with([this](NodeId each) { return reads(each).size() >= 2; });
  const Read last = reads(node).back();
  document().selection().select_node(node);
  const QString text = page().toPlainText();
  const qsizetype at = text.indexOf(u"read last by "_s);
  ASSERT_GE(at, 0) << text.toStdString();
  const bool in_forward = last.slot < document().study()->current->forward_slots;
  const QString place = in_forward ? u" in forward (slot %1)"_s : u" in backward (slot %1)"_s;
  EXPECT_TRUE(text.mid(at).contains(place.arg(last.slot + 1))) << text.toStdString();
  for (const Read& each : reads(node)) {
    EXPECT_TRUE(links(u"node:"_s).contains(u"node:%1"_s.arg(each.reader.index())));
  }
  follow(u"node:%1"_s.arg(last.reader.index()));
  EXPECT_EQ(document().selection().node(), last.reader);
}

TEST_F(InspectorPages, ALinkOpensTheGroupsThatHideTheNode) {
  open(sample(u"gpt2_tiny"_s));
  const auto is_hidden = [this](NodeId node) {
    const layout::Drawing& drawing = window().graph().view().scene()->drawing();
    return drawing.boxes[drawing.box_of[node]].shows.group.valid();
  };
  const NodeId node = node_with(
      [&](NodeId each) { return !reads(each).empty() && is_hidden(reads(each).back().reader); });
  const NodeId reader = reads(node).back().reader;
  document().selection().select_node(node);
  follow(u"node:%1"_s.arg(reader.index()));
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), reader);
  EXPECT_FALSE(is_hidden(reader));
}

TEST_F(InspectorPages, ManyReadersAreListedWhenAskedFor) {
  stashscope::test::ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  std::vector<std::string> parts;
  for (int i = 0; i < 8; ++i) {
    parts.push_back("part" + std::to_string(i));
    m.node("Sigmoid", {"h"}, {parts.back()});
  }
  m.node("Sum", parts, {"sum"}).node("ReduceMean", {"sum"}, {"y"}).output("y");
  const QString file = in_folder(u"readers.onnx"_s);
  save_model(Graph(m.build()), file.toStdString());
  open(file);
  const NodeId node = node_with([this](NodeId each) { return reads(each).size() >= 6; });
  document().selection().select_node(node);
  const auto value = dataflow().topology.outputs[node].front();
  const std::size_t hidden = reads(node).size() - 4;
  EXPECT_TRUE(page().toPlainText().contains(u"and %1 more"_s.arg(hidden)));
  const QStringList before = links(u"node:"_s);
  follow(u"readers:%1"_s.arg(value.index()));
  EXPECT_FALSE(page().toPlainText().contains(u" more"_s)) << page().toPlainText().toStdString();
  EXPECT_EQ(links(u"node:"_s).size(), before.size() + static_cast<qsizetype>(hidden));
  EXPECT_EQ(document().selection().node(), node);
}

TEST_F(InspectorPages, AViewNamesTheNodeWhoseMemoryItUses) {
  open(sample(u"gpt2_tiny"_s));
  const Study& study = *document().study();
  const NodeId view = node_with([&](NodeId each) {
    const NodeId maker = maker_of_memory(study, each);
    return maker.valid() && maker != each;
  });
  document().selection().select_node(view);
  EXPECT_TRUE(page().toPlainText().contains(u"in the memory of "_s));
  const QString maker = u"node:%1"_s.arg(maker_of_memory(study, view).index());
  const Timeline& timeline = study.current->timeline;
  const Buffer& held = timeline.buffers[timeline.buffer_of[dataflow().topology.outputs[view][0]]];
  EXPECT_TRUE(page().toPlainText().contains(
      u"slots %1–%2, "_s.arg(document().selection().slot_of(view) + 1).arg(held.last_slot + 1)))
      << page().toPlainText().toStdString();
  EXPECT_TRUE(page().toPlainText().contains(u", from slot %1"_s.arg(held.first_slot + 1)));
  EXPECT_TRUE(links(u"node:"_s).contains(maker));
}

TEST_F(InspectorPages, AttributesAreShownAndLongOnesCopiedInFull) {
  Integers perm(60);
  QStringList all;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    perm[i] = static_cast<std::int64_t>(i);
    all << QString::number(i);
  }
  stashscope::test::ModelBuilder m;
  m.input("x", {"N", 4})
      .weight("w", {4, 4})
      .node("Gemm", {"x", "w"}, {"y"},
            {{"alpha", 0.1F},
             {"transB", std::int64_t{1}},
             {"note", std::string("plain")},
             {"padding_of_all", perm},
             {"words", Strings{std::string(200, 'w')}}});
  m.output("y");
  const QString file = in_folder(u"attributes.onnx"_s);
  save_model(Graph(m.build()), file.toStdString());
  open(file);
  document().selection().select_node(
      node_with([this](NodeId each) { return !dataflow().is_clone(each); }));
  const QString text = page().toPlainText().simplified();
  EXPECT_TRUE(text.contains(u"alpha: 0.1 "_s)) << text.toStdString();
  EXPECT_TRUE(text.contains(u"transB: 1 "_s)) << text.toStdString();
  EXPECT_TRUE(text.contains(u"note: plain "_s)) << text.toStdString();
  EXPECT_TRUE(text.contains(u"… 60 in all]"_s)) << text.toStdString();
  EXPECT_FALSE(text.contains(u"58, 59"_s)) << text.toStdString();
  EXPECT_TRUE(text.contains(u"words: [www"_s)) << text.toStdString();
  EXPECT_FALSE(text.contains(QString(200, u'w'))) << text.toStdString();
  const QString full = u"[%1]"_s.arg(all.join(u", "_s));
  bool has_tip = false;
  for (const QTextFragment& part : marked_parts()) {
    has_tip |= part.charFormat().toolTip().simplified() == full;
  }
  EXPECT_TRUE(has_tip);
  EXPECT_TRUE(copied().contains(full)) << copied().toStdString();
  EXPECT_TRUE(copied().contains(QString(200, u'w'))) << copied().toStdString();
}

TEST_F(InspectorPages, PlansOfACapturedStepAreNotUnderMoreTypes) {
  const QString file = in_folder(u"step.onnx"_s);
  save_model(Graph(stashscope::test::CapturedChain(4).data()), file.toStdString());
  open(file);
  const auto& plans = document().study()->opportunities->plans;
  ASSERT_FALSE(plans.empty());
  Selection selection;
  selection.node = plans.front().node;
  const QString text = inspector_page(*document().study(), selection);
  EXPECT_TRUE(text.contains(u"off: tick this plan in the Plans panel to free"_s))
      << text.toStdString();
  EXPECT_FALSE(text.contains(u"More types"_s)) << text.toStdString();
}

TEST_F(InspectorPages, NamesAreCopiedInFull) {
  open(sample(u"gpt2_tiny"_s));
  const NodeId node = node_with([this](NodeId each) { return reads(each).size() >= 2; });
  document().selection().select_node(node);
  const Read last = reads(node).back();
  const Study& study = *document().study();
  const QString name = QString::fromStdString(name_of(study.graph(), dataflow(), last.reader));
  ASSERT_TRUE(name.contains(u'/')) << name.toStdString();
  EXPECT_TRUE(copied().contains(name)) << copied().toStdString();
  const QString html = QApplication::clipboard()->mimeData()->html();
  EXPECT_TRUE(html.contains(name));
  ASSERT_TRUE(page().toPlainText().contains(QChar(0x200b))) << "a mark where a line may break";
  EXPECT_FALSE(html.contains(QChar(0x200b)));
}

}  // namespace inspector_page_test
}  // namespace stashscope::ui::test
