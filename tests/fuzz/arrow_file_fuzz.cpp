// Whatever the bytes of a file of Arrow's, opening it and reading all of it gives columns or throws an `Error`, and what was read is saved
// and read again as it was.

#include "memory_file.hpp"

#include <purview/arrow.hpp>
#include <purview/tensor/copy.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace pv = purview;
using fuzz::require;

namespace {

/// What a table prints, once all of it was read.
std::string all_of(const pv::Columns& table) {
    for (const pv::Column& column : table) {
        require(pv::clone(column.values).rank() >= 1, "a column has rows");
        require(pv::clone(column.missing).size() == column.rows(), "each is there, or missing");
    }
    return pv::to_string(table);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file("arrow_file_fuzz");
    file.assign(std::as_bytes(std::span(data, size)));
    try {
        const pv::Columns table = pv::open_arrow_file(file.path());
        if (table.rows() > 1 << 16) return 0; // gaps alone take no bytes
        const std::string text = all_of(table);
        static const std::string copy = (std::filesystem::temp_directory_path() /
                                         ("arrow_file_fuzz." + std::to_string(::getpid())))
                                            .string();
        const auto how = static_cast<pv::ArrowCompression>(size % 3);
        pv::save_arrow_file(
            copy, table, {.compression = how, .rows_per_batch = 3, .text = pv::ArrowText::binary});
        require(all_of(pv::open_arrow_file(copy)) == text, "what was saved is read as it was");
    } catch (const pv::Error&) {}
    return 0;
}
