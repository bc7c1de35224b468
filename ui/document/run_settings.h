#pragma once

#include <QString>
#include <QStringList>

#include "core/study/measured/measure.h"

namespace stashscope::ui {

/// The run settings that the user chose last, kept across runs of the program.
RunRequest remembered_request();
void remember_request(const RunRequest& request);

/// The machines chosen last for runs, newest first, as `user@host:port`.
QStringList recent_hosts();
void add_recent_host(const QString& host);

}  // namespace stashscope::ui
