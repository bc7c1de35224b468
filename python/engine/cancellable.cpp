#include "python/engine/cancellable.h"

namespace stashscope::python {

bool has_raising_signal() { return PyErr_CheckSignals() != 0; }

}  // namespace stashscope::python
