#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/tensor/create.hpp>

#include "base/descriptor.hpp"
#include "dtype/stored_types.hpp"
#include "reader/byte_swapped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
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

template <typename T>
AnyTensor over_mapping(const MappedFile& file, const NpyHeader& header) {
    Dimensions dims = dimensions_of(header);
    const index_t size = header.size();
    const bool writable = file.mode() != MapMode::read_only;
    if (header.byte_swapped) {
        auto swapped =
            std::make_shared<ByteSwapped<T>>(file.bytes().data() + header.data_offset, size,
                                             index_t{sizeof(T)}, file.owner(), file.storage());
        if (writable) return over<T>(std::move(swapped), std::move(dims));
        return tensor(std::shared_ptr<const Reader<T>>(std::move(swapped)), std::move(dims));
    }
    if (writable) return over<T>(mapped_buffer<T>(file, header.data_offset, size), std::move(dims));
    return tensor(mapped_const_buffer<T>(file, header.data_offset, size), std::move(dims));
}

AnyTensor map_npy(const std::string& path, MapMode mode, std::optional<DType> dtype) {
    const MappedFile file(path, mode);
    const std::string where = fmt::format("load_npy: '{}'", path);
    const NpyHeader header = parse_npy_header(file.bytes(), where);
    check_file(header, file.size_bytes(), dtype, where);
    return visit_stored_dtype(header.dtype, "load_npy", [&]<typename T>(std::type_identity<T>) {
        return over_mapping<T>(file, header);
    });
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

NpyHeader read_header(InputFile& file, const std::string& where) {
    constexpr index_t kPrefixBytes = 12;
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(kPrefixBytes, file.size())));
    file.read(bytes.data(), std::ssize(bytes));
    const index_t known = std::ssize(bytes);
    const index_t wanted = std::min(npy_data_offset(bytes, where), file.size());
    if (wanted > known) {
        bytes.resize(static_cast<std::size_t>(wanted));
        file.read(bytes.data() + known, wanted - known);
    }
    return parse_npy_header(bytes, where);
}

AnyTensor read_npy(const std::string& path, std::optional<DType> dtype) {
    InputFile file(path);
    const std::string where = fmt::format("load_npy: '{}'", path);
    const NpyHeader header = read_header(file, where);
    check_file(header, file.size(), dtype, where);
    return visit_stored_dtype(header.dtype, "load_npy", [&]<typename T>(std::type_identity<T>) {
        const index_t size = header.size();
        BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(size);
        auto* const first = static_cast<std::byte*>(buffer->writable_memory().data);
        file.read(first, header.data_bytes());
        if (header.byte_swapped)
            swap_bytes(first, header.data_bytes() / kSwappedBytes<T>, kSwappedBytes<T>);
        if constexpr (std::same_as<T, bool>) // in C++ true is 1, in a file any nonzero byte
            for (index_t i = 0; i < size; ++i) first[i] = std::byte{first[i] != std::byte{}};
        return AnyTensor(over<T>(std::move(buffer), dimensions_of(header)));
    });
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

AnyTensor load_npy(const std::string& path, Access access) { return load(path, access, {}); }

AnyTensor load_npy(const std::string& path, Access access, DType dtype) {
    return load(path, access, dtype);
}

} // namespace purview
