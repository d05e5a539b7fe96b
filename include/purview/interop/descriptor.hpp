#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/wrap.hpp>

#include <bit>
#include <string>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {

/// Where the elements of an array lie, in plain values: what dtype-next's nd-buffer descriptor and
/// NumPy's `__array_interface__` say.
struct MemoryDescriptor {
    void* pointer = nullptr; ///< the element at coordinates 0
    DType dtype = uint8;
    Shape shape{};
    Shape strides{}; ///< in bytes; any sign, and any number, aligned or not
    std::endian byte_order = std::endian::native;
    bool read_only = true;

    friend bool operator==(const MemoryDescriptor&, const MemoryDescriptor&) = default;
};

/// Describes a tensor whose elements lie in memory, a fixed number of bytes apart along each axis.
/// The tensor must outlive all use of the pointer. O(rank). Throws `ShapeError` for any other
/// tensor: an expression, a list of indexes, a rotation: `tensor(t)` copies those to memory.
PURVIEW_EXPORT MemoryDescriptor describe(const AnyTensor& t);

/// The memory as a tensor of the described type, zero-copy, which may write unless it is read-only
/// or elements share bytes. Element types: the built-in ones, times, complex64 and complex128,
/// float16 and bfloat16. Elements in the other byte order are swapped whenever they are accessed.
/// `owner` as in `wrap`. O(rank). Throws `ShapeError` for a layout that cannot be addressed,
/// `DtypeError` for other types.
PURVIEW_EXPORT AnyTensor wrap_described(const MemoryDescriptor& memory, Owner owner);
template <KeepsAlive O>
AnyTensor wrap(const MemoryDescriptor& memory, O&& owner) {
    return wrap_described(memory, make_owner(std::forward<O>(owner)));
}
/// Memory that the caller keeps alive as a tensor of the described type, zero-copy. Otherwise as
/// `wrap_described`.
inline AnyTensor borrow(const MemoryDescriptor& memory) {
    return wrap_described(memory, borrowed(memory.pointer));
}

/// `{"ptr": 140737, "datatype": "float64", "shape": [2, 3], "strides": [24, 8], "endianness":
/// "little-endian", "readonly": false}`, on one line.
PURVIEW_EXPORT std::string to_json(const MemoryDescriptor& memory);
/// The reverse. Keys in any order; `strides` absent or null: row-major without gaps; `endianness`
/// and `readonly` absent: this machine's, and true. Keys that it does not know are skipped; those
/// that it knows occur once. Throws
/// `FormatError` naming the place for a text that is not such an object.
PURVIEW_EXPORT MemoryDescriptor descriptor_from_json(std::string_view text);

} // namespace purview
