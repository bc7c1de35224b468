#pragma once

#include <QLocale>
#include <QStringList>

class QCoreApplication;

namespace stashscope::ui {

/// The folders that may contain translations: the folder of the program, the folder of installed
/// translations, and the program's resources.
QStringList translation_folders();

/// Loads `stashscope_<locale>.qm` from the first folder with a file for the locale, then the
/// translation of Qt's own dialogs. Returns whether a translation of the program was found.
bool load_translation(QCoreApplication& application, const QLocale& locale,
                      const QStringList& folders);

}  // namespace stashscope::ui
