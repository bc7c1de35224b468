#pragma once

#include <QString>
#include <QStringList>

#include "core/study/measured/measure.h"

namespace stashscope::ui {

/// What the user chose for runs last, kept across runs of the program.
RunRequest remembered_request();
void remember_request(const RunRequest& request);

/// Machines that runs were asked for, the last one first, as `user@host:port`.
QStringList recent_hosts();
void add_recent_host(const QString& host);

}  // namespace stashscope::ui
