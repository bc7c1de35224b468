#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "ui/document/planning.h"
#include "ui/panels/planner/search_options.h"
#include "ui/widgets/amount_field.h"

namespace stashscope::ui {

/// Searches for the largest size of a dimension with which the step fits into a given memory, and
/// shows the result: without plans, with the plans that are on, and with a plan made for each size.
class FitRow : public QWidget {
  Q_OBJECT

 public:
  /// @param options of the search for the plan of a single size; must outlive this widget
  FitRow(Document& document, Planning& planning, const SearchOptions& options,
         QWidget* parent = nullptr);

  void find();
  void focus_field();

 Q_SIGNALS:
  void answered();  ///< the text below the fields has changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void set_up_dimension();
  void connect_all();
  void list_dimensions();
  void show_state();
  void show_use();
  bool is_for_what_must_fit() const;
  QString state_text() const;
  static QString why_fixed();
  /// Why no size can vary in this model, and what to do.
  QString how_to_vary() const;
  void show_failure(const Failure& failure);
  void say(const QString& text);
  QString named(const QString& text) const;
  FitQuestion question() const;

  Document& document_;
  Planning& planning_;
  const SearchOptions& options_;
  QComboBox* dimension_;
  AmountField* memory_;
  QPushButton* find_;
  QLabel* answer_;
  QPushButton* use_;
};

}  // namespace stashscope::ui
