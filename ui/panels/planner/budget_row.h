#pragma once

#include <QLabel>
#include <QSlider>

#include "ui/panels/planner/budget_slider.h"
#include "ui/widgets/amount_field.h"
#include "ui/widgets/flow_layout.h"

namespace stashscope::ui {

/// A slider and a text field for the same budget. A line below them compares the budget with the
/// peak without plans, or shows the error in the text.
class BudgetRow : public QWidget {
  Q_OBJECT

 public:
  explicit BudgetRow(QWidget* parent = nullptr);

  /// Sets the peak of the step without plans. A budget in percent is a share of this peak.
  void set_peak(std::int64_t bytes);
  /// The budget in bytes; nothing while the text in the field is not a budget.
  std::optional<std::int64_t> bytes() const;
  QString text() const { return field_->text(); }
  /// Has the same effect as typing the text into the field.
  void set_text(const QString& text);
  /// Sets the budget to the memory of the device. The line below says so, until the user sets
  /// another budget.
  void set_to_device(const QString& text);
  /// Whether the budget is the one that `set_to_device` set last.
  bool is_of_device() const { return !device_text_.isEmpty() && text() == device_text_; }
  /// Sets the default budget, which holds for a model until the user sets one.
  void reset();
  /// Whether the budget is the default budget.
  bool is_reset() const;
  /// The error in the text of the field; empty: no error.
  const QString& fault() const { return fault_; }
  /// Shows the error in the text of the field, if the text has an error.
  void insist();
  void focus_field();
  /// Adds a control and its label behind the field.
  void add(QLabel& label, QWidget& control);

 Q_SIGNALS:
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void take_text();
  void take_slider(int place);
  void show_budget();
  void show_hint(const QString& text, bool is_warning);

  FlowLayout* row_;
  QSlider* slider_;
  AmountField* field_;
  QLabel* hint_;
  std::optional<BudgetInput> budget_;
  QString device_text_;  ///< the last text of `set_to_device`
  QString fault_;        ///< error in the text of the field; empty: no error
  bool is_insisting_ = false;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace stashscope::ui
