#include "ui/panels/inspector/inspector_page.h"

#include <QCoreApplication>
#include <QDir>
#include <QUrl>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/held_facts.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/opened_operator.h"
#include "ui/panels/inspector/attribute_text.h"
#include "ui/panels/inspector/group_page.h"
#include "ui/panels/inspector/model_page.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/panels/inspector/tensor_page.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct InspectorPage {
  Q_DECLARE_TR_FUNCTIONS(InspectorPage)
};

/// Number of readers that are listed before the last reader, until the user asks for all. If only
/// one more would be left out, all are listed.
constexpr std::size_t most_listed = 3;

class NodePage {
 public:
  NodePage(const Study& study, NodeId node, const OpenedLists& opened)
      : study_(study),
        graph_(study.graph()),
        dataflow_(study.current->dataflow),
        timeline_(study.current->timeline),
        node_(node),
        opened_(opened),
        original_(graph_.node(dataflow_.origin(node))) {}

  QString build() const {
    const std::string& name = opened_operator(study_, dataflow_.origin(node_));
    QString page = u"<h3>%1</h3><p>%2</p>"_s.arg(page_html(name), full_name());
    page += facts() + attributes();
    page += values(InspectorPage::tr("Inputs"), dataflow_.topology.inputs[node_], true);
    page += values(InspectorPage::tr("Outputs"), dataflow_.topology.outputs[node_], false);
    return page + plans() + obstacles();
  }

 private:
  QString full_name() const { return breakable(page_html(shown_name(graph_, dataflow_, node_))); }

  /// Says what an added node does. %1 is the original node. @pre dataflow_.is_clone(node_)
  QString purpose() const {
    switch (dataflow_.kind(node_)) {
      case AddedKind::recompute:
        return InspectorPage::tr("recomputes %1");
      case AddedKind::generator_state:
        return InspectorPage::tr("keeps the state of the random generator for the region of %1");
      default:
        return InspectorPage::tr("evicts or restores the output of %1");
    }
  }

  QString facts() const {
    QStringList facts;
    facts << InspectorPage::tr("runs in slot %1 of %2")
                 .arg(slot_of(node_) + 1)
                 .arg(timeline_.order.size());
    if (opened_operator(study_, dataflow_.origin(node_)) != original_.op_type) {
      facts << InspectorPage::tr("runs as %1 in a training step").arg(page_html(original_.op_type));
    }
    facts << origin();
    if (dataflow_.is_clone(node_)) facts << purpose().arg(link(dataflow_.origin(node_)));
    const double flops =
        dataflow_.runs_origin(node_) ? study_.sizes->work.flops[dataflow_.origin(node_)] : 0;
    if (flops > 0) {
      facts << InspectorPage::tr("%1 million operations")
                   .arg(QString::fromStdString(format_fixed(flops / 1e6, flops < 1e8 ? 2 : 0)));
    }
    return u"<p>%1</p>"_s.arg(facts.join(u"<br>"_s));
  }

  std::size_t slot_of(NodeId node) const {
    const auto at = std::find(timeline_.order.begin(), timeline_.order.end(), node);
    return static_cast<std::size_t>(at - timeline_.order.begin());
  }

  /// The module and the source line of the node, as far as the exporter recorded them.
  QStringList origin() const {
    if (original_.origin == nullptr) return {};
    QStringList lines;
    const QString module = page_html(module_of(original_));
    if (!module.isEmpty()) lines << InspectorPage::tr("module %1").arg(breakable(module));
    if (original_.origin->file.empty()) return lines;
    const QString file = shown(original_.origin->file);
    const QString place =
        u"%1:%2"_s.arg(file, QString::number(original_.origin->line)).toHtmlEscaped();
    const QString url = QUrl::fromLocalFile(file).toString(QUrl::FullyEncoded).toHtmlEscaped();
    return lines << InspectorPage::tr("from %1").arg(
               names_python_file(file) ? u"<a href=\"%1\">%2</a>"_s.arg(url, place) : place);
  }

  QString link(NodeId node) const { return node_link(study_, node); }

  QString attributes() const {
    QString rows;
    for (const auto& [name, value] : original_.attributes.items()) {
      const AttributeText text = text_of(value);
      rows += u"<tr><td>%1&nbsp;</td><td>%2</td></tr>"_s.arg(
          page_html(name + ":"), with_full_text(text.shortened, text.full));
    }
    if (rows.isEmpty()) return {};
    return page_heading(InspectorPage::tr("Attributes")) +
           u"<table cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
  }

  QString values(const QString& title, std::span<const ValueId> ids, bool are_inputs) const {
    QString rows;
    for (const ValueId id : ids) {
      if (id.valid()) rows += value_row(id, are_inputs);
    }
    if (rows.isEmpty()) return {};
    return page_heading(title) + u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">"_s +
           rows + u"</table>"_s;
  }

