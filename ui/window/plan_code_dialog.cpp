#include "ui/window/plan_code_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "core/study/facts/pytorch_plan.h"
#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/code_lines.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int dialog_width = 660;

QLabel* make_text(const QString& text) {
  auto* const label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

QString where_it_goes() {
  return PlanCodeDialog::tr(
      "Put the lines after the code that makes the model and before the first step. The lines can "
      "come before or after the optimizer, torch.compile and fully_shard (FSDP2), because "
      "parameters and names stay as they are. stashscope.remove(model) removes the plan.");
}

/// `batch 36, sequence 1024`.
QString sizes_text(const std::vector<CapturedSize>& sizes, std::int64_t CapturedSize::*which) {
  QStringList texts;
  for (const CapturedSize& each : sizes) {
    texts << u"%1 %2"_s.arg(shown(each.name)).arg(each.*which);
  }
  return texts.join(u", "_s);
}

/// The sizes that the plan was made for; empty if the step has no named sizes.
QString sizes_of_plan(const Study& study) {
  const std::vector<CapturedSize> sizes = captured_sizes(study);
  if (sizes.empty()) return {};
  const QString chosen = sizes_text(sizes, &CapturedSize::chosen);
  const bool is_changed = std::ranges::any_of(
      sizes, [](const CapturedSize& each) { return each.chosen != each.captured; });
  if (!is_changed) return PlanCodeDialog::tr("The plan was made for %1, as captured.").arg(chosen);
  return PlanCodeDialog::tr(
             "The plan was made for %1; the step was captured with %2. Your script must train with "
             "%1: with other sizes the plan works, but its peak differs.")
      .arg(chosen, sizes_text(sizes, &CapturedSize::captured));
}

QString how_to_check(const Study& study) {
  const std::vector<CapturedSize> sizes = captured_sizes(study);
  const QString at_sizes =
      sizes.empty() ? QString()
                    : PlanCodeDialog::tr(" at %1").arg(sizes_text(sizes, &CapturedSize::chosen));
  const QString same_options =
      capture_options(study)
          ? QString()
          : PlanCodeDialog::tr(
                " This file does not record how it was captured: give the same options, such as "
                "kernels, warm_up and dims.");
  return PlanCodeDialog::tr(
             "To check the plan, capture the step with the plan%1 and open the captured file: its "
             "peak must be %2, as this window predicts. On a GPU, "
             "torch.cuda.max_memory_allocated() returns the peak of a real step.")
             .arg(at_sizes, bytes_text(study.current->timeline.peak_bytes)) +
         same_options;
}

QString second_way() {
  return PlanCodeDialog::tr(
      "To train without the package, print the same plan as plain code of PyTorch and paste it "
      "into the script. The plain code makes no checks:");
}

/// A path as a string of Python.
QString quoted(QString path) {
  path.replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s);
  return u'"' + path + u'"';
}

}  // namespace

QString code_to_apply(const QString& path) {
  return u"import stashscope\n\nstashscope.apply(model, %1)\n"_s.arg(
      quoted(QFileInfo(path).absoluteFilePath()));
}

QString code_to_print(const QString& path) {
  return u"import stashscope\n\nprint(stashscope.Plan.load(%1).code())\n"_s.arg(
      quoted(QFileInfo(path).absoluteFilePath()));
}

QString code_to_check(const Study& study) {
  const std::string options = capture_options(study).value_or("");
  return u"stashscope.capture(step, \"planned.onnx\"%1)\n"_s.arg(shown(options));
}

PlanCodeDialog::PlanCodeDialog(const Study& study, const QString& path, QWidget* parent)
    : QDialog(parent) {
  setObjectName(u"plan_code_dialog"_s);
  setWindowTitle(tr("The plan in your script"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* const layout = new QVBoxLayout(this);
  layout->setSpacing(spacing_unit);
  const QString exported = tr("Exported %1. These lines put it to use:").arg(path);
  layout->addWidget(make_text(study.applied.empty() ? tr("No plan is on. ") + exported : exported));
  layout->addWidget(make_code(u"apply_code"_s, code_to_apply(path)));
  layout->addWidget(make_text(where_it_goes()));
  const QString sizes = sizes_of_plan(study);
  if (!sizes.isEmpty()) layout->addWidget(make_text(sizes));
  layout->addWidget(make_text(how_to_check(study)));
  layout->addWidget(make_code(u"check_code"_s, code_to_check(study)));
  layout->addWidget(make_text(second_way()));
  layout->addWidget(make_code(u"plain_code"_s, code_to_print(path)));
  layout->addWidget(buttons);
  resize(dialog_width, layout->heightForWidth(dialog_width));
}

QWidget* PlanCodeDialog::make_code(const QString& name, const QString& code) {
  auto* const row = new QWidget;
  QLabel* const lines = make_code_lines(name, code.trimmed());
  lines->setWordWrap(true);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, 0, 0, 0);
  layout->addWidget(lines, 1);
  layout->addWidget(make_copy_button(u"copy_"_s + name, tr("Copy"), code), 0, Qt::AlignTop);
  return row;
}

}  // namespace stashscope::ui
