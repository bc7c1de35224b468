#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "core/base/progress.h"

namespace stashscope::ui {

/// A `Progress` for a job on another thread. `take` is called on the thread of `receiver`, at most
/// once in 40 ms, and not after `receiver` is destroyed.
Progress progress_to(QObject* receiver, std::function<void(double, const QString&)> take);

}  // namespace stashscope::ui
