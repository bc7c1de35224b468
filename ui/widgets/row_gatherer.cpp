#include "ui/widgets/row_gatherer.h"

#include <QElapsedTimer>

namespace stashscope::ui {

namespace {

constexpr int milliseconds_an_event = 8;
/// Minimum number of rows that an event gathers, however long they take.
constexpr qsizetype least_rows_an_event = 256;

}  // namespace

void RowGatherer::start(QAbstractItemView& view, const QHeaderView& header, Rows rows,
                        DataTaker take) {
  (new RowGatherer(view, header, std::move(rows), std::move(take)))->go_on();
}

RowGatherer::RowGatherer(QAbstractItemView& view, const QHeaderView& header, Rows rows,
                         DataTaker take)
    : QObject(&view), header_(header), list_rows_(std::move(rows)), take_(std::move(take)) {
  const QAbstractItemModel* const model = view.model();
  const auto start_again = [this] { writer_.reset(); };
  connect(model, &QAbstractItemModel::modelReset, this, start_again);
  connect(model, &QAbstractItemModel::layoutChanged, this, start_again);
  connect(model, &QAbstractItemModel::rowsInserted, this, start_again);
  connect(model, &QAbstractItemModel::rowsRemoved, this, start_again);
  connect(model, &QAbstractItemModel::dataChanged, this, start_again);
}

void RowGatherer::begin() {
  rows_ = list_rows_();
  next_ = 0;
  writer_.emplace(rows_, header_);
  text_ = writer_->titles();
}

void RowGatherer::go_on() {
  QElapsedTimer time;
  time.start();
  if (!writer_) begin();
  const qsizetype least = next_ + least_rows_an_event;
  while (next_ < rows_.size() && (next_ < least || time.elapsed() < milliseconds_an_event)) {
    text_ += writer_->record(rows_[next_++]);
  }
  if (next_ < rows_.size()) {
    QMetaObject::invokeMethod(this, &RowGatherer::go_on, Qt::QueuedConnection);
    return;
  }
  deleteLater();
  if (rows_.isEmpty()) return take_({});
  take_([text = std::move(text_)] { return text; });
}

}  // namespace stashscope::ui
