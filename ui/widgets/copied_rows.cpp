#include "ui/widgets/copied_rows.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/base/csv.h"
#include "core/base/text.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Property of a header: the list of the columns that are hidden for want of room; not set: none.
constexpr const char* no_room = "no_room";

struct CopiedRows {
  Q_DECLARE_TR_FUNCTIONS(CopiedRows)
};

/// The text without tabs and line ends, which would split the copied cell.
QString cell_text(const QModelIndex& index) { return index.data().toString().simplified(); }

QString tick_text(const QModelIndex& index) {
  const QVariant state = index.data(Qt::CheckStateRole);
  if (!state.isValid()) return {};
  switch (state.toInt()) {
    case Qt::Checked:
      return CopiedRows::tr("on");
    case Qt::Unchecked:
      return CopiedRows::tr("off");
    default:
      return CopiedRows::tr("partly");
  }
}

bool have_ticks(const QModelIndexList& rows) {
  return std::ranges::any_of(rows, [](const QModelIndex& row) {
    return row.siblingAtColumn(0).data(Qt::CheckStateRole).isValid();
  });
}

/// The fields of a cell or title: its exact value, or several if the value is a list.
void add_exact(std::vector<std::string>& fields, const QVariant& exact, const QVariant& shortened) {
  if (exact.typeId() == QMetaType::QStringList) {
    for (const QString& each : exact.toStringList()) fields.push_back(each.toStdString());
  } else if (exact.typeId() == QMetaType::Double) {
    fields.push_back(format_number(exact.toDouble()));
  } else {
    fields.push_back((exact.isValid() ? exact : shortened).toString().toStdString());
  }
}

/// The columns in the order of the model. If a view shows a column further to the left, the order
/// of the columns in files stays the same.
std::vector<int> in_order(std::vector<int> columns) {
  std::ranges::sort(columns);
  return columns;
}

int level_of(const QModelIndex& row) {
  int level = 0;
  for (QModelIndex each = row.parent(); each.isValid(); each = each.parent()) ++level;
  return level;
}

}  // namespace

void hide_for_room(QHeaderView& header, int column, bool is_hidden) {
  QVariantList hidden = header.property(no_room).toList();
  hidden.removeAll(column);
  if (is_hidden) hidden.append(column);
  header.setProperty(no_room, hidden);
  header.setSectionHidden(column, is_hidden);
}

std::vector<int> written_columns(const QHeaderView& header) {
  const QVariantList without_room = header.property(no_room).toList();
  std::vector<int> columns;
  for (int place = 0; place < header.count(); ++place) {
    const int column = header.logicalIndex(place);
    if (!header.isSectionHidden(column) || without_room.contains(column)) columns.push_back(column);
  }
  return columns;
}

CsvRows::CsvRows(const QModelIndexList& rows, const QHeaderView& header)
    : header_(header),
      columns_(in_order(written_columns(header))),
      has_ticks_(have_ticks(rows)),
      has_levels_(std::ranges::any_of(
          rows, [](const QModelIndex& row) { return row.parent().isValid(); })) {}

std::string CsvRows::titles() const {
  std::vector<std::string> fields;
  if (has_levels_) fields.push_back(CopiedRows::tr("Level").toStdString());
  if (has_ticks_) fields.push_back(CopiedRows::tr("On").toStdString());
  for (const int column : columns_) {
    const auto title = [&](int role) {
      return header_.model()->headerData(column, Qt::Horizontal, role);
    };
    add_exact(fields, title(exact_role), title(Qt::DisplayRole));
  }
  return csv_record(fields);
}

std::string CsvRows::record(const QModelIndex& row) const {
  std::vector<std::string> fields;
  if (has_levels_) fields.push_back(std::to_string(level_of(row)));
  if (has_ticks_) fields.push_back(tick_text(row.siblingAtColumn(0)).toStdString());
  for (const int column : columns_) {
    const QModelIndex cell = row.siblingAtColumn(column);
    add_exact(fields, cell.data(exact_role), cell.data());
  }
  return csv_record(fields);
}

QString rows_text(const QModelIndexList& rows, const QHeaderView& header) {
  if (rows.isEmpty()) return {};
  const std::vector<int> columns = written_columns(header);
  const bool has_ticks = have_ticks(rows);
  QStringList line;
  if (has_ticks) line << CopiedRows::tr("On");
  for (const int column : columns) {
    line << header.model()->headerData(column, Qt::Horizontal).toString();
  }
  QString text = line.join(u'\t') + u'\n';
  for (const QModelIndex& row : rows) {
    line.clear();
    if (has_ticks) line << tick_text(row.siblingAtColumn(0));
    for (const int column : columns) line << cell_text(row.siblingAtColumn(column));
    text += line.join(u'\t') + u'\n';
  }
  return text;
}

}  // namespace stashscope::ui
