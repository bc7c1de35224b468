#include "ui/panels/history/history_model.h"

#include <QFont>
#include <algorithm>

#include "ui/document/choice_command.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

HistoryModel::HistoryModel(Document& document, QObject* parent)
    : TableModel({{tr("Choice"), tr("Click a row to go back or forward to its choice"), false},
                  {tr("Peak"), tr("Peak of the step with this choice"), true, bytes_unit()},
                  {tr("Change"), tr("Change of the peak from the previous row"), true}},
                 parent),
      document_(document) {
  connect(&document_, &Document::opened, this, [this] { known_.clear(); });
  connect(&document_, &Document::study_changed, this, &HistoryModel::learn_peak);
  connect(&document_.undo_stack(), &QUndoStack::indexChanged, this, &HistoryModel::show_stack);
}

void HistoryModel::show_stack() {
  const int rows = document_.study() == nullptr ? 0 : document_.undo_stack().count() + 1;
  if (rows == rows_) return cells_changed();
  beginResetModel();
  rows_ = rows;
  endResetModel();
}

void HistoryModel::learn_peak() {
  const Study& study = *document_.study();
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const KnownPeak& each) {
    return each.choices == study.choices;
  });
  if (known == known_.end()) {
    known_.push_back({study.choices, study.current->timeline.peak_bytes});
  }
  show_stack();
}

const Choices& HistoryModel::choices_at(int row) const {
  const QUndoStack& stack = document_.undo_stack();
  if (row == stack.index()) return document_.choices();
  // The undo commands hold the choices of the other rows, before and after each command.
  const auto& command = static_cast<const ChoiceCommand&>(
      *(row < stack.count() ? stack.command(row) : stack.command(row - 1)));
  return row < stack.count() ? command.before() : command.after();
}

std::optional<std::int64_t> HistoryModel::peak_at(int row) const {
  const Choices& choices = choices_at(row);
  for (const KnownPeak& each : known_) {
    if (each.choices == choices) return each.bytes;
  }
  return std::nullopt;
}

QVariant HistoryModel::cell(int row, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::ToolTipRole:
      return text(row, Column::choice);
    case exact_role:
      if (const auto peak = peak_at(row); peak && column == Column::peak) {
        return static_cast<qlonglong>(*peak);
      }
      return {};
    case Qt::FontRole:
      if (row == current_row()) {
        QFont font;
        font.setBold(true);
        return font;
      }
      return {};
    default:
      return {};
  }
}

QString HistoryModel::name_at(int row) const {
  return row == 0 ? tr("As opened") : document_.undo_stack().text(row - 1);
}

QString HistoryModel::text(int row, int column) const {
  if (column == Column::choice) return name_at(row);
  const auto peak = peak_at(row);
  if (!peak) return {};
  if (column == Column::peak) return bytes_text(*peak);
  const auto before = row == 0 ? std::nullopt : peak_at(row - 1);
  return before ? change_text(*before, *peak) : QString();
}

}  // namespace stashscope::ui
