#include <purview/base/errors.hpp>
#include <purview/reader/mapped_file.hpp>

#include "base/descriptor.hpp"
#include "reader/file_mappings.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <limits>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kMappedFile = "MappedFile";

} // namespace

struct MappedFile::Mapping {
    Mapping(const std::string& file, MapMode map_mode) : path(file), mode(map_mode) {
        const std::string whole = file::whole_path(kMappedFile, "open", path);
        // Non-blocking, because opening a pipe would otherwise wait for its other end.
        const int access = mode == MapMode::read_write ? O_RDWR : O_RDONLY;
        // The descriptor is needed only until the file is mapped.
        const file::Descriptor descriptor(::open(path.c_str(), access | O_CLOEXEC | O_NONBLOCK));
        if (!descriptor) file::throw_system_error(kMappedFile, "open", path, errno);

        struct stat status {};
        if (::fstat(descriptor.get(), &status) != 0)
            file::throw_system_error(kMappedFile, "examine", path, errno);
        if (!S_ISREG(status.st_mode))
            throw FormatError(fmt::format("MappedFile: '{}' is not a regular file", path));
        size_bytes = static_cast<index_t>(status.st_size);
        if (size_bytes == 0) return;
        if (static_cast<std::uint64_t>(size_bytes) > std::numeric_limits<std::size_t>::max())
            throw FormatError(
                fmt::format("MappedFile: '{}' has {} bytes, more than fit the address "
                            "space",
                            path, size_bytes));

        const int protection = mode == MapMode::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
        // Reserves no swap space for pages that may never be written, so that any file can be
        // mapped.
        const int sharing =
            mode == MapMode::copy_on_write ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED;
        void* const mapped = ::mmap(nullptr, static_cast<std::size_t>(size_bytes), protection,
                                    sharing, descriptor.get(), 0);
        if (mapped == MAP_FAILED) file::throw_system_error(kMappedFile, "map", path, errno);
        data = mapped;
        try {
            add_file_mapping({static_cast<const std::byte*>(data), size_bytes, status.st_dev,
                              status.st_ino, mode == MapMode::copy_on_write, whole});
        } catch (...) {
            ::munmap(data, static_cast<std::size_t>(size_bytes));
            throw;
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (size_bytes == 0) return;
        remove_file_mapping(static_cast<const std::byte*>(data));
        ::munmap(data, static_cast<std::size_t>(size_bytes));
    }

    std::string path;
    MapMode mode;
    index_t size_bytes = 0;
    void* data = empty_memory();
};

MappedFile::MappedFile(const std::string& path, MapMode mode)
    : mapping_(std::make_shared<const Mapping>(path, mode)) {}

const std::string& MappedFile::path() const noexcept { return mapping_->path; }

MapMode MappedFile::mode() const noexcept { return mapping_->mode; }

index_t MappedFile::size_bytes() const noexcept { return mapping_->size_bytes; }

std::span<const std::byte> MappedFile::bytes() const noexcept {
    return {static_cast<const std::byte*>(mapping_->data),
            static_cast<std::size_t>(mapping_->size_bytes)};
}

std::span<std::byte> MappedFile::writable_bytes() const {
    if (mapping_->mode == MapMode::read_only)
        throw ReadOnlyError(fmt::format("MappedFile: '{}' is mapped read-only", mapping_->path));
    return {static_cast<std::byte*>(mapping_->data),
            static_cast<std::size_t>(mapping_->size_bytes)};
}

Owner MappedFile::owner() const noexcept { return mapping_; }

StorageId MappedFile::storage() const noexcept { return {mapping_->data, mapping_->size_bytes}; }

index_t checked_mapped_count(const MappedFile& file, index_t offset_bytes,
                             std::optional<index_t> count, DType dtype) {
    const index_t size = file.size_bytes();
    const index_t element = dtype.size_bytes();
    if (offset_bytes < 0 || offset_bytes > size)
        throw FormatError(fmt::format("mapped_buffer: offset {} leaves '{}' of {} bytes",
                                      offset_bytes, file.path(), size));
    const index_t rest = size - offset_bytes;
    if (!count) {
        if (rest % element != 0)
            throw FormatError(
                fmt::format("mapped_buffer: the {} bytes of '{}' from offset {} on are "
                            "no whole number of {} elements of {} bytes",
                            rest, file.path(), offset_bytes, dtype.name(), element));
        return rest / element;
    }
    if (*count < 0 || *count > rest / element)
        throw FormatError(
            fmt::format("mapped_buffer: {} elements of {} from offset {} on leave '{}' "
                        "of {} bytes",
                        *count, dtype.name(), offset_bytes, file.path(), size));
    return *count;
}

} // namespace purview
