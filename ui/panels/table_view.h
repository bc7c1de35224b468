#pragma once

#include <QTableView>

namespace stashscope::ui {

/// How all tables look and behave: whole rows, sorted by a click on a header, a sentence where
/// there are no rows.
class TableView : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  /// What is said while the table is empty.
  void set_invitation(const QString& invitation);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString invitation_;
};

}  // namespace stashscope::ui
