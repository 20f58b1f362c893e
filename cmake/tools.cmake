# warpath-cc, warpath-debug and their runtime from another build folder, WARPATH_TOOLS: ops are then built in seconds.
foreach(program warpath-cc warpath-debug)
  add_executable(${program} IMPORTED GLOBAL)
  set_target_properties(${program} PROPERTIES IMPORTED_LOCATION ${WARPATH_TOOLS}/bin/${program})
endforeach()
foreach(library simt simt_check simt_xray)
  add_library(${library} SHARED IMPORTED GLOBAL)
  set_target_properties(${library} PROPERTIES IMPORTED_LOCATION ${WARPATH_TOOLS}/lib/lib${library}.so)
endforeach()
# The lab looks for what the checks need beside the op libraries.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
file(CREATE_LINK ${WARPATH_TOOLS}/lib/libsimt_check.so ${PROJECT_BINARY_DIR}/lib/libsimt_check.so SYMBOLIC)
file(CREATE_LINK ${WARPATH_TOOLS}/lib/libsimt_xray.so ${PROJECT_BINARY_DIR}/lib/libsimt_xray.so SYMBOLIC)