  QString value_row(ValueId id, bool is_input) const {
    const StoredValue stored = stored_value(study_, id);
    const bool is_given = !dataflow_.topology.producer[id].valid();
    QString row =
        u"<tr><td width=\"100%\">%1</td><td align=\"right\" style=\"white-space: nowrap\">%2</td></tr>"_s
            .arg(is_given ? tensor_link(study_, id)
                          : last_part(shown(name_of(graph_, dataflow_, id))),
                 bytes_text(stored.bytes));
    row += u"<tr><td colspan=\"2\"><small>%1%2%3</small></td></tr>"_s.arg(
        type_lines(study_, stored.type), life(id), is_input ? maker(id) : u"<br>"_s + reads(id));
    return row;
  }

  /// A line that names the node that makes an input.
  QString maker(ValueId id) const {
    const NodeId maker = dataflow_.topology.producer[id];
    return maker.valid() ? u"<br>"_s + InspectorPage::tr("made by %1").arg(link(maker)) : QString();
  }

  bool lasts_to_the_end(ValueId id) const {
    const BufferId buffer = timeline_.buffer_of[id];
    return buffer.valid() && timeline_.buffers[buffer].last_slot + 1 == timeline_.order.size();
  }

  /// A text that names the readers of an output in the order in which they run; the last is marked.
  QString reads(ValueId id) const {
    const std::vector<Read> reads = reads_of(study_, id);
    const std::optional<LastRead> last = last_read_of_sharers(id, reads);
    const bool is_output = graph_.is_graph_output(dataflow_.origin(id));
    QString text;
    if (reads.empty()) {
      text = is_output ? InspectorPage::tr("output of the model")
                       : InspectorPage::tr("no node reads it");
    } else if (reads.size() == 1) {
      text = InspectorPage::tr("read last by %1").arg(read(reads.back()));
    } else {
      text = InspectorPage::tr("read by %1; read last by %2")
                 .arg(earlier_reads(id, reads), read(reads.back()));
    }
    if (is_output && !reads.empty() && lasts_to_the_end(id)) {
      text += InspectorPage::tr("; an output of the model, kept to the end of the step");
    }
    if (last) {
      text += InspectorPage::tr("; its memory is read last by %1")
                  .arg(read({last->reader, last->slot}));
    }
    return text + hold(id);
  }

  /// Who holds the memory of an output after its last read; empty if nobody does.
  QString hold(ValueId id) const {
    const BufferId buffer = timeline_.buffer_of[id];
    const auto hold = buffer.valid() ? hold_beyond_reads(study_, buffer) : std::nullopt;
    if (!hold) return {};
    const QString until = QString::number(hold->until + 1);
    const QString bytes = bytes_text(timeline_.buffers[buffer].bytes);
    switch (hold->holder) {
      case Hold::Holder::autograd:
        return InspectorPage::tr(
                   "; autograd holds its memory until slot %1, for the derivative of "
                   "%2")
            .arg(until, link(hold->node));
      case Hold::Holder::caller:
        return InspectorPage::tr(
                   "; the caller or a variable of the script holds its memory beyond the step. If "
                   "nothing needs the value, deleting this reference frees %1")
            .arg(bytes);
      case Hold::Holder::script:
        break;
    }
    return InspectorPage::tr(
               "; a variable of the script holds its memory until slot %1, and no node reads the "
               "value any more. Deleting the variable in the script frees %2 earlier")
        .arg(until, bytes);
  }

  /// The last read of the buffer, if it is later than all reads of the value itself.
  std::optional<LastRead> last_read_of_sharers(ValueId id, const std::vector<Read>& reads) const {
    const BufferId buffer = timeline_.buffer_of[id];
    if (!buffer.valid() || timeline_.buffers[buffer].persistent) return std::nullopt;
    const std::optional<LastRead> last = last_read(study_, buffer);
    const bool is_later = last && (reads.empty() || last->slot > reads.back().slot);
    return is_later ? last : std::nullopt;
  }

  QString earlier_reads(ValueId id, const std::vector<Read>& reads) const {
    const std::size_t earlier = reads.size() - 1;
    const bool is_open = opened_.contains(id) || earlier <= most_listed + 1;
    const std::size_t listed = is_open ? earlier : most_listed;
    QStringList links;
    for (std::size_t i = 0; i < listed; ++i) links << read(reads[i]);
    if (is_open) return links.join(u", "_s);
    return InspectorPage::tr("%1, <a href=\"readers:%2\">and %3 more</a>")
        .arg(links.join(u", "_s), QString::number(id.index()), QString::number(earlier - listed));
  }

  QString read(const Read& read) const { return read_link(study_, read); }

