# cmake -DSOURCE=… -DCOMMAND=compiler;flags… -P must_not_compile.cmake
#
# SOURCE has to compile as it stands and to be refused with MUST_NOT_COMPILE defined. For every line
# `// expect: TEXT` in it, the refusal has to contain TEXT. With `// at most: N lines` it has to be that short.

set(ENV{LC_ALL} C)

execute_process(COMMAND ${COMMAND} ${SOURCE} RESULT_VARIABLE status ERROR_VARIABLE diagnostics)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "The valid part of ${SOURCE} does not compile:\n${diagnostics}")
endif()

execute_process(COMMAND ${COMMAND} -DMUST_NOT_COMPILE ${SOURCE}
    RESULT_VARIABLE status ERROR_VARIABLE diagnostics)
if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles with MUST_NOT_COMPILE, and should not")
endif()

file(STRINGS ${SOURCE} expectations REGEX "^ *// expect: ")
foreach(line IN LISTS expectations)
    string(REGEX REPLACE "^ *// expect: *" "" text "${line}")
    string(FIND "${diagnostics}" "${text}" position)
    if(position EQUAL -1)
        message(FATAL_ERROR "${SOURCE}: no \"${text}\" in the diagnostics:\n${diagnostics}")
    endif()
endforeach()

file(STRINGS ${SOURCE} limits REGEX "^ *// at most: [0-9]+ lines")
foreach(line IN LISTS limits)
    string(REGEX REPLACE "^ *// at most: ([0-9]+) lines.*" "\\1" most "${line}")
    string(REGEX MATCHALL "\n" ends "${diagnostics}")
    list(LENGTH ends count)
    if(count GREATER most)
        message(FATAL_ERROR "${SOURCE}: ${count} lines of diagnostics, more than ${most}:\n${diagnostics}")
    endif()
endforeach()
