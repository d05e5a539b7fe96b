// Files of NumPy's format .npy, and such bytes in memory.

#include "files.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "memory.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/io/save_npy.hpp>

#include <bit>
#include <cstddef>
#include <string>
#include <utility>

namespace purview_python {

pv::Access access_named(const char* what, const std::string& name) {
    constexpr std::pair<const char*, pv::Access> kNames[] = {
        {"read_only", pv::Access::read_only},
        {"copy_on_write", pv::Access::copy_on_write},
        {"read_write", pv::Access::read_write},
        {"in_memory", pv::Access::in_memory}};
    for (const auto& [each, access] : kNames)
        if (name == each) return access;
    throw nb::value_error(
        (what + (": access is read_only, copy_on_write, read_write or in_memory, not " + name))
            .c_str());
}

namespace {

/// The array in bytes that follow the format, in place.
Array array_in_bytes(const nb::bytes& bytes, const std::string& where) {
    const pv::NpyHeader header = pv::parse_npy_header(
        {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()}, where);
    const auto present = static_cast<pv::index_t>(bytes.size()) - header.data_offset;
    if (header.data_bytes() > present)
        throw pv::FormatError(where + ": its elements take " + std::to_string(header.data_bytes()) +
                              " bytes, and there are " + std::to_string(present));
    pv::MemoryDescriptor memory;
    memory.pointer = const_cast<char*>(bytes.c_str()) + header.data_offset;
    memory.dtype = header.dtype;
    memory.shape = header.shape;
    memory.byte_order = !header.byte_swapped                         ? std::endian::native
                        : std::endian::native == std::endian::little ? std::endian::big
                                                                     : std::endian::little;
    memory.strides = header.shape;
    pv::index_t stride = header.dtype.size_bytes();
    const std::size_t rank = header.shape.size();
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t axis = header.column_major ? i : rank - 1 - i;
        memory.strides[axis] = stride;
        stride *= header.shape[axis] > 1 ? header.shape[axis] : 1;
    }
    return pv::wrap_described(memory, std::make_shared<OwnedObject>(bytes));
}

} // namespace

void bind_files(nb::module_& module) {
    module.def("_load_npy", [](const std::string& path, const std::string& access) {
        const pv::Access how = access_named("load_npy", access);
        const Unlocked unlocked;
        return pv::load_npy(path, how);
    });
    module.def("_save_npy", [](const std::string& path, nb::handle x) {
        const Array array = as_array(x);
        computing(steps(array.size(), 10), [&] { pv::save_npy(path, array); });
    });
    module.def("_npy_of_bytes", [](const nb::bytes& bytes, const std::string& where) {
        return array_in_bytes(bytes, where);
    });
    module.def("_npy_dtype", [](const nb::bytes& bytes, const std::string& where) {
        return pv::parse_npy_header(
                   {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()}, where)
            .dtype;
    });
    module.def("_npy_header", [](const Array& x, const std::string& where) {
        pv::NpyHeader header;
        header.dtype = x.dtype();
        header.shape = pv::to_shape(x.dimensions().max_shape());
        const std::string text = pv::format_npy_header(header, where);
        return nb::bytes(text.data(), text.size());
    });
}

} // namespace purview_python
