// A weight is found by its name, and all views lead to its page in the inspector.

#include <QListView>
#include <QTextBrowser>

#include "core/onnx/model_file.h"
#include "core/study/facts/given_tensors.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/tensor_facts.h"
#include "tests/support/model_builder.h"
#include "tests/ui/graph/graph_test.h"
#include "ui/memory/icicle_view.h"
#include "ui/memory/memory_view.h"
#include "ui/models/alive_model.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace weights_test {

using namespace Qt::StringLiterals;

class Weights : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  const Study& study() { return *document().study(); }
  QLineEdit& search() { return find<QLineEdit>(u"graph_search"_s); }
  QListView& hits() { return find<QListView>(u"graph_hits"_s); }
  QString hit(int row) { return hits().model()->index(row, 0).data().toString(); }
  /// The text of the page, without the marks at which long names may break.
  QString page() {
    return find<QTextBrowser>(u"inspector_page"_s).toPlainText().remove(QChar(0x200b));
  }
  ValueId selected() { return document().selection().current().tensor; }

  /// A parameter that a node inside a closed group reads.
  ValueId weight() {
    for (const ValueId each : given_tensors(study())) {
      const auto readers = dataflow().topology.readers[each];
      const bool is_parameter = study().prepared->rules.role[each] == ValueRole::parameter;
      if (is_parameter && !readers.empty() && !is_shown(readers.front())) return each;
    }
    throw std::runtime_error("no such weight");
  }
  QString name(ValueId tensor) { return shown(study().graph().value(tensor).name); }
  void expect_page_of(ValueId tensor) {
    EXPECT_EQ(selected(), tensor);
    EXPECT_TRUE(page().startsWith(u"Parameter"_s)) << page().toStdString();
    EXPECT_TRUE(page().contains(name(tensor))) << page().toStdString();
  }
  void type(const QString& text) {
    search().setFocus();
    search().clear();
    QTest::keyClicks(&search(), text);
  }
  /// Follows a link of the inspector by the keyboard.
  void follow(const QString& link) {
    auto& browser = find<QTextBrowser>(u"inspector_page"_s);
    browser.setFocus();
    for (int i = 0; i < 100; ++i) {
      QTest::keyClick(&browser, Qt::Key_Tab);
      if (browser.textCursor().selectedText().isEmpty()) continue;
      if (browser.textCursor().charFormat().anchorHref() != link) continue;
      QTest::keyClick(&browser, Qt::Key_Return);
      return;
    }
    FAIL() << "no link " << link.toStdString();
  }
};

TEST_F(Weights, AreFoundByNameBeforeTheNodesThatMakeTheirGradients) {
  const ValueId wanted = weight();
  type(name(wanted));
  ASSERT_GT(hits().model()->rowCount(), 0);
  EXPECT_EQ(hit(0),
            u"parameter  %1  %2  %3"_s.arg(
                name(wanted), shown(sized_type_text(study(), study().graph().value(wanted).type)),
                bytes_text(study().sizes->bytes[wanted])));
  QTest::keyClick(&search(), Qt::Key_Return);
  ASSERT_TRUE(settles());
  expect_page_of(wanted);
  const auto readers = dataflow().topology.readers[wanted];
  EXPECT_EQ(document().selection().nodes(), std::vector<NodeId>(readers.begin(), readers.end()));
  EXPECT_TRUE(is_shown(readers.front())) << "the groups around its reader are open";
  EXPECT_TRUE(view().rect().contains(place_of(readers.front())));
}

TEST_F(Weights, InputsAreFoundToo) {
  const ValueId input = study().graph().data().inputs.front();
  type(name(input));
  EXPECT_TRUE(hit(0).startsWith(u"input  "_s + name(input))) << hit(0).toStdString();
  click_cell(hits(), hits().model()->index(0, 0));
  EXPECT_EQ(selected(), input);
  EXPECT_TRUE(page().startsWith(u"Input"_s)) << page().toStdString();
}

TEST_F(Weights, ForwardNodesWithTheTextInTheirOwnNameComeFirst) {
  const ValueId wanted = weight();
  const NodeId reader = dataflow().topology.readers[wanted].front();
  type(shown(study().graph().node(dataflow().origin(reader)).op_type));
  EXPECT_FALSE(hit(0).startsWith(u"parameter"_s)) << hit(0).toStdString();
}

TEST_F(Weights, ThePageHasGradientStatesAndReaders) {
  Choices choices = document().choices();
  choices.update.optimizer = "adam";
  document().choose(choices, u"adam"_s);
  ASSERT_TRUE(settles());
  const ValueId wanted = weight();
  document().selection().select_tensor(wanted);
  const GivenTensor facts = given_tensor(study(), wanted);
  ASSERT_TRUE(facts.gradient.has_value());
  const QString text = page();
  for (const QString& each : {shown(facts.gradient->name), u"exp_avg"_s, u"exp_avg_sq"_s,
                              bytes_text(facts.bytes_in_all()), u"float32"_s}) {
    EXPECT_TRUE(text.contains(each)) << each.toStdString() << " in " << text.toStdString();
  }
  const NodeId reader = reads_of(study(), wanted).back().reader;
  follow(u"node:%1"_s.arg(reader.index()));
  EXPECT_EQ(document().selection().node(), reader);
  EXPECT_FALSE(selected().valid());
}

