#include "ui/panels/inspector/group_page.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/group_memory.h"
#include "core/study/facts/opened_operator.h"
#include "ui/panels/inspector/page_links.h"
#include "ui/text/counted.h"
#include "ui/text/distinct_names.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct GroupPage {
  Q_DECLARE_TR_FUNCTIONS(GroupPage)
};

/// Number of tensors that are listed for a group.
constexpr std::size_t most_tensors = 5;
/// Number of characters to which the names of nodes are shortened.
constexpr qsizetype longest_name = 30;

/// A table of the operator types of `nodes` with the number of nodes, most frequent type first.
QString operator_counts(const Study& study, const std::vector<NodeId>& nodes) {
  std::map<std::string, int> counts;
  for (const NodeId id : nodes)
    ++counts[opened_operator(study, study.current->dataflow.origin(id))];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  QString rows;
  for (const auto& [type, count] : sorted) {
    rows += u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(page_html(type)).arg(count);
  }
  return u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">"_s + rows + u"</table>"_s;
}

/// The share of `nodes` in the operations of the step, in per cent.
double share_of_flops(const Study& study, const std::vector<NodeId>& nodes) {
  double flops = 0;
  for (const NodeId id : nodes) {
    if (study.current->dataflow.runs_origin(id)) {
      flops += study.sizes->work.flops[study.current->dataflow.origin(id)];
    }
  }
  return study.current->flops > 0 ? 100 * flops / study.current->flops : 0;
}

/// The names of the nodes, shortened such that they differ.
QStringList short_names(const Study& study, const std::vector<NodeId>& nodes) {
  QStringList names;
  for (const NodeId node : nodes) {
    names << shown(shown_name(study.graph(), study.current->dataflow, node));
  }
  const DistinctNames distinct(names);
  QStringList shortened;
  for (const QString& name : names) {
    shortened << distinct.shortened(
        name, [](const QString& text) { return text.size() <= longest_name; });
  }
  return shortened;
}

/// Says how many bytes other nodes stash in memory that the group allocated, and names one of these
/// nodes.
QString taken_over_text(const Study& study, const GroupMemory& memory) {
  const QString link =
      node_link(study, memory.others.front(), short_names(study, memory.others).front());
  const std::size_t more = memory.others.size() - 1;
  const QString by = more == 0 ? link
                               : GroupPage::tr("%1 and %2")
                                     .arg(link, counted(more, GroupPage::tr("1 other node"),
                                                        GroupPage::tr("%1 other nodes")));
  const QString bytes = bytes_text(memory.stashed_by_others);
  return more == 0 ? GroupPage::tr(
                         "%1 stashes %2 for backward in memory that it took over from this group")
                         .arg(by, bytes)
                   : GroupPage::tr(
                         "%1 stash %2 for backward in memory that they took over from this group")
                         .arg(by, bytes);
}

QString stash_text(const Study& study, const GroupMemory& memory) {
  QStringList lines;
  const std::int64_t own = memory.sum.stashed_bytes - memory.stashed_by_others;
  if (own > 0) lines << GroupPage::tr("stashes %1 for backward").arg(bytes_text(own));
  if (memory.stashed_elsewhere > 0) {
    lines << GroupPage::tr("stashes %1 for backward in the memory of other nodes")
                 .arg(bytes_text(memory.stashed_elsewhere));
  }
  if (memory.stashed_by_others > 0) lines << taken_over_text(study, memory);
  return lines.join(u"<br>"_s);
}

QString memory_line(const Study& study, const GroupMemory& memory) {
  QString at_peak =
      GroupPage::tr("its tensors take %1 at the peak").arg(bytes_text(memory.sum.peak_bytes));
  if (memory.given_bytes > 0) {
    at_peak = GroupPage::tr("%1, its parameters, inputs and optimizer states %2")
                  .arg(at_peak, bytes_text(memory.given_bytes));
  }
  const QString stash = stash_text(study, memory);
  return stash.isEmpty() ? at_peak : stash + u"<br>"_s + at_peak;
}

QString largest_tensors(const Study& study, const GroupMemory& memory) {
  const Timeline& timeline = study.current->timeline;
  std::vector<NodeId> makers;
  for (const GroupTensor& tensor : memory.largest) makers.push_back(tensor.maker);
  const QStringList names = short_names(study, makers);
  QString rows;
  qsizetype next = 0;
  for (const GroupTensor& tensor : memory.largest) {
    const Buffer& buffer = timeline.buffers[tensor.buffer];
    const QString slots =
        GroupPage::tr("slots %1–%2").arg(buffer.first_slot + 1).arg(buffer.last_slot + 1);
    rows += u"<tr><td>%1</td><td align=\"right\">%2</td></tr>"_s.arg(
        node_link(study, tensor.maker, names[next++]), bytes_text(tensor.bytes));
    rows += u"<tr><td colspan=\"2\"><small>%1</small></td></tr>"_s.arg(
        tensor.is_at_peak ? GroupPage::tr("%1, alive at the peak").arg(slots) : slots);
  }
  if (rows.isEmpty()) return {};
  return page_heading(GroupPage::tr("Largest tensors")) +
         u"<table width=\"100%\" cellspacing=\"0\" cellpadding=\"2\">%1</table>"_s.arg(rows);
}

}  // namespace

QString group_page(const Study& study, const Selection& selection) {
  const GroupMemory memory = group_memory(study, selection.nodes, most_tensors);
  const QString share =
      QString::fromStdString(format_fixed(share_of_flops(study, selection.nodes), 1));
  return u"<h3>%1</h3><p>%2</p><p>%3</p>"_s.arg(
             selection.title.toHtmlEscaped(),
             GroupPage::tr("%1, %2 % of the step's FLOPs")
                 .arg(counted(selection.nodes.size(), GroupPage::tr("1 node"),
                              GroupPage::tr("%1 nodes")),
                      share),
             memory_line(study, memory)) +
         largest_tensors(study, memory) + page_heading(GroupPage::tr("Operators")) +
         operator_counts(study, selection.nodes);
}

}  // namespace stashscope::ui
