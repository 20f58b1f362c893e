# The two ways to make a library from .cu files: with nvcc for the GPU, with warpath-cc for this CPU.

# On x86-64 simt switches stacks itself; elsewhere it uses Boost's library. The library file itself is looked for,
# because a machine may have only Boost's headers.
if(WARPATH_SIMT AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  find_library(BOOST_CONTEXT boost_context)
  if(NOT BOOST_CONTEXT)
    message(STATUS "CPU backend: not built, Boost.Context is missing (Debian: libboost-context-dev)")
    set(WARPATH_SIMT OFF)
  endif()
endif()

# The checks need GCC's instrumentation. In the cache, where the launcher reads it.
string(COMPARE EQUAL "${CMAKE_CXX_COMPILER_ID}" GNU is_gcc)
set(WARPATH_CHECKS ${is_gcc} CACHE INTERNAL "Whether kernels can be compiled for the checks")
if(NOT WARPATH_CHECKS)
  message(STATUS "checks: not built, they need g++ and this is ${CMAKE_CXX_COMPILER_ID}")
endif()

if(WARPATH_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real)
    endif()
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc 13 has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
    find_package(CUDAToolkit REQUIRED)
  else()
    message(STATUS "CUDA backend: not built, no nvcc found")
    set(WARPATH_CUDA OFF)
  endif()
endif()

set(WARPATH_CUDA_FLAGS -Xcompiler=-Wall,-Wextra -Xcudafe=--diag_suppress=177 -lineinfo
                       --expt-relaxed-constexpr)

# Compiles SOURCES for this CPU and sets `objects_variable` to the object files. `checked`: with every access checked, also for
# misalignment; the others are compiled without that (-fno-sanitize=alignment), which would take a third more time.
function(warpath_simt_objects objects_variable name checked)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(check_flag)
  set(optimize -O2)
  set(how "for this CPU")
  if(checked)
    set(check_flag --check -DWARPATH_ONE_HALF_TYPE)
    set(optimize -O1)
    set(how "for the checks")
  elseif(name MATCHES "_wrong_simt$")
    # Loops over threads run racing threads in a fixed order, so a missing barrier might not show.
    set(check_flag --no-split)
    set(optimize -O1)
  endif()
  # A wheel may run on another machine than it was built on. The last -march counts.
  set(portable)
  if(SKBUILD AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(portable -Xcompiler -march=x86-64-v2)
  endif()
  set(objects)
  foreach(source ${ARG_SOURCES})
    set(root ${PROJECT_SOURCE_DIR})
    get_source_file_property(joined ${source} WARPATH_JOINED)
    if(joined)
      set(root ${PROJECT_BINARY_DIR})
    endif()
    file(RELATIVE_PATH relative ${root} ${source})
    set(object ${PROJECT_BINARY_DIR}/simt-objects/${name}/${relative}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER} $<TARGET_FILE:warpath-cc> -c ${source}
              -o ${object} --reuse ${check_flag} ${portable} -std=c++20 ${optimize} --expt-relaxed-constexpr
              -I${PROJECT_SOURCE_DIR} -include core/prelude.cuh
              -Xcompiler -fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden,-Wall,-Wextra,-fno-sanitize=alignment -MD -MF
              ${object}.d
      DEPENDS ${source} warpath-cc
      DEPFILE ${object}.d
      COMMENT "Compiling ${relative} ${how}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${objects_variable} ${objects} PARENT_SCOPE)
endfunction()

# Compiles SOURCES for the GPU. Those that end in _sm90.cu are compiled for sm_90a only.
function(warpath_cuda_objects objects_variable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(general ${ARG_SOURCES})
  set(hopper ${ARG_SOURCES})
  list(FILTER general EXCLUDE REGEX "_sm90\\.cu$")
  list(FILTER hopper INCLUDE REGEX "_sm90\\.cu$")
  set(objects)
  foreach(part general hopper)
    if(${part})
      set(target ${name}_${part})
      add_library(${target} OBJECT EXCLUDE_FROM_ALL ${${part}})
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
      target_compile_options(${target} PRIVATE ${WARPATH_CUDA_FLAGS})
      target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
      set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  if(hopper)
    set_target_properties(${name}_hopper PROPERTIES CUDA_ARCHITECTURES 90a-real)
  endif()
  set(${objects_variable} ${objects} PARENT_SCOPE)
endfunction()

# warpath_joined(FILES NAME SOURCES …): the SOURCES as one file (join.cmake), or as two where some end in _sm90.cu. FILES is set
# to joined/NAME.cu and joined/NAME_sm90.cu in the build folder; the property WARPATH_JOINED of each says what it was made of.
function(warpath_joined files_variable name)
  set(script ${PROJECT_SOURCE_DIR}/cmake/join.cmake)
  set(files)
  foreach(suffix "" _sm90)
    set(sources ${ARGN})
    if(suffix)
      list(FILTER sources INCLUDE REGEX "_sm90\\.cu$")
    else()
      list(FILTER sources EXCLUDE REGEX "_sm90\\.cu$")
    endif()
    if(NOT sources)
      continue()
    endif()
    set(file ${PROJECT_BINARY_DIR}/joined/${name}${suffix}.cu)
    add_custom_command(
      OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} "-DSOURCES=${sources}" -DOUTPUT=${file} -P ${script}
      DEPENDS ${sources} ${script}
      COMMENT "Joining the files of ${name}"
      VERBATIM)
    set_source_files_properties(${file} PROPERTIES WARPATH_JOINED "${sources}")
    list(APPEND files ${file})
  endforeach()
  set(${files_variable} "${files}" PARENT_SCOPE)
endfunction()

# warpath_ptx(NAME JOINED …): checks that nvcc accepts joined files (ptx.cmake). It stops at PTX; machine code is made where it is
# measured. Files that end in _sm90.cu are compiled for sm_90a, the others for sm_80.
# The PTX is thrown away, so nvcc need not optimize it: that was up to nine tenths of the time.
set(WARPATH_PTX_FLAGS -ptx -Xcudafe=--diag_suppress=177 --expt-relaxed-constexpr -std=c++20 -I${PROJECT_SOURCE_DIR})
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
  list(APPEND WARPATH_PTX_FLAGS --Ofast-compile=max)
endif()
function(warpath_ptx name)
  set(script ${PROJECT_SOURCE_DIR}/cmake/ptx.cmake)
  set(texts)
  foreach(joined ${ARGN})
    get_filename_component(stem ${joined} NAME_WE)
    get_source_file_property(sources ${joined} WARPATH_JOINED)
    list(LENGTH sources count)
    set(arch 80)
    if(stem MATCHES "_sm90$")
      set(arch 90a)
    endif()
    set(text ${PROJECT_BINARY_DIR}/ptx/${name}/${stem}.ptx)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/ptx/${name})
    add_custom_command(
      OUTPUT ${text}
      COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER} "-DFLAGS=${WARPATH_PTX_FLAGS};-arch=compute_${arch}"
              -DJOINED=${joined} "-DSOURCES=${sources}" -DOUTPUT=${text} -P ${script}
      DEPENDS ${joined} ${sources} ${script}
      DEPFILE ${text}.d
      COMMENT "Compiling ${count} files of ${name} to PTX for sm_${arch}"
      VERBATIM)
    list(APPEND texts ${text})
  endforeach()
  add_custom_target(${name} DEPENDS ${texts})
  if(name MATCHES "_wrong_ptx$")
    add_dependencies(wrong_ptx ${name})
  else()
    add_dependencies(ptx ${name})
  endif()
