#pragma once

#include <QString>
#include <set>

#include "core/study/step/study.h"
#include "ui/document/selection.h"

namespace stashscope::ui {

/// Values whose readers the page lists in full; other lists of readers are shortened.
using OpenedLists = std::set<ValueId>;

/// The details of the selection as a page of rich text. The target of a link is `node:<id>`,
/// `tensor:<id>`, the URL of a Python file, or `readers:<id>`, which asks for all readers of a
/// value.
QString inspector_page(const Study& study, const Selection& selection,
                       const OpenedLists& opened = {});

/// Whether `file` is an absolute path that ends in `.py`. The links of a page open no other files.
bool names_python_file(const QString& file);

}  // namespace stashscope::ui
