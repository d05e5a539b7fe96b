// Defines purview/sparse/npz.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/sparse/npz.hpp>
#include <purview/tensor/copy.hpp>

#include "reader/byte_swapped.hpp"
#include "zip_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using sparse::ZipMember;
using sparse::ZipReader;

/// The bytes of a member up to its data.
std::vector<std::byte> read_head(ZipMember& member) {
    constexpr index_t kPrefix = 12;
    std::vector<std::byte> head(static_cast<std::size_t>(std::min(kPrefix, member.size())));
    member.read(head.data(), std::ssize(head));
    const index_t offset = std::min(npy_data_offset(head, member.where()), member.size());
    const index_t known = std::ssize(head);
    if (offset > known) {
        head.resize(static_cast<std::size_t>(offset));
        member.read(head.data() + known, offset - known);
    }
    return head;
}

/// An array of rank 1, in memory of its own.
AnyTensor read_array(const ZipReader& file, const char* name) {
    ZipMember member = file.member(std::string(name) + ".npy");
    const std::vector<std::byte> head = read_head(member);
    const NpyHeader header = parse_npy_header(head, member.where());
    if (header.shape.size() != 1)
        throw FormatError(
            fmt::format("{}: shape {} is not of rank 1", member.where(), to_string(header.shape)));
    if (header.data_bytes() != member.size() - header.data_offset)
        throw FormatError(fmt::format("{}: {} of {} in {} bytes", member.where(), header.size(),
                                      header.dtype.name(), member.size() - header.data_offset));
    // Bytes of `head` behind the header are data already.
    return visit_dtype(header.dtype, "load_npz", [&]<typename T>(std::type_identity<T>) {
        const BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(header.size());
        auto* const first = static_cast<std::byte*>(buffer->writable_memory().data);
        const index_t known = std::ssize(head) - header.data_offset;
        std::copy_n(head.begin() + header.data_offset, known, first);
        member.read(first + known, header.data_bytes() - known);
        if (header.byte_swapped) swap_bytes(first, header.size(), sizeof(T));
        if constexpr (std::same_as<T, bool>)
            for (index_t i = 0; i < header.size(); ++i)
                first[i] = std::byte{first[i] != std::byte{}};
        return AnyTensor(tensor(buffer));
    });
}

/// Calls `f`. Its errors, which do not name the file, are thrown again with `where` in front.
template <typename F>
auto naming(const std::string& where, F&& f) {
    try {
        return f();
    } catch (const IndexError& error) {
        throw IndexError(fmt::format("{}: {}", where, error.what()));
    } catch (const ShapeError& error) {
        throw ShapeError(fmt::format("{}: {}", where, error.what()));
    } catch (const CastError& error) {
        throw CastError(fmt::format("{}: {}", where, error.what()));
    }
}

/// Integers of the file, converted to `I`.
template <typename I>
Tensor<I> as_indexes(const AnyTensor& read, const std::string& where) {
    if (read.dtype() == kDType<I>) return read.as<I>();
    return naming(where, [&] { return clone(cast<I>(read)).template as<I>(); });
}

/// The form that SciPy names, as bytes or as text of rank 0.
std::string read_form(const ZipReader& file) {
    if (!file.has("format.npy"))
        throw FormatError(
            fmt::format("{}, member 'format.npy': is missing: the file holds no sparse "
                        "matrix. load_npz_arrays reads arrays by their names",
                        file.where()));
    ZipMember member = file.member("format.npy");
    if (member.size() > 4096)
        throw FormatError(fmt::format("{}: is too long for a name", member.where()));
    std::vector<std::byte> bytes(static_cast<std::size_t>(member.size()));
    member.read(bytes.data(), member.size());
    const index_t offset = npy_data_offset(bytes, member.where());
    if (offset > member.size())
        throw FormatError(fmt::format("{}: ends within its header", member.where()));
    std::string text;
    for (const std::byte b : bytes) text += static_cast<char>(b);
    const std::string header = text.substr(0, static_cast<std::size_t>(offset));
    if (header.find("'|S") == std::string::npos && header.find("'<U") == std::string::npos &&
        header.find("'>U") == std::string::npos)
        throw FormatError(fmt::format("{}: is no text", member.where()));
    std::string form;
    for (const char c : text.substr(static_cast<std::size_t>(offset)))
        if (c != '\0') form += c; // UTF-32 of ASCII, or bytes
    return form;
}

struct Parts {
    std::string form;
    index_t rows = 0;
    index_t columns = 0;
};

Parts read_parts(const ZipReader& file) {
    Parts parts{.form = read_form(file)};
    if (parts.form != "csr" && parts.form != "csc" && parts.form != "coo")
        throw FormatError(fmt::format("{}: holds none of csr, csc and coo", file.where()));
    const AnyTensor shape = read_array(file, "shape");
    if (!shape.dtype().is_integer() || shape.size() != 2)
        throw FormatError(fmt::format("{}: has no shape of two integers", file.where()));
    const auto sizes = as_indexes<index_t>(shape, file.where() + ", member 'shape.npy'");
    parts.rows = sizes(0);
    parts.columns = sizes(1);
    return parts;
}

template <typename I>
Tensor<I> read_indexes(const ZipReader& file, const char* name) {
    const AnyTensor read = read_array(file, name);
    const std::string where = fmt::format("{}, member '{}.npy'", file.where(), name);
    if (!read.dtype().is_integer())
        throw FormatError(fmt::format("{}: holds {} and no integers", where, read.dtype().name()));
    return as_indexes<I>(read, where);
}

