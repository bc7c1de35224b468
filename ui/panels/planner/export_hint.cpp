#include "ui/panels/planner/export_hint.h"

#include "core/study/step/plan_effects.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

ExportHint::ExportHint(Document& document, QWidget* parent) : QLabel(parent), document_(document) {
  set_up_rich_label(*this, u"export_hint"_s);
  hide();
  connect(&document_, &Document::study_changed, this, &ExportHint::ask);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &ExportHint::ask);
}

/// Computes nothing during a run or a search, because this would slow them down.
void ExportHint::ask() {
  answers_.cancel();
  hide();
  const std::shared_ptr<const Study> study = document_.study();
  if (study == nullptr || study->config.empty()) return;
  if (!document_.why_wait().isEmpty()) return;
  if (changes_model(*study)) return show_changes();
  answers_.ask([study](const Progress& progress) { return exported_effect(*study, progress); },
               [this, study](const std::optional<Effect>& effect) {
                 if (effect && study == document_.study()) show_effect(*study, *effect);
               });
}

void ExportHint::show_changes() {
  setText(planner_paragraph(
      tr("A config string leaves out the passes and what-ifs that are on. Without them, the peak "
         "is another one, and plans may apply to no node.")));
  show();
}

void ExportHint::show_effect(const Study& study, const Effect& effect) {
  setVisible(effect.has_value());
  if (!effect) return;
  const QString reader = tr("ONNX Runtime %1").arg(shown(std::string(effect->version)));
  const QString runs =
      effect->ignores_counts
          ? tr("%1 ignores counts. With the config string of these plans, its step has")
          : tr("%1 cannot read all of these plans. With their config string, its step has");
  setText(planner_paragraph(
      tr("%1 a peak of <b>%2</b>, %3. To run the plans as they are shown, save the model.")
          .arg(runs.arg(reader), bytes_text(effect->peak_bytes),
               more_time_text(effect->extra_seconds, step_seconds(study, *study.baseline)))));
}

}  // namespace stashscope::ui
