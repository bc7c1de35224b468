#include "ui/document/exports.h"

#include <QFileInfo>
#include <utility>
#include <variant>

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/report/page/page.h"
#include "core/report/page/page_moves.h"
#include "core/study/facts/exported_config.h"
#include "core/study/facts/pass_savings.h"
#include "core/study/facts/pytorch_plan.h"
#include "core/study/files/modified_model.h"
#include "core/study/step/fusion_table.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

void save_modified_model(Document& document, const QString& path) {
  if (document.study() == nullptr) return;
  document.files().write_in_background(Document::tr("Saved %1").arg(path),
                                       [study = document.study(), files = document.files().guard(),
                                        file = path.toStdString()]() mutable {
                                         files.claim_model(printable(file), file, "a model");
                                         stashscope::save_modified_model(*study, file);
                                       });
}

void save_report(Document& document, const QString& path) {
  if (document.study() == nullptr) return;
  std::optional<MeasuredPair> measured;
  if (const Measured* const runs = document.measured()) {
    measured = MeasuredPair{runs->runs, runs->largest_error};
  }
  document.files().write_in_background(
      Document::tr("Saved %1").arg(path),
      [study = document.study(), model = document.model_path().toStdString(),
       measured = std::move(measured), files = document.files().guard(),
       file = path.toStdString()]() mutable {
        files.claim(printable(file), file, "a report");
        ReportInput input{*study, model, std::move(measured)};
        input.passes = pass_savings(*study);
        input.fusions = fusion_table(*study, SearchedOrders::leave_out);
        add_moves(input);
        write_file_atomically(file, html_report(input));
      });
}

Failure nothing_to_export(const std::vector<std::string>& left_out) {
  QStringList why;
  for (const std::string& each : left_out) why << note_text(each);
  return {ErrorKind::usage,
          Document::tr("Nothing is exported, because a config string would hold no plan: %1")
              .arg(why.join(u"; "_s))};
}

/// Why the variables are not written to a file; nothing if they are.
std::optional<Failure> why_empty(const ExportedEnvironment& exported) {
  if (!exported.switches_nothing_on) return std::nullopt;
  if (!exported.left_out.empty()) return nothing_to_export(exported.left_out);
  return Failure{ErrorKind::usage,
                 Document::tr("Nothing to export: no plan is on. Tick plans in the Plans panel, or "
                              "let the planner choose them for a budget (Ctrl+B).")};
}

/// The variables for a file, or why there are none.
std::variant<ExportedEnvironment, Failure> environment_for(const Study& study,
                                                           const std::string& file) {
  ExportedEnvironment exported;
  if (auto failure = failure_of([&] { exported = exported_environment(study, file); })) {
    return *std::move(failure);
  }
  if (auto why = why_empty(exported)) return *std::move(why);
  return exported;
}

std::optional<Failure> why_no_environment(const Study& study) {
  const auto found = environment_for(study, {});
  const auto* const failure = std::get_if<Failure>(&found);
  return failure == nullptr ? std::nullopt : std::optional(*failure);
}

/// States which files were written, and how a training script uses them.
QStringList exported_message(const Study& study, const QString& path,
                             const ExportedEnvironment& exported) {
  const QString list = shown(config_file_beside(path.toStdString()));
  return {exported.config_file.empty() ? Document::tr("Exported %1").arg(path)
                                       : Document::tr("Exported %1 and %2").arg(path, list),
          Document::tr("the variables are for a script that wraps its model in ORTModule of ONNX "
                       "Runtime %1; run \"source %2\" in the shell before you start the script")
              .arg(shown(std::string(rules_of(study.choices.plans.search.reference).name)),
                   QFileInfo(path).fileName())};
}

void export_environment(Document& document, const QString& path) {
  if (document.study() == nullptr) return;
  const std::string file = path.toStdString();
  const auto found = environment_for(*document.study(), file);
  if (const auto* const failure = std::get_if<Failure>(&found)) {
    return document.notices().report(*failure);
  }
  const auto& exported = std::get<ExportedEnvironment>(found);
  QStringList message = exported_message(*document.study(), path, exported);
  for (const std::string& each : exported.left_out) message << note_text(each);
  document.files().write_file(path, message.join(u"; "_s),
                              [exported, files = document.files().guard(), file]() mutable {
                                const std::string config = config_file_beside(file);
                                if (!exported.config_file.empty()) {
                                  files.claim(printable(config), config, "the config file");
                                }
                                write_environment(exported, file);
                              });
}

void export_pytorch_plan(Document& document, const QString& path) {
  const std::shared_ptr<const Study> study = document.study();
  if (study == nullptr) return;
  std::string plan;
  const auto failure = failure_of([&] { plan = pytorch_plan(*study); });
  if (failure) return document.notices().report(*failure);
  document.files().write_plan(path, study, [plan = std::move(plan), file = path.toStdString()] {
    write_file_atomically(file, plan);
  });
}

}  // namespace stashscope::ui
