#include "ui/models/step_model.h"

#include <QFont>
#include <algorithm>

#include "core/study/choices/node_names.h"
#include "core/study/facts/opened_operator.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

StepModel::StepModel(QObject* parent)
    : StudyModel(
          {{tr("Slot"), {}, true},
           {tr("Node"), tr("The node that runs in this slot; bold if you moved it"), false},
           {tr("Operator"), {}, false},
           {tr("Alive"), tr("Bytes alive while the node runs; the bar is the share of the peak"),
            true, bytes_unit()},
           {tr("Group"), tr("Group of fused nodes"), false}},
          parent) {}

QVariant StepModel::cell(int row, int column, int role) const {
  const Timeline& timeline = study().current->timeline;
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::ToolTipRole:
      return tool_tip(row, column);
    case Qt::FontRole:
      if (column == Column::node && is_moved(node_at(row))) {
        QFont bold;
        bold.setBold(true);
        return bold;
      }
      return {};
    case share_role:
      if (column != Column::live || timeline.peak_bytes == 0) return {};
      return static_cast<double>(live_bytes(row)) / static_cast<double>(timeline.peak_bytes);
    case exact_role:
      if (column != Column::live) return {};
      return static_cast<qlonglong>(live_bytes(row));
    default:
      return {};
  }
}

QString StepModel::text(int row, int column) const {
  const Variant& current = *study().current;
  const NodeId at = node_at(row);
  switch (column) {
    case Column::step:
      return QString::number(row + 1);
    case Column::node:
      return node_text(study(), at);
    case Column::op:
      return shown(opened_operator(study(), current.dataflow.origin(at)));
    case Column::live:
      return peak_text(live_bytes(row), current.timeline.peak_bytes, unit());
    default: {
      const FusedGroupId group = current.groups.of(at);
      return group.valid() ? QString::number(group.index() + 1) : QString();
    }
  }
}

QString StepModel::tool_tip(int row, int column) const {
  if (column == Column::node) return text(row, column);
  if (column == Column::live) return exact_bytes_text(live_bytes(row));
  const FusedGroupId group = study().current->groups.of(node_at(row));
  if (column != Column::group || !group.valid()) return {};
  QStringList names;
  for (const NodeId member : study().current->groups.members[group]) {
    names << node_text(study(), member);
  }
  return tr("Fused nodes: %1").arg(names.join(QStringLiteral(", ")));
}

bool StepModel::is_moved(NodeId node) const {
  const auto& moves = study().choices.order.moves;
  if (moves.empty()) return false;
  const std::string name = shown_name(study().graph(), study().current->dataflow, node);
  return std::ranges::any_of(moves, [&](const OrderMove& move) { return move.node == name; });
}

QString node_text(const Study& study, NodeId node) {
  return shown(shown_name(study.graph(), study.current->dataflow, node));
}

QString short_node_text(const Study& study, NodeId node) {
  return node_text(study, node).section(u'/', -1, -1, QString::SectionSkipEmpty);
}

QString obstacle_text(const Study& study, const MoveObstacle& obstacle) {
  const QString name = short_node_text(study, obstacle.node);
  switch (obstacle.kind) {
    case MoveObstacle::Kind::producer:
      return StepModel::tr("an input of the node is made by %1 in slot %2")
          .arg(name)
          .arg(obstacle.step + 1);
    case MoveObstacle::Kind::reader:
      return StepModel::tr("an output of the node is read by %1 in slot %2")
          .arg(name)
          .arg(obstacle.step + 1);
    default:
      return StepModel::tr("the group of %1 would be split").arg(name);
  }
}

}  // namespace stashscope::ui
