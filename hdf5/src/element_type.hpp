#pragma once

#include "library.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace purview::inline v0_1::hdf5 {

enum class Encoding : std::uint8_t {
    numbers,       ///< bytes of an element, in a byte order
    booleans,      ///< a byte each; whatever is not 0 is true
    texts,         ///< as many bytes for each, filled up as `padding` says
    variable_texts ///< wherever libhdf5 keeps them
};

/// The type of an array's or attribute's elements: what they are read as, and how they lie in a file.
struct ElementType {
    DType dtype = float64;
    Encoding encoding = Encoding::numbers;
    index_t bytes = 8;    ///< of an element in the file
    index_t ordered = 8;  ///< bytes that a byte order concerns: of complex numbers, each part
    bool swapped = false; ///< in the file; in the other order than this machine's
    bool is_plain = true; ///< but for the byte order, elements lie in the file as in memory
    H5T_str_t padding = H5T_STR_NULLPAD;
    Handle memory;               ///< the type that libhdf5 is asked for
    bool memory_swapped = false; ///< whether its elements still have the other byte order
};

/// Throws `DtypeError` that names the type for those that Purview does not have. Under the library's lock.
ElementType element_type(hid_t type, const std::string& where);

/// Throws `MemoryLimitError` where texts of a length have more bytes than memory may hold: as strings they are counted,
/// each as one of a few bytes.
void require_memory(const ElementType& type, index_t count, const std::string& where);

/// Makes elements, in `out`, of what a file has; `raw` may be `out` itself where they are numbers.
void elements_of_bytes(const ElementType& type, bool swapped, std::span<std::byte> raw,
                       index_t count, void* out);

/// Assigns `count` elements, which libhdf5 converts to `type.memory` when `read` calls it with a place for them.
/// What it leaves out becomes zeros. Under the library's lock.
void read_converted(const ElementType& type, index_t count, void* out, const std::string& where,
                    FunctionRef<herr_t(void* place)> read);

} // namespace purview::hdf5
