#pragma once

#include <QLabel>

#include "ui/document/document.h"
#include "ui/models/difference_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// A table of the measured and predicted memory and times of each slot, and a summary. Until the
/// user sorts the table, the slots with the largest differences in memory come first.
class DifferencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DifferencePanel(Document& document, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void set_up_table();
  QString invitation() const;
  /// Updates the table and the summary if they are out of date.
  void show_differences();
  QString summary(const Study& study, const Measurement& measured) const;

  Document& document_;
  DifferenceModel model_;
  QLabel* summary_;
  TableView* table_;
  bool stale_ = true;
};

}  // namespace stashscope::ui
