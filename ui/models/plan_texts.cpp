#include "ui/models/plan_texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>

#include "core/study/facts/plans_on.h"
#include "ui/text/counted.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

struct Plans {
  Q_DECLARE_TR_FUNCTIONS(Plans)
};

constexpr std::size_t most_listed = 12;

using Counts = std::map<QString, int>;

/// A text such as `Conv (53), MaxPool (1)`, the most frequent name first.
QString counts_text(const Counts& counts) {
  std::vector<std::pair<QString, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  QStringList parts;
  for (const auto& [name, count] : sorted) parts << u"%1 (%2)"_s.arg(name).arg(count);
  return parts.join(u", "_s);
}

/// How often searches for plans stopped at each operator, by the rule that stopped them.
std::map<QString, Counts> obstacle_counts(const Study& study) {
  std::map<QString, Counts> counts;
  for (const Obstacle& obstacle : study.opportunities->obstacles) {
    const NodeId at = obstacle.stopped_at.valid() ? obstacle.stopped_at : obstacle.entry;
    ++counts[shown(obstacle.rule)][shown(study.graph().node(at).op_type)];
  }
  return counts;
}

}  // namespace

QString plan_text(const PlanRow& row) {
  if (is_searched(row.type)) return shown(row.config);
  const Strategy& how = strategy_of(row.type);
  const QString name = shown(std::string(how.name));
  return (how.lossy ? Plans::tr("%1 (lossy) %2") : Plans::tr("%1 %2")).arg(name, shown(row.config));
}

QString plan_tip(const PlanRow& row) {
  const Strategy& how = strategy_of(row.type);
  QString tip = shown(row.config) + u"\n"_s + shown(std::string(how.description));
  if (how.lossy) tip += u"\n"_s + Plans::tr("Lossy: the results of the step may change.");
  if (!is_searched(row.type))
    tip += u"\n"_s + Plans::tr("ONNX Runtime does not know this type of plan.");
  return tip;
}

bool ignores_counts(const Study& study, const PlanRow& row) {
  if (study.graph().data().captured || !is_searched(row.type) || row.frequency < 2) return false;
  return rules_of(study.choices.plans.search.reference).ignores_counts;
}

QString count_note(const Study& study, const PlanRow& row) {
  if (!ignores_counts(study, row)) return {};
  const QString version = QString::fromUtf8(rules_of(study.choices.plans.search.reference).name);
  return row.on && row.applied < row.frequency
             ? Plans::tr("ONNX Runtime %1 ignores counts: it recomputes all %2 places, not %3.")
                   .arg(version)
                   .arg(row.frequency)
                   .arg(row.applied)
             : Plans::tr("ONNX Runtime %1 ignores counts: it recomputes all places or none.")
                   .arg(version);
}

QString switch_text(PlanType type, const QString& what, bool on) {
  if (!on) return Plans::tr("Keep %1").arg(what);
  switch (type) {
    case PlanType::offload:
      return Plans::tr("Offload %1").arg(what);
    case PlanType::compress:
      return Plans::tr("Compress %1").arg(what);
    default:
      return Plans::tr("Recompute %1").arg(what);
  }
}

QString node_text(const Graph& graph, NodeId node) {
  const Node& named = graph.node(node);
  return shown(named.name.empty() ? named.op_type : named.name);
}

QString occurrence_tip(const Graph& graph, const Occurrence& occurrence) {
  QStringList lines;
  for (const NodePlan* const part : occurrence.parts) {
    const Strategy& how = strategy_of(part->type);
    lines << u"%1 (%2): %3"_s.arg(node_text(graph, part->node),
                                  shown(graph.node(part->node).op_type),
                                  shown(std::string(how.name)));
    for (const NodeId node : part->subgraph) {
      if (node != part->node) lines << u"  "_s + node_text(graph, node);
    }
  }
  if (static_cast<std::size_t>(lines.size()) > most_listed) {
    lines = lines.mid(0, most_listed) << u"…"_s;
  }
  return lines.join(u'\n');
}

QString obstacle_text(const Graph& graph, const UnplannedTensor& tensor) {
  if (!tensor.stopped_at.valid()) return shown(tensor.rule);
  return Plans::tr("%1, at %2 (%3)")
      .arg(shown(tensor.rule), node_text(graph, tensor.stopped_at),
           shown(graph.node(tensor.stopped_at).op_type));
}

QString plans_on_text(const Study& study, const std::vector<const PlanRow*>& listed) {
  const auto on = static_cast<std::size_t>(
      std::ranges::count_if(listed, [](const PlanRow* row) { return row->on; }));
  const std::size_t unlisted = plans_on(study, study.config).size() - on;
  QString text = Plans::tr("%1 of %2 on")
                     .arg(on)
                     .arg(counted(listed.size(), Plans::tr("1 plan"), Plans::tr("%1 plans")));
  if (unlisted > 0) text = Plans::tr("%1, and %2 on under More types").arg(text).arg(unlisted);
  const auto ignored = std::ranges::count_if(listed, [&](const PlanRow* row) {
    return row->on && row->applied < row->frequency && ignores_counts(study, *row);
  });
  if (ignored == 0) return text;
  return text + u" · "_s +
         Plans::tr("ONNX Runtime %1 ignores the counts of %2")
             .arg(QString::fromUtf8(rules_of(study.choices.plans.search.reference).name),
                  counted(static_cast<std::size_t>(ignored), Plans::tr("1 plan"),
                          Plans::tr("%1 plans")));
}

QString one_of_text(const QStringList& plans) {
  constexpr qsizetype most_named = 3;
  return plans.size() > most_named
             ? Plans::tr("One of %1, such as %2").arg(plans.size()).arg(plans.front())
             : Plans::tr("One of %1: %2").arg(plans.size()).arg(plans.join(Plans::tr(" or ")));
}

QString no_plans_text(const Study& study) {
  const std::string& no_backward = study.prepared->step.no_backward;
  if (!no_backward.empty())
    return Plans::tr("No plans, since there is no backward pass: %1.").arg(note_text(no_backward));
  if (study.graph().data().captured) {
    return Plans::tr(
        "No plans: in this captured step, no module can run again in backward to free memory.");
  }
  if (!study.prepared->step.boundary.known()) {
    return Plans::tr("No plans: the model does not mark where backward begins.");
  }
  if (study.opportunities->obstacles.empty()) {
    return Plans::tr("No plans: backward reads nothing that forward computes.");
  }
  QString text =
      Plans::tr(
          "No plans: by the rules of ONNX Runtime %1, which are chosen below, none of the "
          "stashed activations can be recomputed. More types lists plans that offload or "
          "compress them.")
          .arg(QString::fromUtf8(rules_of(study.choices.plans.search.reference).name));
  for (const auto& [rule, counts] : obstacle_counts(study)) {
    text += u"\n\n"_s + counts_text(counts) + u": "_s + rule;
  }
  return text + u"\n\n"_s +
         Plans::tr(
             "By default, only operators that ONNX Runtime lists as cheap can be recomputed.");
}

}  // namespace stashscope::ui
