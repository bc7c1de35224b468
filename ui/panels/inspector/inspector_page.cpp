#include "ui/panels/inspector/inspector_page.h"

#include <QCoreApplication>
#include <QDir>
#include <QUrl>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/facts/group_memory.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/panels/inspector/attribute_text.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct InspectorPage {
  Q_DECLARE_TR_FUNCTIONS(InspectorPage)
};

/// Readers of a value that are listed before the last one, until the user asks for all.
constexpr std::size_t most_listed = 3;
/// Tensors of a group that are listed.
constexpr std::size_t most_tensors = 5;

QString heading(const QString& text) { return u"<h4>%1</h4>"_s.arg(text); }

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
    QString page = u"<h3>%1</h3><p>%2</p>"_s.arg(html(original_.op_type), full_name());
    page += facts() + attributes();
    page += values(InspectorPage::tr("Inputs"), dataflow_.topology.inputs[node_], true);
    page += values(InspectorPage::tr("Outputs"), dataflow_.topology.outputs[node_], false);
    return page + plans() + obstacles();
  }

 private:
  /// The full name of the node; a line may break after each `/`.
  QString full_name() const {
    QString name = html(name_of(graph_, dataflow_, node_));
    return name.replace(u'/', u"/\u200b"_s);
  }

  /// @pre dataflow_.is_clone(node_)
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
    QString module = html(module_of(original_));
    if (!module.isEmpty()) {
      lines << InspectorPage::tr("module %1").arg(module.replace(u'.', u".\u200b"_s));
    }
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
          html(name + ":"), with_full_text(text.shortened, text.full));
    }
    if (rows.isEmpty()) return {};
    return heading(InspectorPage::tr("Attributes")) +
           u"<table cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
  }

  QString values(const QString& title, std::span<const ValueId> ids, bool are_inputs) const {
    QString rows;
    for (const ValueId id : ids) {
      if (id.valid()) rows += value_row(id, are_inputs);
    }
    if (rows.isEmpty()) return {};
    return heading(title) + u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">"_s + rows +
           u"</table>"_s;
  }

  QString value_row(ValueId id, bool is_input) const {
    const Value& value = graph_.value(dataflow_.origin(id));
    const StoredValue stored = stored_value(study_, id);
    const NodeId maker = dataflow_.topology.producer[id];
    QString name = html(name_of(graph_, dataflow_, id).substr(value.name.rfind('/') + 1));
    if (is_input && maker.valid()) name = link(maker);
    QString row =
        u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(name, bytes_text(stored.bytes));
    row += u"<tr><td colspan=\"2\"><small>%1%2%3</small></td></tr>"_s.arg(
        html(type_text(graph_, stored.type)), life(id),
        is_input ? QString() : u"<br>"_s + reads(id));
    return row;
  }

  bool lasts_to_the_end(ValueId id) const {
    const BufferId buffer = timeline_.buffer_of[id];
    return buffer.valid() && timeline_.buffers[buffer].last_slot + 1 == timeline_.order.size();
  }

  /// The readers of an output in their order, the last one marked.
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
    if (!last) return text;
    return text + InspectorPage::tr("; its memory is read last by %1")
                      .arg(read({last->reader, last->slot}));
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

  QString read(const Read& read) const {
    const std::size_t forward = study_.current->forward_slots;
    const bool has_backward = forward > 0 && forward < timeline_.order.size();
    const bool is_update = read.slot >= study_.current->update_slot;
    const QString place = is_update             ? InspectorPage::tr("%1 in the update (slot %2)")
                          : !has_backward       ? InspectorPage::tr("%1 (slot %2)")
                          : read.slot < forward ? InspectorPage::tr("%1 in forward (slot %2)")
                                                : InspectorPage::tr("%1 in backward (slot %2)");
    return place.arg(link(read.reader), QString::number(read.slot + 1));
  }

  /// The slots from the first one of the value to the last one of its memory.
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

  /// Whose memory the value is in, and since when that memory is there.
  QString place_in(const Buffer& held, ValueId id) const {
    const NodeId maker = dataflow_.topology.producer[held.root];
    if (!maker.valid()) return InspectorPage::tr(", shares a buffer");
    const QString text = is_in_place(id)
                             ? InspectorPage::tr(", in place in the memory of %1, from slot %2")
                             : InspectorPage::tr(", in the memory of %1, from slot %2");
    return text.arg(link(maker), QString::number(held.first_slot + 1));
  }

  /// Whether the value is computed in the memory of an input, and not a view of that memory.
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
          html(state.plan->cluster), kind_text(*state.plan), state_text(state));
    }
    return items.isEmpty() ? QString() : heading(InspectorPage::tr("Plan")) + items;
  }

  QString kind_text(const NodePlan& plan) const {
    if (plan.type == PlanType::recompute) return {};
    const QString name = shown(std::string(strategy_of(plan.type).name));
    if (in_reference(plan.type) || original_.outputs.size() == 1)
      return InspectorPage::tr("(%1)").arg(name);
    return InspectorPage::tr("(%1 %2)").arg(
        name, html(graph_.value(original_.outputs[plan.outputs.front()]).name));
  }

  static QString state_text(const NodePlanState& state) {
    if (state.pinned) return InspectorPage::tr("pinned: the node's output stays in memory");
    if (!state.chosen)
      return InspectorPage::tr("off: tick this plan in the Plans panel to free the node's output");
    if (!state.applied)
      return InspectorPage::tr(
          "on, but not applied to this node: the plan's count or another plan excludes it");
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
      items += u"<p>%1</p>"_s.arg(html(obstacle->rule));
      const bool elsewhere =
          obstacle->stopped_at.valid() && obstacle->stopped_at != obstacle->entry;
      if (elsewhere)
        items += u"<p>%1</p>"_s.arg(InspectorPage::tr("The search for a plan stopped at %1")
                                        .arg(link(obstacle->stopped_at)));
    }
    return items.isEmpty() ? QString()
                           : heading(InspectorPage::tr("Why the node is not recomputed")) + items;
  }

  const Study& study_;
  const Graph& graph_;
  const Dataflow& dataflow_;
  const Timeline& timeline_;
  const NodeId node_;
  const OpenedLists& opened_;
  const Node& original_;
};

