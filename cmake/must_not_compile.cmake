# cmake -DSOURCE=… -DPART=valid|refused -DCOMMAND=compiler;flags… -P must_not_compile.cmake
#
# SOURCE has to compile as it stands and to be refused with MUST_NOT_COMPILE defined. For every line
# `// expect: TEXT` in it, the refusal has to contain TEXT; with a line `// at most N lines`, it has to be no longer,
# but for the lines that say which header includes which. PART is which half of that is looked at.

set(ENV{LC_ALL} C)

if(PART STREQUAL "valid")
    execute_process(COMMAND ${COMMAND} ${SOURCE} RESULT_VARIABLE status ERROR_VARIABLE diagnostics)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "The valid part of ${SOURCE} does not compile:\n${diagnostics}")
    endif()
    return()
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

file(STRINGS ${SOURCE} limit REGEX "^ *// at most [0-9]+ lines$" LIMIT_COUNT 1)
if(limit)
    string(REGEX MATCH "[0-9]+" limit "${limit}")
    # The way to a header by way of others is as long as it is.
    string(REGEX REPLACE "In file included from [^\n]*\n( +from [^\n]*\n)*" "" shorter "${diagnostics}")
    string(REGEX MATCHALL "\n" lines "${shorter}")
    list(LENGTH lines count)
    if(count GREATER limit)
        message(FATAL_ERROR "${SOURCE}: the refusal has ${count} lines, and not at most ${limit}:\n${diagnostics}")
    endif()
endif()
