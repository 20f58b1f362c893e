# Every folder ops/FAMILY/OP/ is one op, found by a glob.
#   *.cpp host only, NN_*.cu the rungs, peers*.cu the vendor's way (GPU only), wrong/*.cu kernels the checks reject,
#   other *.cu: kernels that rungs launch but that are no rungs.
# The files of wrong/ are compiled as one (join.cmake), and so are the rungs where nvcc only has to accept them. Rungs get a library
# from objects of their own, so that an edit of one compiles that one.
# If there are such files, OP_parts is an archive of them and of the rungs. A learner's copy of one rung is linked with
# it, because it may launch kernels of the other files.
# OP_host holds the contract, cases, cost and reference, and no kernel. OP_simt and OP_cuda hold the rungs for a
# backend, OP_checked those for `check --sanitize`.

file(GLOB op_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/ops/*/*)
list(FILTER op_folders EXCLUDE REGEX "/[^/]*\\.[^/]*$")  # files directly in a family's folder
add_custom_target(hosts)
add_custom_target(wrong_checked)  # for `./warpath test --all`

# Whether one of the wrong kernels is registered as a race.
function(warpath_has_race variable files)
  set(${variable} FALSE PARENT_SCOPE)
  foreach(file ${files})
    file(STRINGS ${file} races REGEX "\\.race = true")
    if(races)
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(op_names)
foreach(folder ${op_folders})
  get_filename_component(op ${folder} NAME)
  if(NOT EXISTS ${folder}/${op}.h)
    continue()
  endif()
  if(op IN_LIST op_names)
    message(FATAL_ERROR "two folders of ops/ are named ${op}: libraries and commands name an op by its folder")
  endif()
  list(APPEND op_names ${op})
  file(GLOB host_sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${folder}/*.cu)
  file(GLOB wrong CONFIGURE_DEPENDS ${folder}/wrong/*.cu)
  set(rungs ${kernels})
  set(peers ${kernels})
  set(parts ${kernels})
  list(FILTER rungs INCLUDE REGEX "/([^/]*_)?[0-9][0-9]_[^/]*\\.cu$")
  list(FILTER peers INCLUDE REGEX "/peers[^/]*\\.cu$")
  list(FILTER parts EXCLUDE REGEX "/(([^/]*_)?[0-9][0-9]_|peers)[^/]*\\.cu$")

  set(core $<TARGET_OBJECTS:warpath_core>)
  add_library(${op}_host MODULE EXCLUDE_FROM_ALL ${host_sources} ${core})
  target_include_directories(${op}_host PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${op}_host PRIVATE -Wall -Wextra -O2)
  target_precompile_headers(${op}_host REUSE_FROM warpath_core)
  set_target_properties(${op}_host PROPERTIES PREFIX "" DEFINE_SYMBOL "" CXX_VISIBILITY_PRESET hidden
                                              VISIBILITY_INLINES_HIDDEN ON)
  add_dependencies(hosts ${op}_host)

  warpath_joined(joined_wrong ${op}_wrong ${wrong})
  set(backends)
  if(WARPATH_SIMT)
    list(APPEND backends simt)
  endif()
  if(WARPATH_SIMT AND WARPATH_CHECKS)
    list(APPEND backends checked)
  endif()
  if(WARPATH_CUDA)
    list(APPEND backends cuda)
    set(peer_libraries)
    warpath_usable_peers(peers peer_libraries)
    warpath_joined(joined ${op} ${rungs} ${parts})
    warpath_ptx(${op}_ptx ${joined})
    warpath_ptx(${op}_wrong_ptx ${joined_wrong})
  endif()
  foreach(backend ${backends})
    set(more)
    set(linked)
    if(backend STREQUAL cuda)
      set(more ${peers})
      set(linked ${peer_libraries})
    endif()
    warpath_kernel_objects(objects ${op}_rungs_${backend} ${backend} SOURCES ${rungs})
    if(parts)
      warpath_kernel_archive(${op}_parts_${backend} ${backend} SOURCES ${parts} OBJECTS ${objects})
      list(APPEND linked ${op}_parts_${backend})
    endif()
    warpath_kernel_library(${op}_${backend} ${backend} SOURCES ${more} OBJECTS ${objects} ${core} LIBRARIES ${linked})
    add_dependencies(${op}_${backend} ${op}_host)
    add_dependencies(backends_${backend} ${op}_${backend})
    if(wrong)
      warpath_kernel_library(${op}_wrong_${backend} ${backend} SOURCES ${joined_wrong} OBJECTS ${core})
      # The checks must find the races; a kernel that only computes something else is for the plain run to reject.
      warpath_has_race(has_race "${wrong}")
      if(backend STREQUAL checked AND NOT has_race)
        add_dependencies(wrong_checked ${op}_wrong_${backend})
      else()
        add_dependencies(backends_${backend} ${op}_wrong_${backend})
      endif()
    endif()
  endforeach()
endforeach()
