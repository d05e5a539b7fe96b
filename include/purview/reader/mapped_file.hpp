#pragma once

#include <purview/reader/buffer.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace purview {

/// How a file is mapped.
enum class MapMode : std::uint8_t {
    read_only,
    read_write,    ///< writes reach the file, and everybody else who has mapped it
    copy_on_write, ///< writes stay in this mapping; the file is only read
};

/// A file as memory (POSIX `mmap`): opening costs microseconds whatever its size, and pages are read
/// when they are touched. Copies share the mapping, which is closed when its last owner goes. If
/// somebody truncates the file meanwhile, touching what is gone ends the process (SIGBUS): no library
/// can catch that. Two of one file, by the same path or by another, share storage: copies between them
/// are as safe as within one. (Pages that the program itself has mapped twice, and wrapped at both addresses, look like two
/// arrays: nobody but the program can know.)
class PURVIEW_EXPORT MappedFile {
public:
    /// Maps the whole of a regular file; one of no bytes will do. Throws `FormatError` naming the path
    /// and the system's reason.
    explicit MappedFile(const std::string& path, MapMode mode = MapMode::read_only);
    // Moving copies, which is as cheap: a file that was moved from is still mapped.
    MappedFile(const MappedFile&) = default;
    MappedFile& operator=(const MappedFile&) = default;
    ~MappedFile() = default;

    const std::string& path() const noexcept;
    MapMode mode() const noexcept;
    index_t size_bytes() const noexcept;
    /// The file's bytes; page-aligned, valid as long as this or an `owner` lives.
    std::span<const std::byte> bytes() const noexcept;
    /// The same to write. Throws `ReadOnlyError` naming the path if it is mapped read-only.
    std::span<std::byte> writable_bytes() const;
    /// What keeps the mapping alive.
    Owner owner() const noexcept;
    StorageId storage() const noexcept;

private:
    struct Mapping;
    std::shared_ptr<const Mapping> mapping_;
};

/// Where the `count` elements at `offset_bytes` lie in a file; by default as many as follow. Throws
/// `FormatError` naming the path when they leave the file, when the rest is no whole number of
/// elements, or when an argument is negative.
PURVIEW_EXPORT index_t checked_mapped_count(const MappedFile& file, index_t offset_bytes,
                                            std::optional<index_t> count, DType dtype);

/// `count` elements of a mapped file from `offset_bytes` on, aligned or not, in the machine's byte
/// order; by default all that follow. O(1), zero-copy. Throws `FormatError` naming the path when they
/// leave the file.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> ConstBufferPtr<T>
    mapped_const_buffer(const MappedFile& file, index_t offset_bytes = 0,
                        std::optional<index_t> count = std::nullopt) {
        const index_t n = checked_mapped_count(file, offset_bytes, count, kDType<T>);
        const void* const data = file.bytes().data() + offset_bytes;
        return std::make_shared<ConstBuffer<T>>(static_cast<const T*>(data), n, sizeof(T),
                                                file.owner(), file.storage());
    }

/// The same, mapping the file read-only first.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> ConstBufferPtr<T>
    mapped_const_buffer(const std::string& path, index_t offset_bytes = 0,
                        std::optional<index_t> count = std::nullopt) {
        return mapped_const_buffer<T>(MappedFile(path), offset_bytes, count);
    }

/// The same to read and write. Throws also `ReadOnlyError` naming the path when the file is mapped
/// read-only: that is what `mapped_const_buffer` is for.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> BufferPtr<T>
    mapped_buffer(const MappedFile& file, index_t offset_bytes = 0,
                  std::optional<index_t> count = std::nullopt) {
        void* const first = file.writable_bytes().data();
        const index_t n = checked_mapped_count(file, offset_bytes, count, kDType<T>);
        void* const data = static_cast<std::byte*>(first) + offset_bytes;
        return std::make_shared<Buffer<T>>(static_cast<T*>(data), n, sizeof(T), file.owner(),
                                           file.storage());
    }

/// The same, mapping the file first.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> BufferPtr<T>
    mapped_buffer(const std::string& path, MapMode mode, index_t offset_bytes = 0,
                  std::optional<index_t> count = std::nullopt) {
        return mapped_buffer<T>(MappedFile(path, mode), offset_bytes, count);
    }

} // namespace purview
