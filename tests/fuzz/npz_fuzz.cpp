// Whatever the bytes of an `.npz` file, loading it gives a valid matrix or throws an `Error`.

#include "memory_file.hpp"

#include <purview/sparse/npz.hpp>

#include <cstdint>

namespace pv = purview;

namespace {

template <typename T, typename I>
void check(const std::string& path) {
    try {
        const auto csr = pv::load_npz<T, I>(path);
        const pv::CsrMatrix<T, I> valid(csr.rows(), csr.columns(), csr.pointers(), csr.indices(),
                                        csr.values());
    } catch (const pv::Error&) {}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file("npz_fuzz");
    file.assign(std::as_bytes(std::span(data, size)));
    check<double, pv::index_t>(file.path());
    check<std::int16_t, std::int32_t>(file.path());
    return 0;
}
