// Whatever the bytes of an index of many files, or of kerchunk's references, opening them gives arrays or throws an `Error`; so does
// reading what they say. The first byte says which of both the others are.

#include "memory_file.hpp"

#include <purview/archives.hpp>
#include <purview/io/stored_group.hpp>
#include <purview/tensor/copy.hpp>

#include <cstdint>
#include <span>

namespace pv = purview;

namespace {

void read(const pv::StoredArray& array) {
    if (array.values.size() > 1 << 16) return;
    fuzz::require(pv::clone(array.values).size() == array.values.size(), "all is read");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const fuzz::MemoryFile file("archives_fuzz");
    file.assign(std::as_bytes(std::span(data, size).subspan(1)));
    try {
        if (data[0] % 2 == 0) {
            read(pv::open_index(file.path()));
        } else {
            const pv::StoredGroup group = pv::open_kerchunk(file.path());
            for (const auto& name : group.arrays()) read(group.array(name));
        }
    } catch (const pv::Error&) {}
    return 0;
}
