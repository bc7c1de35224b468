#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "ui/document/planning.h"
#include "ui/widgets/amount_field.h"

namespace stashscope::ui {

/// Searches for the largest size of a dimension with which the step fits into a given memory, and
/// shows the result.
class FitRow : public QWidget {
  Q_OBJECT

 public:
  FitRow(Document& document, Planning& planning, QWidget* parent = nullptr);

  void find();
  void focus_field();

 Q_SIGNALS:
  void answered();  ///< the text below the fields has changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void list_dimensions();
  void show_state();
  static QString why_fixed();
  void show_failure(const Failure& failure);
  void say(const QString& text);
  FitQuestion question() const;

  Document& document_;
  Planning& planning_;
  QComboBox* dimension_;
  AmountField* memory_;
  QPushButton* find_;
  QLabel* answer_;
};

}  // namespace stashscope::ui
