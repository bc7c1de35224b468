#pragma once

#include <QAbstractItemView>
#include <QHeaderView>
#include <optional>

#include "ui/pictures/picture.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui {

/// Gathers the rows of a table or tree as CSV, on the interface thread, to which the cells belong.
/// Works in short events, however many rows there are. Starts again if the rows change meanwhile.
/// Deletes itself at the end, or is destroyed with the view if the view is destroyed earlier.
class RowGatherer : public QObject {
  Q_OBJECT

 public:
  using Rows = std::function<QModelIndexList()>;

  /// The data of a table with up to 256 rows is passed to `take` before this function returns.
  static void start(QAbstractItemView& view, const QHeaderView& header, Rows rows, DataTaker take);

 private:
  RowGatherer(QAbstractItemView& view, const QHeaderView& header, Rows rows, DataTaker take);

  void begin();
  void go_on();

  const QHeaderView& header_;
  const Rows list_rows_;
  const DataTaker take_;
  QModelIndexList rows_;
  qsizetype next_ = 0;
  std::optional<CsvRows> writer_;  ///< not set: the next event begins with the first row
  std::string text_;
};

}  // namespace stashscope::ui
