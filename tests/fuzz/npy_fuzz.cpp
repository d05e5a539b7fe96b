// Whatever the bytes of an .npy file, loading it gives a tensor that lies within the file, or throws an
// `Error`; all ways of access agree; and what is loaded can be described again.

#include "dtype/stored_types.hpp"
#include "memory_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/npy_header.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace pv = purview;

namespace {

using fuzz::MemoryFile;
using fuzz::require;

std::optional<pv::NpyHeader> parse(std::span<const std::byte> bytes) {
    try {
        return pv::parse_npy_header(bytes);
    } catch (const pv::FormatError&) {
    } catch (const pv::DtypeError&) {}
    return std::nullopt;
}

std::optional<pv::AnyTensor> load(const std::string& path, pv::Access access) {
    try {
        return pv::load_npy(path, access);
    } catch (const pv::FormatError&) {
    } catch (const pv::DtypeError&) {}
    return std::nullopt;
}

void check_header(const pv::NpyHeader& header, std::size_t bytes) {
    require(header.data_offset >= 10 && header.data_offset <= static_cast<pv::index_t>(bytes),
            "the data begin within the file");
    require(header.size() >= 0 && header.data_bytes() >= 0, "sizes do not overflow");
    const std::string written = pv::format_npy_header(header);
    pv::NpyHeader again = pv::parse_npy_header(std::as_bytes(std::span(written)));
    again.byte_swapped = header.byte_swapped;
    again.data_offset = header.data_offset;
    again.version = header.version;
    require(again == header, "a header that is written and parsed is the same");
}

template <typename T>
void check_elements(const pv::AnyTensor& mapped, const pv::AnyTensor& read) {
    const pv::Tensor<T> x = mapped.as<T>();
    const pv::Tensor<T> y = read.as<T>();
    for (pv::index_t i = 0; i < x.size(); ++i) {
        const T a = x.read(i);
        const T b = y.read(i);
        require(std::memcmp(&a, &b, sizeof(T)) == 0, "mapped and read elements are the same");
    }
}

template <typename T>
void check_writes(const pv::AnyTensor& own) {
    const pv::MutableTensor<T> x = own.as_mutable<T>();
    for (auto element : x) element = T{};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes = std::as_bytes(std::span(data, size));
    const std::optional<pv::NpyHeader> header = parse(bytes);
    if (header) check_header(*header, size);

    static const MemoryFile file("npy_fuzz");
    file.assign(bytes);
    const auto mapped = load(file.path(), pv::Access::read_only);
    const auto read = load(file.path(), pv::Access::in_memory);
    require(mapped.has_value() == read.has_value(), "all ways of access accept the same files");
    if (!mapped) return 0;
    require(header.has_value(), "what is loaded has a header");
    require(header->data_offset + mapped->size_bytes() <= static_cast<pv::index_t>(size),
            "the elements lie within the file");
    require(mapped->shape() == header->shape && read->shape() == header->shape,
            "the shape is the header's");
    pv::visit_stored_dtype(header->dtype, "npy_fuzz", [&]<typename T>(std::type_identity<T>) {
        check_elements<T>(*mapped, *read);
        check_writes<T>(pv::load_npy(file.path(), pv::Access::copy_on_write));
    });
    return 0;
}
