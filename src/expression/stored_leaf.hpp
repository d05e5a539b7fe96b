#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/memory_view.hpp>

namespace purview::inline v0_1 {

// Leaves over elements of the types that foreign memory and files hold (`visit_stored_dtype`), for whoever knows the type at run time
// alone: the buffers of all of them are compiled here, once.

/// Elements of memory that somebody else owns.
struct StoredMemory {
    DType dtype;
    std::byte* data = nullptr;
    index_t size = 0;
    index_t stride_bytes = 0;
    bool swapped = false; ///< in the other byte order than this machine's
    bool writable = false;
};

/// A leaf over this memory, of which `storage` is the block; by default the bytes of the elements.
/// Throws as `Buffer`, and `DtypeError` naming `what` for other types.
NodePtr leaf_over_stored(const char* what, const StoredMemory& memory, Owner owner,
                         StorageId storage);

/// New memory of a stored type or of strings, `initialized` or as `allocate_uninitialized_buffer`
/// has it. Throws as these, and `DtypeError` naming `what` for other types.
Operand new_stored_memory(const char* what, DType dtype, Dimensions dims, bool initialized);

} // namespace purview
