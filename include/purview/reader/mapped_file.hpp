#pragma once

#include <purview/reader/buffer.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// How a file is mapped.
enum class MapMode : std::uint8_t {
    read_only,
    read_write,    ///< writes reach the file, and all other mappings of it
    copy_on_write, ///< writes stay in this mapping; the file is only read
};

/// A file as memory (POSIX `mmap`): opening costs microseconds whatever its size, and pages are
/// read when they are touched. Copies share the mapping, which is closed with its last owner. If
/// the file is truncated meanwhile, touching a page that is gone ends the process (SIGBUS): no
/// library can catch that. Two mappings of one file, opened by the same path or by another, share
/// storage: copies between them are as safe as within one. (Pages that the program itself has
/// mapped twice and wrapped at both addresses look like two arrays: only the program can know.)
class PURVIEW_EXPORT MappedFile {
public:
    /// Maps the whole of a regular file, which may be empty. Throws `FormatError` naming the path
    /// and the system's reason.
    explicit MappedFile(const std::string& path, MapMode mode = MapMode::read_only);
    // Not movable: moving copies, which is as cheap, so a moved-from file is still mapped.
    MappedFile(const MappedFile&) = default;
    MappedFile& operator=(const MappedFile&) = default;
    ~MappedFile() = default;

    const std::string& path() const noexcept;
    MapMode mode() const noexcept;
    index_t size_bytes() const noexcept;
    /// The file's bytes; page-aligned, valid as long as this or an `owner` lives.
    std::span<const std::byte> bytes() const noexcept;
    /// The file's bytes, writable. Throws `ReadOnlyError` naming the path if the file is mapped
    /// read-only.
    std::span<std::byte> writable_bytes() const;
    /// Keeps the mapping alive.
    Owner owner() const noexcept;
    StorageId storage() const noexcept;

private:
    struct Mapping;
    std::shared_ptr<const Mapping> mapping_;
};

/// The number of elements of a file from `offset_bytes` on: `count`, or, if that is not given, all
/// that follow. Throws `FormatError` naming the path when they exceed the file, when the rest is
/// not a whole number of elements, or when an argument is negative.
PURVIEW_EXPORT index_t checked_mapped_count(const MappedFile& file, index_t offset_bytes,
                                            std::optional<index_t> count, DType dtype);

/// `count` elements of a mapped file from `offset_bytes` on, aligned or not, in the machine's byte
/// order; by default all that follow. O(1), zero-copy. Throws `FormatError` as
/// `checked_mapped_count` does.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> ConstBufferPtr<T>
    mapped_const_buffer(const MappedFile& file, index_t offset_bytes = 0,
                        std::optional<index_t> count = std::nullopt) {
        const index_t n = checked_mapped_count(file, offset_bytes, count, kDType<T>);
        const void* const data = file.bytes().data() + offset_bytes;
        return std::make_shared<ConstBuffer<T>>(static_cast<const T*>(data), n, sizeof(T),
                                                file.owner(), file.storage());
    }

/// `count` elements of the file at `path`, which is mapped read-only. Otherwise as of a
/// `MappedFile`.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> ConstBufferPtr<T>
    mapped_const_buffer(const std::string& path, index_t offset_bytes = 0,
                        std::optional<index_t> count = std::nullopt) {
        return mapped_const_buffer<T>(MappedFile(path), offset_bytes, count);
    }

/// `count` elements of a mapped file as a writable buffer. Throws as `mapped_const_buffer` does,
/// and `ReadOnlyError` naming the path when the file is mapped read-only.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> BufferPtr<T>
    mapped_buffer(const MappedFile& file, index_t offset_bytes = 0,
                  std::optional<index_t> count = std::nullopt) {
        void* const bytes = file.writable_bytes().data();
        const index_t n = checked_mapped_count(file, offset_bytes, count, kDType<T>);
        void* const data = static_cast<std::byte*>(bytes) + offset_bytes;
        return std::make_shared<Buffer<T>>(static_cast<T*>(data), n, sizeof(T), file.owner(),
                                           file.storage());
    }

/// `count` elements of the file at `path`, which is mapped in `mode`, as a writable buffer.
/// Otherwise as of a `MappedFile`.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> BufferPtr<T>
    mapped_buffer(const std::string& path, MapMode mode, index_t offset_bytes = 0,
                  std::optional<index_t> count = std::nullopt) {
        return mapped_buffer<T>(MappedFile(path, mode), offset_bytes, count);
    }

} // namespace purview
