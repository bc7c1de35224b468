#pragma once

#include <QLocale>
#include <QStringList>

class QCoreApplication;

namespace stashscope::ui {

/// Where translations are looked for: beside the program, where it is installed, in its resources.
QStringList translation_folders();

/// Shows texts in the user's language where there is a `stashscope_<locale>.qm` in one of the
/// folders; those of dialogs that Qt makes follow. Says whether there was one.
bool load_translation(QCoreApplication& application, const QLocale& locale,
                      const QStringList& folders);

}  // namespace stashscope::ui