/// A table of the operator types of `nodes` with the number of nodes, most frequent type first.
QString operator_counts(const Study& study, const std::vector<NodeId>& nodes) {
  std::map<std::string, int> counts;
  for (const NodeId id : nodes)
    ++counts[study.graph().node(study.current->dataflow.origin(id)).op_type];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  QString rows;
  for (const auto& [type, count] : sorted) {
    rows += u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(html(type)).arg(count);
  }
  return u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">"_s + rows + u"</table>"_s;
}

/// The share of the step's operations in per cent.
double share_of_flops(const Study& study, const std::vector<NodeId>& nodes) {
  double flops = 0;
  for (const NodeId id : nodes) {
    if (study.current->dataflow.runs_origin(id)) {
      flops += study.sizes->work.flops[study.current->dataflow.origin(id)];
    }
  }
  return study.current->flops > 0 ? 100 * flops / study.current->flops : 0;
}

QString memory_line(const GroupMemory& memory) {
  QString at_peak =
      InspectorPage::tr("its tensors take %1 at the peak").arg(bytes_text(memory.sum.peak_bytes));
  if (memory.sum.stashed_bytes == 0) return at_peak;
  return InspectorPage::tr("stashes %1 for backward").arg(bytes_text(memory.sum.stashed_bytes)) +
         u"<br>"_s + at_peak;
}

QString largest_tensors(const Study& study, const GroupMemory& memory) {
  const Timeline& timeline = study.current->timeline;
  QString rows;
  for (const GroupTensor& tensor : memory.largest) {
    const Buffer& buffer = timeline.buffers[tensor.buffer];
    const QString slots =
        InspectorPage::tr("slots %1–%2").arg(buffer.first_slot + 1).arg(buffer.last_slot + 1);
    rows += u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(node_link(study, tensor.maker),
                                                                     bytes_text(tensor.bytes));
    rows += u"<tr><td colspan=\"2\"><small>%1</small></td></tr>"_s.arg(
        tensor.is_at_peak ? InspectorPage::tr("%1, alive at the peak").arg(slots) : slots);
  }
  if (rows.isEmpty()) return {};
  return heading(InspectorPage::tr("Largest tensors")) +
         u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
}

QString group_page(const Study& study, const Selection& selection) {
  const GroupMemory memory = group_memory(study, selection.nodes, most_tensors);
  const QString share =
      QString::fromStdString(format_fixed(share_of_flops(study, selection.nodes), 1));
  return u"<h3>%1</h3><p>%2</p><p>%3</p>"_s.arg(
             selection.title.toHtmlEscaped(),
             InspectorPage::tr("%1, %2 % of the step's FLOPs")
                 .arg(counted(selection.nodes.size(), InspectorPage::tr("1 node"),
                              InspectorPage::tr("%1 nodes")),
                      share),
             memory_line(memory)) +
         largest_tensors(study, memory) + heading(InspectorPage::tr("Operators")) +
         operator_counts(study, selection.nodes);
}

}  // namespace

QString inspector_page(const Study& study, const Selection& selection, const OpenedLists& opened) {
  if (selection.node.valid()) return NodePage(study, selection.node, opened).build();
  if (!selection.nodes.empty()) return group_page(study, selection);
  return u"<p>%1</p>"_s.arg(
      InspectorPage::tr("Select a node, a layer or a plan to see its details here."));
}

bool names_python_file(const QString& file) {
  return QDir::isAbsolutePath(file) && file.endsWith(u".py"_s);
}

}  // namespace stashscope::ui
