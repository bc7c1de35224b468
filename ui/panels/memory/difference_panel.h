#pragma once

#include <QLabel>

#include "ui/document/document.h"
#include "ui/models/difference_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Measured and predicted memory and times of a run, the largest differences first.
class DifferencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DifferencePanel(Document& document, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void set_up_table();
  /// Computes nothing while the panel is hidden.
  void show_differences();
  QString summary(const Study& study, const Measurement& measured) const;

  Document& document_;
  DifferenceModel model_;
  QLabel* summary_;
  TableView* table_;
  bool stale_ = true;
};

}  // namespace stashscope::ui
