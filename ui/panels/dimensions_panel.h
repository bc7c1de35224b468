#pragma once

#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>
#include <vector>

#include "ui/document/document.h"

namespace stashscope::ui {

/// One spin box for each dimension of the model; everything follows a change.
class DimensionsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DimensionsPanel(Document& document, QWidget* parent = nullptr);

 private:
  /// The widgets of one dimension.
  struct Row {
    QString name;
    QSpinBox* value = nullptr;
    QLabel* note = nullptr;
  };

  void show_study();
  void rebuild(const std::vector<Dimension>& dimensions);
  Row make_row(const Dimension& dimension);
  static void update_row(const Row& row, const Dimension& dimension);
  void set_dimension(const QString& name, int value);

  Document& document_;
  QVBoxLayout* rows_layout_;
  std::vector<Row> rows_;
};

}  // namespace stashscope::ui
