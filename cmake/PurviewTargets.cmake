# What every target of our own gets. Only when Purview is the top-level project: a parent's build is
# the parent's business.

set(purview_warning_options -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    # The stable algorithms of libstdc++ 12 call a function that it has deprecated itself, which clang reports.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)

function(purview_warnings target)
    if(NOT PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    target_compile_options(${target} PRIVATE ${purview_warning_options})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
        # gcc 12 at -O3 warns of copies of 2⁶³ bytes out of Boost's small vectors, which are never made.
        target_compile_options(${target} PRIVATE -Wno-stringop-overread)
    endif()
    set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${PURVIEW_WARNINGS_AS_ERRORS})
endfunction()

# Several sources are one unit: what each of them declares for itself has a name of its own in the whole target.
# Those of the folders that PURVIEW_SEPARATE names are units of their own, so that an edit of one recompiles it alone.
function(purview_unity target) # purview_unity(target [SOURCES_IN_A_UNIT])
    set(size 12)
    if(ARGC GREATER 1)
        set(size ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${PURVIEW_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE ${size})
    if(NOT PURVIEW_UNITY_BUILD)
        return()
    endif()
    if(PURVIEW_SEPARATE)
        get_target_property(sources ${target} SOURCES)
        foreach(folder IN LISTS PURVIEW_SEPARATE)
            set(separate ${sources})
            list(FILTER separate INCLUDE REGEX "/${folder}/[^/]*\\.cpp$")
            set_source_files_properties(${separate} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endforeach()
    endif()
    # A variable of a function may have the name of something that another source of its unit declares: warnings of
    # those within one source come with -DPURVIEW_UNITY_BUILD=OFF.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # gcc takes the sources of a unit for headers.
        target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
        if(CMAKE_BUILD_TYPE STREQUAL "Release")
            # In a unit, gcc 12 at -O3 also warns of copies beyond Boost's small vectors, which are never made.
            target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
        endif()
    elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        target_compile_options(${target} PRIVATE -Wno-shadow)
    endif()
endfunction()

# What has a linker leave out what is not called. (Apple's needs no sections for it.)
set(purview_link_less "")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(purview_link_less --gc-sections)
elseif(APPLE)
    set(purview_link_less -dead_strip)
endif()

# Functions in sections of their own: a program that links a static library then takes only those that it calls.
function(purview_sections target)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" AND purview_link_less)
        target_link_options(${target} INTERFACE LINKER:${purview_link_less})
    endif()
endfunction()

# Exports nothing but what is Purview's: neither what comes of static libraries nor instances of the standard library's templates.
function(purview_exports target)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_SYSTEM_NAME MATCHES "Linux|BSD")
        set(map ${PROJECT_BINARY_DIR}/exports.map)
        configure_file(${PROJECT_SOURCE_DIR}/cmake/exports.map.in ${map} @ONLY)
        target_link_options(${target} PRIVATE LINKER:--version-script=${map})
        set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
    endif()
endfunction()

# What all libraries have in common.
function(purview_library target)
    set_target_properties(${target} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON
        POSITION_INDEPENDENT_CODE ON)
    target_compile_features(${target} PUBLIC cxx_std_20 PRIVATE cxx_std_23)
    # Where a processor has fused multiplications, gcc would use them: other results than on one that has none.
    target_compile_options(${target} PRIVATE -ffp-contract=off)
    purview_warnings(${target})
    purview_unity(${target} ${PURVIEW_UNITY_SIZE})
    purview_sections(${target})
    purview_exports(${target})
    if(PURVIEW_BUILD_FUZZERS)
        if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            message(FATAL_ERROR "PURVIEW_BUILD_FUZZERS needs clang")
        endif()
        # libFuzzer is led by where its inputs led. Programs that it does not link need a sanitizer for that.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# purview::NAME, a library beside the first, in the folder of its own that calls: made of the sources below src, with the headers of include/, all of which
# belong to purview/NAME or purview/NAME.hpp. Its macros are PURVIEW_<NAME>_EXPORT and those of <purview/NAME/export.hpp>.
#   LINKS             what its sources need
#   OPTIONAL_HEADERS  a regular expression: headers that need a library which this one does not; whoever includes one finds it
function(purview_component name)
    cmake_parse_arguments(PARSE_ARGV 1 component "" "OPTIONAL_HEADERS" "LINKS")
    set(target purview_${name})
    string(TOUPPER ${name} upper)

    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp)
    set(optional_headers)
    if(component_OPTIONAL_HEADERS)
        set(optional_headers ${headers})
        list(FILTER optional_headers INCLUDE REGEX "${component_OPTIONAL_HEADERS}")
        list(FILTER headers EXCLUDE REGEX "${component_OPTIONAL_HEADERS}")
    endif()

    add_library(${target} ${sources})
    add_library(purview::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    purview_library(${target})

    set(generated ${PROJECT_BINARY_DIR}/${name}/include)
    generate_export_header(${target}
        EXPORT_FILE_NAME ${generated}/purview/${name}/export.hpp
        EXPORT_MACRO_NAME PURVIEW_${upper}_EXPORT
        STATIC_DEFINE PURVIEW_STATIC_DEFINE)

    target_sources(${target}
        PUBLIC
            FILE_SET HEADERS
            BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include ${generated}
            FILES ${headers} ${generated}/purview/${name}/export.hpp
        PUBLIC
            FILE_SET optional_headers TYPE HEADERS
            BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include
            FILES ${optional_headers})
    set_target_properties(${target} PROPERTIES
        VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL}
        INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)

    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC purview PRIVATE fmt::fmt ${component_LINKS})
    if(NOT DEFINED CMAKE_INSTALL_RPATH AND CMAKE_SYSTEM_NAME MATCHES "Linux|BSD")
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN") # libpurview.so is beside it
    endif()
endfunction()

# An executable of the project (test, example, benchmark): C++23, our warnings, linked to Purview.
function(purview_executable target)
    add_executable(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_features(${target} PRIVATE cxx_std_23)
    target_link_libraries(${target} PRIVATE purview::purview)
    purview_warnings(${target})
endfunction()
