# oneDNN as the target OneDNN::OneDNN. The packaged configuration of oneDNN asks for OpenCL headers that its CPU engine
# does not need.
include(FindPackageHandleStandardArgs)
find_library(DNNL_LIBRARY dnnl)
find_path(DNNL_INCLUDE_DIR dnnl.hpp PATH_SUFFIXES oneapi/dnnl)
find_package_handle_standard_args(OneDNN REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR)
if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY})
endif()
