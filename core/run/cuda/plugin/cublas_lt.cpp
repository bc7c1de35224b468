#include "core/run/cuda/plugin/cublas_lt.h"

#include "core/base/shared_library.h"
#include "core/run/cuda/plugin/check.h"

namespace stashscope::cuda {

namespace {

/// The file name of cuBLASLt in the major version of the headers with which the plugin is built.
std::string cublas_lt_name() { return "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR); }

}  // namespace

const CublasLt& CublasLt::get() {
  static const CublasLt functions = [] {
    const SharedLibrary library({cublas_lt_name()});
    if (!library.is_open()) {
      fail_run(device_place, "cuBLASLt cannot be opened: " + printable(library.failure()));
    }
    CublasLt found;
    found.create = library.get<decltype(cublasLtCreate)>("cublasLtCreate");
    found.destroy = library.get<decltype(cublasLtDestroy)>("cublasLtDestroy");
    found.version = library.get<decltype(cublasLtGetVersion)>("cublasLtGetVersion");
    found.status_string = library.get<decltype(cublasLtGetStatusString)>("cublasLtGetStatusString");
    found.matmul = library.get<decltype(cublasLtMatmul)>("cublasLtMatmul");
    found.get_heuristic =
        library.get<decltype(cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic");
    found.create_description =
        library.get<decltype(cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate");
    found.destroy_description =
        library.get<decltype(cublasLtMatmulDescDestroy)>("cublasLtMatmulDescDestroy");
    found.set_description =
        library.get<decltype(cublasLtMatmulDescSetAttribute)>("cublasLtMatmulDescSetAttribute");
    found.create_layout =
        library.get<decltype(cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate");
    found.destroy_layout =
        library.get<decltype(cublasLtMatrixLayoutDestroy)>("cublasLtMatrixLayoutDestroy");
    found.set_layout =
        library.get<decltype(cublasLtMatrixLayoutSetAttribute)>("cublasLtMatrixLayoutSetAttribute");
    found.create_preference =
        library.get<decltype(cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate");
    found.destroy_preference =
        library.get<decltype(cublasLtMatmulPreferenceDestroy)>("cublasLtMatmulPreferenceDestroy");
    found.set_preference = library.get<decltype(cublasLtMatmulPreferenceSetAttribute)>(
        "cublasLtMatmulPreferenceSetAttribute");
    return found;
  }();
  return functions;
}

void CublasLt::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail_run(device_place, std::string(what) + " failed: cuBLASLt reports " + status_string(status));
}

}  // namespace stashscope::cuda
