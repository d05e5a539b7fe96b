// Whatever the bytes of a Matrix Market file, loading it gives a valid matrix or throws an `Error`; its
// header is written and read again as it was.

#include "memory_file.hpp"

#include <purview/sparse/matrix_market.hpp>

#include <cstdint>
#include <optional>

namespace pv = purview;

namespace {

using fuzz::require;

template <typename F>
auto tried(F&& f) -> std::optional<decltype(f())> {
    try {
        return f();
    } catch (const pv::Error&) {
        return std::nullopt;
    }
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
    }
    static_cast<void>(tried([&] { return pv::load_mtx_array<T>(path); }));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes = std::as_bytes(std::span(data, size));
    if (const auto header = tried([&] { return pv::parse_mtx_header(bytes); })) {
        require(header->data_offset >= 0 && header->data_offset <= static_cast<pv::index_t>(size),
                "the entries begin within the file");
        const std::string text = pv::format_mtx_header(*header);
        pv::MtxHeader again = pv::parse_mtx_header(std::as_bytes(std::span(text)));
        again.data_offset = header->data_offset;
        require(again == *header, "a header that is written and parsed is the same");
    }
    static const fuzz::MemoryFile file("mtx_fuzz");
    file.assign(bytes);
    check<double, pv::index_t>(file.path());
    check<std::int8_t, std::int32_t>(file.path());
    return 0;
}