TEST_F(Weights, OfANodeAreLinks) {
  const ValueId wanted = weight();
  const NodeId reader = dataflow().topology.readers[wanted].front();
  document().selection().select_node(reader);
  follow(u"tensor:%1"_s.arg(wanted.index()));
  ASSERT_TRUE(settles());
  expect_page_of(wanted);
}

TEST_F(Weights, AnInputOfANodeHasItsOwnNameAndItsMaker) {
  const NodeId node = find_node([this](NodeId each) { return !makers(each).empty(); });
  document().selection().select_node(node);
  const layout::Neighbour made = makers(node).front();
  const QString tensor = shown(name_of(study().graph(), dataflow(), made.value));
  EXPECT_TRUE(page().contains(tensor.section(u'/', -1))) << page().toStdString();
  EXPECT_TRUE(page().contains(u"made by "_s)) << page().toStdString();
}

TEST_F(Weights, AClickInTheTableOfLiveTensorsShowsThem) {
  auto& table = find<TableView>(u"alive_table"_s);
  const auto& model = *static_cast<const AliveModel*>(table.model());
  int row = 0;
  while (model.maker(row).valid()) ++row;
  document().selection().select_node(NodeId(0));
  const std::size_t slot = document().selection().slot();
  row = 0;
  while (model.maker(row).valid()) ++row;
  click_cell(table, row, AliveModel::tensor);
  EXPECT_EQ(selected(), model.root(row));
  EXPECT_TRUE(page().remove(QChar(0x200b)).contains(name(model.root(row))));
  EXPECT_EQ(document().selection().slot(), slot) << "the cursor stays";
  EXPECT_TRUE(find<MemoryView>(u"memory_view"_s).life().has_value());
  document().selection().select_node(NodeId(0));
  row = 0;
  while (model.maker(row).valid()) ++row;
  table.setCurrentIndex(model.index(row, AliveModel::tensor));
  table.setFocus();
  QTest::keyClick(&table, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(selected(), model.root(row)) << "by the keyboard, too";
}

TEST_F(Weights, TheModelsInputsAreLinksAndWSaysWhyOneIsAlive) {
  document().selection().clear();
  const ValueId input = study().graph().data().inputs.front();
  follow(u"tensor:%1"_s.arg(input.index()));
  ASSERT_TRUE(settles());
  EXPECT_EQ(selected(), input);
  view().setFocus();
  press(Qt::Key_W);
  EXPECT_TRUE(view().notice().contains(u"exists before the step"_s))
      << view().notice().toStdString();
}

TEST_F(Weights, AltDownLeadsToAReader) {
  const ValueId wanted = weight();
  const auto readers = dataflow().topology.readers[wanted];
  window().graph().go_to(wanted);
  ASSERT_TRUE(settles());
  view().setFocus();
  press(Qt::Key_Down, Qt::AltModifier);
  if (readers.size() > 1) QTest::keyClick(&find<QMenu>(u"follow_output_menu"_s), Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), readers.front());
}

TEST_F(Weights, StaySelectedWhenPlansChangeAndComeBackWithTheHistory) {
  const ValueId wanted = weight();
  document().selection().select_tensor(wanted);
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  expect_page_of(wanted);
  const auto readers = dataflow().topology.readers[wanted];
  EXPECT_EQ(document().selection().nodes(), std::vector<NodeId>(readers.begin(), readers.end()))
      << "recomputed readers as well";
  document().selection().select_node(NodeId(0));
  find<QAction>(u"back"_s).trigger();
  ASSERT_TRUE(settles());
  expect_page_of(wanted);
  document().selection().clear();
  EXPECT_FALSE(selected().valid());
}

TEST_F(Weights, AreFoundAgainWhenAPassChangesTheGraph) {
  const QString wanted = name(weight());
  document().selection().select_tensor(weight());
  Choices choices = document().choices();
  add_passes("all", choices);
  document().choose(choices, u"passes"_s);
  ASSERT_TRUE(settles());
  if (selected().valid()) {
    EXPECT_EQ(name(selected()), wanted);
  } else {
    EXPECT_FALSE(study().graph().find_value(wanted.toStdString()).has_value());
  }
}

TEST_F(Weights, ABoxOfTheChartOfMemoryThatIsAWeightShowsIt) {
  find<QAction>(u"workspace_overview"_s).trigger();
  auto& chart = find<IcicleView>(u"icicle_view"_s);
  ASSERT_TRUE(comes_true([&] { return !chart.boxes().empty(); }));
  const auto is_weight = [&](const IcicleBox& box) {
    const BufferId buffer = chart.tree().nodes[box.node].buffer;
    return buffer.valid() && !study().current->timeline.buffers[buffer].state &&
           !dataflow().topology.producer[study().current->timeline.buffers[buffer].root].valid();
  };
  const auto box = std::ranges::find_if(chart.boxes(), is_weight);
  ASSERT_NE(box, chart.boxes().end());
  const BufferId buffer = chart.tree().nodes[box->node].buffer;
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectangle(*box).center().toPoint());
  EXPECT_EQ(selected(), study().current->timeline.buffers[buffer].root);
  EXPECT_TRUE(std::ranges::any_of(chart.boxes(),
                                  [&](const IcicleBox& each) { return chart.is_marked(each); }));
}

}  // namespace weights_test
}  // namespace stashscope::ui::test
