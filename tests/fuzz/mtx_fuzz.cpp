// Whatever the bytes of a Matrix Market file, loading it gives a valid matrix or throws an `Error`; what was loaded is saved
// and loaded again as it was, and so is its header.

#include "memory_file.hpp"
#include "same_matrix.hpp"

#include <purview/sparse/matrix_market.hpp>
#include <support/temporary.hpp>

#include "mtx_text.hpp"

#include <cstdint>
#include <string>

namespace pv = purview;

namespace {

using fuzz::require;
using fuzz::tried;

const std::string& saved() {
    static const temporary::Folder folder;
    static const std::string path = folder / "saved.mtx";
    return path;
}

template <typename T, typename I>
void check(const std::string& path) {
    const auto coo = tried([&] { return pv::load_mtx_coo<T, I>(path); });
    if (coo) {
        // The constructor validates.
        const pv::CooMatrix<T, I> again(coo->rows(), coo->columns(), coo->row_indices(),
                                        coo->column_indices(), coo->values());
        if (coo->rows() <= 1 << 20) {
            const auto csr = pv::to_csr(again);
            const pv::CsrMatrix<T, I> valid(csr.rows(), csr.columns(), csr.pointers(),
                                            csr.indices(), csr.values());
        }
        pv::save_mtx(saved(), *coo);
        require(fuzz::same_matrix(pv::load_mtx_coo<T, I>(saved()), *coo),
                "entries that are saved and loaded are the same");
    }
    if (const auto array = tried([&] { return pv::load_mtx_array<T>(path); })) {
        pv::save_mtx(saved(), *array);
        const auto again = pv::load_mtx_array<T>(saved());
        require(again.shape() == array->shape(), "an array that is saved keeps its shape");
        require(fuzz::same_elements<T>(pv::contiguous(again), pv::contiguous(*array)),
                "an array that is saved and loaded is the same");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes = std::as_bytes(std::span(data, size));
    if (const auto header = tried([&] { return pv::sparse::parse_mtx_header(bytes, "fuzz"); })) {
        require(header->data_offset >= 0 && header->data_offset <= static_cast<pv::index_t>(size),
                "the entries begin within the file");
        const std::string text = pv::sparse::format_mtx_header(*header);
        pv::MtxHeader again = pv::sparse::parse_mtx_header(std::as_bytes(std::span(text)), "fuzz");
        again.data_offset = header->data_offset;
        require(again == *header, "a header that is written and parsed is the same");
    }
    static const fuzz::MemoryFile file("mtx_fuzz");
    file.assign(bytes);
    check<double, pv::index_t>(file.path());
    check<std::int8_t, std::int32_t>(file.path());
    return 0;
}