  /// The range from the slot in which the value is made to the last slot of its memory.
  QString life(ValueId id) const {
    const BufferId buffer = timeline_.buffer_of[id];
    if (!buffer.valid()) return {};
    const Buffer& held = timeline_.buffers[buffer];
    if (held.persistent) return InspectorPage::tr(" · persistent");
    const NodeId own_maker = dataflow_.topology.producer[id];
    const bool is_own = held.root == id || !own_maker.valid();
    const QString text = InspectorPage::tr(" · slots %1–%2")
                             .arg((is_own ? held.first_slot : slot_of(own_maker)) + 1)
                             .arg(held.last_slot + 1);
    return held.root == id ? text : text + place_in(held, id);
  }

  /// The node whose memory the value shares, and the slot from which this memory is alive.
  QString place_in(const Buffer& held, ValueId id) const {
    const NodeId maker = dataflow_.topology.producer[held.root];
    if (!maker.valid()) return InspectorPage::tr(", shares a buffer");
    const QString text = is_in_place(id)
                             ? InspectorPage::tr(", in place in the memory of %1, from slot %2")
                             : InspectorPage::tr(", in the memory of %1, from slot %2");
    return text.arg(link(maker), QString::number(held.first_slot + 1));
  }

  /// Whether the value is computed in the memory of an input and is not a view of that memory.
  bool is_in_place(ValueId id) const {
    const NodeId maker = dataflow_.topology.producer[id];
    if (!maker.valid() || !dataflow_.runs_origin(maker)) return false;
    const auto& outputs = dataflow_.topology.outputs[maker];
    return std::ranges::any_of(
        study_.prepared->rules.in_place[dataflow_.origin(maker)],
        [&](const BufferShare& share) { return outputs[share.output] == id; });
  }

  QString plans() const {
    QString items;
    for (const NodePlanState& state : plans_of_node(study_, dataflow_.origin(node_))) {
      items += u"<p><code>%1</code> %2<br><small>%3</small></p>"_s.arg(
          page_html(state.plan->cluster), kind_text(*state.plan), state_text(state));
    }
    return items.isEmpty() ? QString() : page_heading(InspectorPage::tr("Plan")) + items;
  }

  QString kind_text(const NodePlan& plan) const {
    if (plan.type == PlanType::recompute) return {};
    const QString name = shown(std::string(strategy_of(plan.type).name));
    if (in_reference(plan.type) || original_.outputs.size() == 1)
      return InspectorPage::tr("(%1)").arg(name);
    return InspectorPage::tr("(%1 %2)").arg(
        name, page_html(graph_.value(original_.outputs[plan.outputs.front()]).name));
  }

  static QString state_text(const NodePlanState& state) {
    if (state.pinned) return InspectorPage::tr("pinned: the node's output stays in memory");
    if (!state.chosen && !is_searched(state.plan->type)) {
      return InspectorPage::tr(
          "off: tick this plan in the Plans panel, under More types, to free the node's output");
    }
    if (!state.chosen)
      return InspectorPage::tr("off: tick this plan in the Plans panel to free the node's output");
    if (!state.applied)
      return InspectorPage::tr(
          "on, but not applied to this node: the plan's count covers only nodes before it, or "
          "another plan is applied to it");
    switch (state.plan->type) {
      case PlanType::offload:
        return InspectorPage::tr("on: the node's output waits on the host for backward");
      case PlanType::compress:
        return InspectorPage::tr("on: the node's output is kept in a narrower type for backward");
      default:
        return InspectorPage::tr("on: the node's output is recomputed in backward");
    }
  }

  QString obstacles() const {
    QString items;
    for (const Obstacle* const obstacle : obstacles_of_node(study_, dataflow_.origin(node_))) {
      items += u"<p>%1</p>"_s.arg(page_html(obstacle->rule));
      const bool elsewhere =
          obstacle->stopped_at.valid() && obstacle->stopped_at != obstacle->entry;
      if (elsewhere)
        items += u"<p>%1</p>"_s.arg(InspectorPage::tr("The search for a plan stopped at %1")
                                        .arg(link(obstacle->stopped_at)));
    }
    return items.isEmpty()
               ? QString()
               : page_heading(InspectorPage::tr("Why the node is not recomputed")) + items;
  }

  const Study& study_;
  const Graph& graph_;
  const Dataflow& dataflow_;
  const Timeline& timeline_;
  const NodeId node_;
  const OpenedLists& opened_;
  const Node& original_;
};

}  // namespace

QString inspector_page(const Study& study, const Selection& selection, const OpenedLists& opened) {
  if (selection.node.valid()) return NodePage(study, selection.node, opened).build();
  if (selection.tensor.valid()) return tensor_page(study, selection.tensor);
  if (!selection.nodes.empty()) return group_page(study, selection);
  return model_page(study);
}

bool names_python_file(const QString& file) {
  return QDir::isAbsolutePath(file) && file.endsWith(u".py"_s);
}

}  // namespace stashscope::ui
