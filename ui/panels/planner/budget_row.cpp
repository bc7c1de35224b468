#include "ui/panels/planner/budget_row.h"

#include <QEvent>
#include <QSignalBlocker>

#include "core/base/text.h"
#include "ui/jobs/failure.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"
#include "ui/widgets/labelled_row.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int first_place = slider_end * 7 / 10;

QString percent_text(double percent) {
  return QString::fromStdString(format_number(std::round(10 * percent) / 10)) + u" %"_s;
}

}  // namespace

BudgetRow::BudgetRow(QWidget* parent)
    : QWidget(parent),
      slider_(new QSlider(Qt::Horizontal)),
      field_(new AmountField),
      hint_(new QLabel) {
  slider_->setObjectName(u"budget_slider"_s);
  slider_->setAccessibleName(tr("Budget as a share of the peak without plans"));
  slider_->setRange(0, slider_end);
  slider_->setSingleStep(slider_end / 100);
  slider_->setPageStep(slider_end / 20);
  field_->setObjectName(u"budget_field"_s);
  field_->setAccessibleName(tr("Budget"));
  field_->setToolTip(
      tr("Limit for the peak of the step: a size such as 12 (GiB) or 900 MB, a share such as 60% "
         "of the peak without plans, or how much of that peak to save, such as -4 (GiB). Press "
         "Return to search for a plan."));
  set_up_rich_label(*hint_, u"budget_hint"_s);
  hint_->setForegroundRole(QPalette::PlaceholderText);
  row_ = make_row_above(*this, *hint_, tr("&Budget"), *field_);
  row_->addWidget(slider_);
  row_->addWidget(field_);
  connect(slider_, &QSlider::valueChanged, this, &BudgetRow::take_slider);
  connect(field_, &QLineEdit::textEdited, this, &BudgetRow::take_text);
  connect(field_, &QLineEdit::editingFinished, this, &BudgetRow::insist);
  slider_->setValue(first_place);
}

void BudgetRow::set_peak(std::int64_t bytes) {
  peak_bytes_ = bytes;
  show_budget();
}

std::optional<std::int64_t> BudgetRow::bytes() const {
  if (!budget_) return std::nullopt;
  return budget_bytes(*budget_, peak_bytes_);
}

void BudgetRow::set_text(const QString& text) {
  field_->setText(text);
  take_text();
}

void BudgetRow::set_to_device(const QString& text) {
  if (is_of_device() && device_text_ == text) return;
  device_text_ = text;
  set_text(text);
}

void BudgetRow::reset() { set_text(percent_text(*budget_at(first_place).percent)); }

bool BudgetRow::is_reset() const {
  return field_->text() == percent_text(*budget_at(first_place).percent);
}

void BudgetRow::insist() {
  if (!fault_.isEmpty()) show_hint(fault_, true);
}

void BudgetRow::focus_field() {
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
}

void BudgetRow::add(QLabel& label, QWidget& control) {
  row_->addWidget(&label);
  row_->addWidget(&control);
  setTabOrder(field_, &control);
}

void BudgetRow::take_text() {
  budget_.reset();
  fault_.clear();
  const auto failure =
      failure_of([this] { budget_ = parse_budget(field_->amount().toStdString()); });
  if (failure) fault_ = failure->message;
  show_budget();
  Q_EMIT changed();
}

void BudgetRow::take_slider(int place) {
  budget_ = budget_at(place);
  fault_.clear();
  field_->setText(percent_text(*budget_->percent));
  show_budget();
  Q_EMIT changed();
}

void BudgetRow::show_budget() {
  // While the user types, an incomplete text is not shown as an error.
  if (!budget_)
    return show_hint(tr("Write the budget like 12GiB or 60%, or -4GiB to save 4 GiB"), false);
  const std::int64_t bytes = budget_bytes(*budget_, peak_bytes_);
  const QSignalBlocker quiet(slider_);
  slider_->setValue(slider_place(bytes, peak_bytes_));
  if (peak_bytes_ == 0) return show_hint({}, false);
  const double percent = 100 * static_cast<double>(bytes) / static_cast<double>(peak_bytes_);
  QString share = tr("%1 of %2, the peak without plans")
                      .arg(budget_->percent ? bytes_text(bytes) : percent_text(percent),
                           bytes_text(peak_bytes_));
  if (is_of_device()) share = tr("the memory of the device, %1").arg(share);
  show_hint(budget_->saved ? tr("%1, saves %2").arg(share, bytes_text(peak_bytes_ - bytes)) : share,
            false);
}

void BudgetRow::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && is_insisting_) insist();
}

void BudgetRow::show_hint(const QString& text, bool is_warning) {
  is_insisting_ = is_warning;
  hint_->setText(is_warning ? warning_text(text, palette()) : text.toHtmlEscaped());
}

}  // namespace stashscope::ui
