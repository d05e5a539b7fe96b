// Whatever the bytes of an `.npz` file, loading it gives a valid matrix or throws an `Error`; what was loaded is saved and
// loaded again as it was.

#include "memory_file.hpp"
#include "same_matrix.hpp"

#include <purview/sparse/npz.hpp>
#include <support/temporary.hpp>

#include <cstdint>
#include <string>

namespace pv = purview;

namespace {

using fuzz::require;
using fuzz::tried;

const std::string& saved() {
    static const temporary::Folder folder;
    static const std::string path = folder / "saved.npz";
    return path;
}

template <typename T, typename I>
void check(const std::string& path) {
    if (const auto csr = tried([&] { return pv::load_npz<T, I>(path); })) {
        const pv::CsrMatrix<T, I> valid(csr->rows(), csr->columns(), csr->pointers(),
                                        csr->indices(), csr->values());
        pv::save_npz(saved(), valid);
        require(fuzz::same_matrix(pv::load_npz<T, I>(saved()), valid),
                "rows that are saved and loaded are the same");
    }
    if (const auto coo = tried([&] { return pv::load_npz_coo<T, I>(path); })) {
        const pv::CooMatrix<T, I> valid(coo->rows(), coo->columns(), coo->row_indices(),
                                        coo->column_indices(), coo->values());
        pv::save_npz(saved(), valid, pv::Compression::stored);
        require(fuzz::same_matrix(pv::load_npz_coo<T, I>(saved()), valid),
                "entries that are saved and loaded are the same");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file("npz_fuzz");
    file.assign(std::as_bytes(std::span(data, size)));
    check<double, pv::index_t>(file.path());
    check<std::int16_t, std::int32_t>(file.path());
    return 0;
}
