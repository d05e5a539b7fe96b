# After cpack has put a package's files into a folder: its copyright is where Debian has it, the other documents in a folder of its name.
foreach(package IN ITEMS libpurview0 libpurview-dev libpurview-mpi0 libpurview-mpi-dev)
    set(documents ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}/usr/share/doc)
    if(EXISTS ${documents}/purview)
        file(RENAME ${documents}/purview ${documents}/${package})
    endif()
    file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${documents}/${package})
endforeach()
