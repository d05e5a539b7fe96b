#include <purview/base/errors.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/reader/mapped_file.hpp>

#include "base/descriptor.hpp"
#include "expression/stored_leaf.hpp"
#include "io/npy_array.hpp"
#include "reader/byte_swapped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

/// Throws unless a file of `file_bytes` bytes contains the elements that its header promises, of
/// the type asked for.
void check_file(const NpyHeader& header, index_t file_bytes, std::optional<DType> dtype,
                const std::string& where) {
    if (dtype.has_value() && *dtype != header.dtype)
        throw DtypeError(
            fmt::format("{}: holds {} and not {}", where, header.dtype.name(), dtype->name()));
    const index_t needed = header.data_offset + header.data_bytes();
    if (file_bytes < needed)
        throw FormatError(fmt::format("{}: shape {} of {} needs {} bytes from byte {} on, and the "
                                      "file has {}",
                                      where, to_string(header.shape), header.dtype.name(),
                                      header.data_bytes(), header.data_offset,
                                      file_bytes - header.data_offset));
}

Dimensions dimensions_of(const NpyHeader& header) {
    return header.column_major ? Dimensions::column_major(header.shape)
                               : Dimensions::row_major(header.shape);
}

AnyTensor map_npy(const std::string& path, MapMode mode, std::optional<DType> dtype) {
    const MappedFile file(path, mode);
    return npy::mapped_array(file, 0, file.size_bytes(), dtype,
                             fmt::format("load_npy: '{}'", path));
}

/// A regular file that is read sequentially.
class InputFile {
public:
    explicit InputFile(const std::string& path) : path_(path), descriptor_(open(path)) {
        struct stat status {};
        if (::fstat(descriptor_.get(), &status) != 0)
            file::throw_system_error("load_npy", "examine", path_, errno);
        if (!S_ISREG(status.st_mode))
            throw FormatError(fmt::format("load_npy: '{}' is not a regular file", path_));
        size_ = static_cast<index_t>(status.st_size);
    }

    index_t size() const noexcept { return size_; }

    /// Reads the next `count` bytes. The file has `size` bytes, unless it is truncated meanwhile.
    void read(std::byte* out, index_t count) {
        while (count > 0) {
            const auto got = ::read(descriptor_.get(), out, static_cast<std::size_t>(count));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) file::throw_system_error("load_npy", "read", path_, errno);
            if (got == 0)
                throw FormatError(
                    fmt::format("load_npy: '{}' was truncated while it was read, {} bytes before "
                                "the end",
                                path_, count));
            out += got;
            count -= static_cast<index_t>(got);
        }
    }

private:
    /// Non-blocking, because opening a pipe would otherwise wait for its other end.
    static file::Descriptor open(const std::string& path) {
        file::Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (!descriptor) file::throw_system_error("load_npy", "open", path, errno);
        return descriptor;
    }

    const std::string& path_;
    file::Descriptor descriptor_;
    index_t size_ = 0;
};

AnyTensor read_npy(const std::string& path, std::optional<DType> dtype) {
    InputFile file(path);
    return npy::read_array([&](std::byte* out, index_t count) { file.read(out, count); },
                           file.size(), dtype, fmt::format("load_npy: '{}'", path));
}

AnyTensor load(const std::string& path, Access access, std::optional<DType> dtype) {
    file::require_path("load_npy", "open", path);
    switch (access) {
    case Access::read_only: return map_npy(path, MapMode::read_only, dtype);
    case Access::copy_on_write: return map_npy(path, MapMode::copy_on_write, dtype);
    case Access::read_write: return map_npy(path, MapMode::read_write, dtype);
    case Access::in_memory: return read_npy(path, dtype);
    }
    throw Error(fmt::format("load_npy: {} is no way of access", static_cast<int>(access)));
}

} // namespace

namespace npy {
namespace {

/// The header, and the bytes of the data that were read with it.
struct Beginning {
    NpyHeader header;
    std::vector<std::byte> data;
};

Beginning read_beginning(ReadBytes read, index_t bytes, const std::string& where) {
    constexpr index_t kPrefixBytes = 12;
    std::vector<std::byte> head(static_cast<std::size_t>(std::min(kPrefixBytes, bytes)));
    read(head.data(), std::ssize(head));
    const index_t known = std::ssize(head);
    const index_t wanted = std::min(npy_data_offset(head, where), bytes);
    if (wanted > known) {
        head.resize(static_cast<std::size_t>(wanted));
        read(head.data() + known, wanted - known);
    }
    NpyHeader header = parse_npy_header(head, where);
    head.erase(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(header.data_offset));
    return {std::move(header), std::move(head)};
}

} // namespace

AnyTensor read_array(ReadBytes read, index_t bytes, std::optional<DType> dtype,
                     const std::string& where) {
    const auto [header, data] = read_beginning(read, bytes, where);
    check_file(header, bytes, dtype, where);
    Operand result =
        new_stored_memory("load_npy", header.dtype, dimensions_of(header), /*initialized=*/false);
    auto* const first = static_cast<std::byte*>(leaf_of(result)->writable_memory().data);
    const index_t size = header.data_bytes();
    const index_t known = std::min(std::ssize(data), size);
    std::copy_n(data.begin(), known, first);
    read(first + known, size - known);
    if (header.byte_swapped) {
        const index_t width = swapped_width(header.dtype);
        swap_bytes(first, size / width, width);
    }
    if (header.dtype == boolean) // in C++ true is 1, in a file any nonzero byte
        for (index_t i = 0; i < size; ++i) first[i] = std::byte{first[i] != std::byte{}};
    return AnyTensor::writable(std::move(result));
}

AnyTensor mapped_array(const MappedFile& file, index_t begin, index_t bytes,
                       std::optional<DType> dtype, const std::string& where) {
    const auto part =
        file.bytes().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
    const NpyHeader header = parse_npy_header(part, where);
    check_file(header, bytes, dtype, where);
    const std::byte* const first = file.bytes().data() + begin + header.data_offset;
    const StoredMemory elements{.dtype = header.dtype,
                                .data = const_cast<std::byte*>(first), // written if writable
                                .size = header.size(),
                                .stride_bytes = header.dtype.size_bytes(),
                                .swapped = header.byte_swapped,
                                .writable = file.mode() != MapMode::read_only};
    Operand result{leaf_over_stored("load_npy", elements, file.owner(), file.storage()),
                   dimensions_of(header)};
    return elements.writable ? AnyTensor::writable(std::move(result))
                             : AnyTensor(std::move(result));
}

} // namespace npy

AnyTensor load_npy(const std::string& path, Access access) { return load(path, access, {}); }

AnyTensor load_npy(const std::string& path, Access access, DType dtype) {
    return load(path, access, dtype);
}

} // namespace purview
