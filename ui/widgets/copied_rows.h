#pragma once

#include <QHeaderView>
#include <QModelIndexList>
#include <QString>
#include <string>
#include <vector>

namespace stashscope::ui {

/// The rows as tab-separated text for spreadsheets, below a line of column titles. Contains the
/// `written_columns`, and a separate column for ticks if the rows have ticks. Empty without rows.
QString rows_text(const QModelIndexList& rows, const QHeaderView& header);

/// Item role of the exact value of a cell whose text is shortened: bytes or seconds. As header
/// data, the role gives the title with the unit. If the value is a list of texts and the header has
/// a list of as many titles, the texts fill several columns.
constexpr int exact_role = Qt::UserRole + 2;

/// The rows as CSV with exact values. The columns are those of `rows_text`, but in the order of the
/// model. If rows of a tree have parents, a further column gives the level of each row.
class CsvRows {
 public:
  /// @param rows all rows that are written
  CsvRows(const QModelIndexList& rows, const QHeaderView& header);

  std::string titles() const;
  std::string record(const QModelIndex& row) const;

 private:
  const QHeaderView& header_;
  std::vector<int> columns_;
  bool has_ticks_;
  bool has_levels_;
};

/// Hides a column while there is no room for it, or shows it again. A column that is hidden in this
/// way is still copied and saved.
void hide_for_room(QHeaderView& header, int column, bool is_hidden);

/// The columns in screen order. A column that is hidden for want of room is among them; a column
/// that is hidden for another reason is not.
std::vector<int> written_columns(const QHeaderView& header);

}  // namespace stashscope::ui
