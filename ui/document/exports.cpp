#include "ui/document/exports.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/study/facts/exported_config.h"
#include "core/study/files/modified_model.h"

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

void export_environment(Document& document, const QString& path) {
  const std::shared_ptr<const Study> study = document.study();
  if (study == nullptr) return;
  const std::string file = path.toStdString();
  QStringList message = {Document::tr("Exported %1").arg(path)};
  for (const std::string& each : exported_environment(*study, config_file_beside(file)).left_out) {
    message << QString::fromStdString(to_valid_utf8(each));
  }
  document.files().write_file(path, message.join(u"; "_s),
                              [study, files = document.files().guard(), file]() mutable {
                                const std::string config = config_file_beside(file);
                                files.claim(printable(config), config, "the config file");
                                stashscope::export_environment(*study, file);
                              });
}

}  // namespace stashscope::ui
