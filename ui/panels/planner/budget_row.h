#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSlider>

#include "ui/panels/planner/budget_input.h"

namespace stashscope::ui {

/// A slider and a field that state the same budget, and a line that says what it amounts to or what
/// is wrong with the text.
class BudgetRow : public QWidget {
  Q_OBJECT

 public:
  explicit BudgetRow(QWidget* parent = nullptr);

  /// Of the step without plans; shares are those of this one.
  void set_peak(std::int64_t bytes);
  /// Nothing while the text in the field makes no sense.
  std::optional<std::int64_t> bytes() const;
  QString text() const { return field_->text(); }
  /// As typed by the user.
  void set_text(const QString& text);
  /// Says what is wrong with the text, if anything is.
  void insist();
  void focus_field();

 Q_SIGNALS:
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void take_text();
  void take_slider(int place);
  void show_budget();
  void show_hint(const QString& text, bool is_warning);

  QSlider* slider_;
  QLineEdit* field_;
  QLabel* hint_;
  std::optional<BudgetInput> budget_;
  QString fault_;  ///< of the text; empty: none
  bool is_insisting_ = false;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace stashscope::ui