template <typename T>
Tensor<T> read_values(const ZipReader& file) {
    const AnyTensor read = read_array(file, "data");
    if (read.dtype() != kDType<T>)
        throw DtypeError(fmt::format("{}: holds {} and not {}", file.where(), read.dtype().name(),
                                     kDType<T>.name()));
    return read.as<T>();
}

template <typename I>
bool has_ordered_rows(std::span<const I> pointers, std::span<const I> indices) {
    for (std::size_t r = 0; r + 1 < pointers.size(); ++r)
        for (I k = pointers[r] + 1; k < pointers[r + 1]; ++k)
            if (indices[static_cast<std::size_t>(k - 1)] >= indices[static_cast<std::size_t>(k)])
                return false;
    return true;
}

/// Compressed rows, which SciPy may have left in any order, with places that come more than once:
/// these rows are sorted, and such entries summed.
template <typename T, typename I>
CsrMatrix<T, I> rows_of(index_t rows, index_t columns, const Tensor<I>& pointers,
                        const Tensor<I>& indices, const Tensor<T>& values) {
    const std::span<const I> begins = as_span(pointers);
    const auto stored = static_cast<std::uint64_t>(indices.size());
    bool holds = rows >= 0 && pointers.size() - 1 == rows && begins[0] == 0;
    for (std::size_t r = 0; holds && r + 1 < begins.size(); ++r)
        holds = begins[r] <= begins[r + 1] && static_cast<std::uint64_t>(begins[r + 1]) <= stored;
    holds = holds && static_cast<std::uint64_t>(begins.back()) == stored;
    // If pointers are wrong, the constructor throws an error that says how.
    if (!holds || has_ordered_rows<I>(begins, as_span(indices)))
        return {rows, columns, pointers, indices, values};
    const MutableTensor<I> of_entry = empty<I>({indices.size()});
    I* const out = as_span(of_entry).data();
    for (std::size_t r = 0; r + 1 < begins.size(); ++r)
        std::fill(out + begins[r], out + begins[r + 1], static_cast<I>(r));
    return to_csr(CooMatrix<T, I>(rows, columns, of_entry, indices, values));
}

/// The rows of a csr, the columns of a csc as the rows of its transpose.
template <typename T, typename I>
CsrMatrix<T, I> from_compressed(const ZipReader& file, const Parts& parts) {
    const bool by_rows = parts.form == "csr";
    const index_t rows = by_rows ? parts.rows : parts.columns;
    const index_t columns = by_rows ? parts.columns : parts.rows;
    const Tensor<I> pointers = read_indexes<I>(file, "indptr");
    const Tensor<I> indices = read_indexes<I>(file, "indices");
    const Tensor<T> values = read_values<T>(file);
    return naming(by_rows ? file.where() : file.where() + ", transposed",
                  [&] { return rows_of<T, I>(rows, columns, pointers, indices, values); });
}

/// Throws `FormatError` where there are far more rows than entries: their pointers would take
/// memory out of all proportion to the file.
void check_rows(const ZipReader& file, index_t rows, index_t stored) {
    if (rows > std::max<index_t>(index_t{1} << 22, 64 * stored))
        throw FormatError(fmt::format("{}: {} rows for {} entries are out of all proportion",
                                      file.where(), rows, stored));
}

template <typename T, typename I>
CooMatrix<T, I> from_coordinates(const ZipReader& file, const Parts& parts) {
    const Tensor<I> rows = read_indexes<I>(file, "row");
    const Tensor<I> columns = read_indexes<I>(file, "col");
    const Tensor<T> values = read_values<T>(file);
    return naming(file.where(), [&] {
        return CooMatrix<T, I>(parts.rows, parts.columns, rows, columns, values);
    });
}

} // namespace

template <typename T, typename I>
CsrMatrix<T, I> load_npz(const std::string& path) {
    const ZipReader file(path, fmt::format("load_npz: '{}'", path));
    const Parts parts = read_parts(file);
    if (parts.form == "csr") return from_compressed<T, I>(file, parts);
    if (parts.form == "csc") {
        const auto columns = from_compressed<T, I>(file, parts);
        check_rows(file, parts.rows, columns.stored());
        return naming(file.where(), [&] { return to_csr(transposed(columns)); });
    }
    const CooMatrix<T, I> coordinates = from_coordinates<T, I>(file, parts);
    check_rows(file, parts.rows, coordinates.stored());
    return naming(file.where(), [&] { return to_csr(coordinates); });
}

template <typename T, typename I>
CooMatrix<T, I> load_npz_coo(const std::string& path) {
    const ZipReader file(path, fmt::format("load_npz: '{}'", path));
    const Parts parts = read_parts(file);
    if (parts.form == "coo") return from_coordinates<T, I>(file, parts);
    const auto matrix = from_compressed<T, I>(file, parts);
    return naming(file.where(), [&] {
        return parts.form == "csr" ? to_coo(matrix) : to_coo(transposed(matrix));
    });
}

#define PURVIEW_MAKE_NPZ(T)           \
 PURVIEW_NPZ_LOADS(, T, std::int32_t) \
 PURVIEW_NPZ_LOADS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_NPZ)
#undef PURVIEW_MAKE_NPZ

} // namespace purview
