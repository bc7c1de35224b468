#pragma once

#include <QStringList>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// Name, shape with the sizes in force, role and bytes of a buffer of the current variant, the most
/// important first. Can be called on any thread.
QStringList buffer_facts(const Study& study, BufferId buffer);

}  // namespace stashscope::ui
