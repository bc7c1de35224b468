#include "ui/window/translation.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

bool install(QCoreApplication& application, const QLocale& locale, const QString& name,
             const QString& folder) {
  auto* const translator = new QTranslator(&application);
  if (translator->load(locale, name, u"_"_s, folder)) {
    return application.installTranslator(translator);
  }
  delete translator;
  return false;
}

}  // namespace

QStringList translation_folders() {
  const QString program = QCoreApplication::applicationDirPath();
  return {program, program + u"/../share/stashscope/translations"_s, u":/translations"_s};
}

bool load_translation(QCoreApplication& application, const QLocale& locale,
                      const QStringList& folders) {
  for (const QString& folder : folders) {
    if (!install(application, locale, u"stashscope"_s, folder)) continue;
    install(application, locale, u"qtbase"_s, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    return true;
  }
  return false;
}

}  // namespace stashscope::ui
