# One folder under ops/ is one op: found by being there.
#   *.cpp host only, *.cu the rungs, peers*.cu the vendor's way (GPU only), wrong/*.cu kernels the checks reject.
# For the CPU there is each library twice: OP_simt as it runs, OP_checked for `check --sanitize`.
# WARPATH_OP_LIBRARY says that all rungs of the op are in the same library: what takes minutes to compile is then compiled
# in one of them, and a rung that is built by itself brings it along.

file(GLOB op_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/ops/*)
foreach(folder ${op_folders})
  if(NOT IS_DIRECTORY ${folder})
    continue()
  endif()
  get_filename_component(op ${folder} NAME)
  file(GLOB host_sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB rungs CONFIGURE_DEPENDS ${folder}/*.cu)
  file(GLOB wrong CONFIGURE_DEPENDS ${folder}/wrong/*.cu)
  set(peers ${rungs})
  list(FILTER rungs EXCLUDE REGEX "/peers[^/]*\\.cu$")
  list(FILTER peers INCLUDE REGEX "/peers[^/]*\\.cu$")

  add_library(${op}_host OBJECT EXCLUDE_FROM_ALL ${host_sources})
  target_include_directories(${op}_host PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${op}_host PRIVATE -Wall -Wextra)
  set_target_properties(${op}_host PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set(objects $<TARGET_OBJECTS:${op}_host> $<TARGET_OBJECTS:warpath_core>)

  if(WARPATH_SIMT)
    warpath_simt_library(${op}_simt SOURCES ${rungs} OBJECTS ${objects} INCLUDES ${folder}
                         DEFINES WARPATH_OP_LIBRARY)
    warpath_simt_library(${op}_checked CHECKED SOURCES ${rungs} OBJECTS ${objects} INCLUDES ${folder}
                         DEFINES WARPATH_OP_LIBRARY)
    add_dependencies(backends_simt ${op}_simt)
    add_dependencies(backends_checked ${op}_checked)
  endif()
  if(WARPATH_CUDA)
    set(libraries)
    warpath_usable_peers(peers libraries)
    warpath_cuda_library(${op}_cuda SOURCES ${rungs} ${peers} OBJECTS ${objects} INCLUDES ${folder}
                         LIBRARIES ${libraries} DEFINES WARPATH_OP_LIBRARY)
    add_dependencies(backends_cuda ${op}_cuda)
  endif()
  if(wrong)
    warpath_library(${op}_wrong SOURCES ${wrong} OBJECTS $<TARGET_OBJECTS:warpath_core> INCLUDES ${folder})
    if(WARPATH_SIMT)
      warpath_simt_library(${op}_wrong_checked CHECKED SOURCES ${wrong} OBJECTS $<TARGET_OBJECTS:warpath_core>
                           INCLUDES ${folder})
      add_dependencies(backends_checked ${op}_wrong_checked)
    endif()
  endif()
endforeach()
