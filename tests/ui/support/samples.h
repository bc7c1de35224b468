#pragma once

#include <QString>
#include <QTest>
#include <functional>
#include <ostream>

#include "tests/support/sanitizer.h"

/// Prints texts in test failures. GoogleTest finds it only in the namespace of the type.
inline void PrintTo(const QString& text, std::ostream* out) { *out << text.toStdString(); }

namespace stashscope::ui::test {

inline QString sample(const QString& name) {
  return QStringLiteral(STASHSCOPE_SAMPLES "/") + name + QStringLiteral(".onnx");
}

inline QString shared_models() { return QStringLiteral(STASHSCOPE_SHARED "/models"); }

inline QString shared_model(const QString& name) {
  return shared_models() + QStringLiteral("/full/") + name + QStringLiteral(".onnx");
}

/// Long enough for the slowest build on a busy machine; only failing tests wait that long.
constexpr int patience = stashscope::test::sanitized ? 240'000 : 30'000;  // milliseconds

/// Handles events until the condition holds; false if `patience` ends before.
inline bool comes_true(const std::function<bool()>& condition) {
  return QTest::qWaitFor(condition, patience);
}

}  // namespace stashscope::ui::test
