# cmake -DNVCC=… -DFLAGS=… -DJOINED=… -DSOURCES=… -DOUTPUT=… -P ptx.cmake: checks that nvcc accepts SOURCES.
#
# They are compiled as one text (join.cmake). Where that does not compile, because a file defines what a header declares, each
# is compiled by itself, and that verdict counts. The dependencies are in OUTPUT.d.
cmake_minimum_required(VERSION 3.20)

function(compile source)
  execute_process(
    COMMAND ${NVCC} ${FLAGS} -MD -MF ${OUTPUT}.one.d -MT ${OUTPUT} ${source} -o ${OUTPUT}.tmp
    RESULT_VARIABLE status
    ERROR_VARIABLE messages
    OUTPUT_VARIABLE messages)
  set(status ${status} PARENT_SCOPE)
  set(messages "${messages}" PARENT_SCOPE)
  if(status EQUAL 0)
    file(READ ${OUTPUT}.one.d depends)
    file(APPEND ${OUTPUT}.d "${depends}\n")
  endif()
endfunction()

file(WRITE ${OUTPUT}.d "")
compile(${JOINED})
if(NOT status EQUAL 0 OR NOT messages STREQUAL "")
  file(WRITE ${OUTPUT}.d "")
  foreach(source ${SOURCES})
    compile(${source})
    if(NOT messages STREQUAL "")
      message("${messages}")
    endif()
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "nvcc refuses ${source}")
    endif()
  endforeach()
endif()
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