endfunction()

function(warpath_kernel_objects objects_variable name backend)
  if(backend STREQUAL cuda)
    warpath_cuda_objects(objects ${name} ${ARGN})
  else()
    string(COMPARE EQUAL ${backend} checked checked)
    warpath_simt_objects(objects ${name} ${checked} ${ARGN})
  endif()
  set(${objects_variable} ${objects} PARENT_SCOPE)
endfunction()

# warpath_kernel_library(NAME simt|checked|cuda SOURCES … [OBJECTS …] [LIBRARIES …]): lib/NAME.so, opened at run time.
function(warpath_kernel_library name backend)
  cmake_parse_arguments(ARG "" "" "SOURCES;OBJECTS;LIBRARIES" ${ARGN})
  warpath_kernel_objects(objects ${name} ${backend} SOURCES ${ARG_SOURCES} LIBRARIES ${ARG_LIBRARIES})
  add_library(${name} MODULE EXCLUDE_FROM_ALL ${objects} ${ARG_OBJECTS})
  set_target_properties(${name} PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)
  set(runtime_simt simt)
  set(runtime_checked simt simt_check)
  set(runtime_cuda CUDA::cudart)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} ${runtime_${backend}})
endfunction()

# warpath_kernel_archive(NAME simt|checked|cuda SOURCES … [OBJECTS …]): lib/libNAME.a, to link into such libraries.
function(warpath_kernel_archive name backend)
  cmake_parse_arguments(ARG "" "" "SOURCES;OBJECTS" ${ARGN})
  warpath_kernel_objects(objects ${name} ${backend} SOURCES ${ARG_SOURCES})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${objects} ${ARG_OBJECTS})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# warpath_library(NAME …): on every backend there is, as NAME_simt and NAME_cuda.
function(warpath_library name)
  if(WARPATH_SIMT)
    warpath_kernel_library(${name}_simt simt ${ARGN})
    add_dependencies(backends_simt ${name}_simt)
  endif()
  if(WARPATH_CUDA)
    warpath_kernel_library(${name}_cuda cuda ${ARGN})
    add_dependencies(backends_cuda ${name}_cuda)
  endif()
endfunction()

add_custom_target(backends_simt)
add_custom_target(backends_checked)
add_custom_target(backends_cuda)
add_custom_target(ptx)
add_custom_target(wrong_ptx)  # for `./warpath test --all`
