#include "ui/jobs/failure.h"

#include <QCoreApplication>
#include <new>

#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

std::optional<Failure> failure_of(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.kind(), note_text(error.what())};
  } catch (const std::bad_alloc&) {
    return Failure{ErrorKind::run, QCoreApplication::translate(
                                       "Failure", "Out of memory; choose smaller dimensions")};
  } catch (const std::exception& error) {
    return Failure{
        ErrorKind::run,
        QCoreApplication::translate("Failure", "Internal fault: %1").arg(shown(error.what()))};
  }
}

}  // namespace stashscope::ui
