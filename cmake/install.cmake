# What `cmake --install` takes of the engine: the rooms' libraries, their headers, and a CMake package with one target
# for each room and stashscope::core for all. (docs/library.md)
get_property(ROOMS GLOBAL PROPERTY STASHSCOPE_ROOMS)
add_library(stashscope_core INTERFACE)
target_link_libraries(stashscope_core INTERFACE ${ROOMS})
set_target_properties(stashscope_core PROPERTIES EXPORT_NAME core)

install(TARGETS stashscope_core ${ROOMS} EXPORT stashscope ARCHIVE DESTINATION lib/stashscope
        INCLUDES DESTINATION include)
# Headers that need ONNX's or CUDA's headers or this build's definitions stay here.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/core DESTINATION include/stashscope
        FILES_MATCHING PATTERN *.h
        REGEX "/core/run/cuda/(plugin|kernels|device/plugin_identity[.]h)$" EXCLUDE
        REGEX "/core/onnx/(captured_.*|functions|node_metadata|opsets|sparse_tensor|tensor_proto)[.]h$" EXCLUDE)
# A program may have a folder `core` of its own, so installed headers include each other as "stashscope/core/...".
install(CODE [[
  file(GLOB_RECURSE HEADERS $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/include/stashscope/*.h)
  foreach(HEADER IN LISTS HEADERS)
    file(READ ${HEADER} TEXT)
    string(REPLACE "#include \"core/" "#include \"stashscope/core/" TEXT "${TEXT}")
    file(WRITE ${HEADER} "${TEXT}")
  endforeach()
]])

include(CMakePackageConfigHelpers)
set(PACKAGE lib/cmake/stashscope)
set(VERSION_FILE ${CMAKE_BINARY_DIR}/stashscopeConfigVersion.cmake)
write_basic_package_version_file(${VERSION_FILE} COMPATIBILITY SameMinorVersion)
install(EXPORT stashscope NAMESPACE stashscope:: FILE stashscopeTargets.cmake DESTINATION ${PACKAGE})
install(FILES ${VERSION_FILE} ${CMAKE_SOURCE_DIR}/cmake/stashscopeConfig.cmake
              ${CMAKE_SOURCE_DIR}/cmake/FindOneDNN.cmake
        DESTINATION ${PACKAGE})
