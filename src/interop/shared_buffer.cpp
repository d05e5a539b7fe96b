#include <purview/interop/shared_buffer.hpp>

#include <purview/base/errors.hpp>

#include "base/descriptor.hpp"
#include "reader/file_mappings.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kWhat = "shared_buffer";

/// Locks the whole file for this open file description. Whoever maps the memory holds a read lock,
/// which the system releases when a process ends, however it ends; whoever gets the write lock is
/// alone. Lowering a write lock to a read lock lets nobody in between.
bool lock(int descriptor, short type, bool wait) {
    struct ::flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    int result = 0;
    do result = ::fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

struct ::stat status_of(int descriptor, const std::string& name) {
    struct ::stat status {};
    if (::fstat(descriptor, &status) != 0) file::throw_system_error(kWhat, "open", name, errno);
    return status;
}

/// Whether the name still stands for the opened memory: its last user may have removed it.
bool is_named(const std::string& name, const struct ::stat& opened) {
    const file::Descriptor again(::shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0));
    struct ::stat status {};
    return again && ::fstat(again.get(), &status) == 0 && status.st_dev == opened.st_dev &&
           status.st_ino == opened.st_ino;
}

class SharedMapping {
public:
    SharedMapping(std::string name, index_t bytes) : name_(std::move(name)), bytes_(bytes) {
        while (!open()) {}
        void* const mapped = ::mmap(nullptr, static_cast<std::size_t>(bytes),
                                    PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
        if (mapped == MAP_FAILED) {
            const int reason = errno;
            remove_if_last();
            file::throw_system_error(kWhat, "map", name_, reason);
        }
        data_ = mapped;
        try {
            const struct ::stat status = status_of(descriptor_.get(), name_);
            add_file_mapping({static_cast<const std::byte*>(data_),
                              bytes,
                              status.st_dev,
                              status.st_ino,
                              false,
                              {}});
        } catch (...) {
            ::munmap(data_, static_cast<std::size_t>(bytes));
            remove_if_last();
            throw;
        }
    }
    SharedMapping(const SharedMapping&) = delete;
    SharedMapping& operator=(const SharedMapping&) = delete;
    ~SharedMapping() {
        remove_file_mapping(static_cast<const std::byte*>(data_));
        ::munmap(data_, static_cast<std::size_t>(bytes_));
        remove_if_last();
    }

    void* data() const noexcept { return data_; }

private:
    /// False: what the name stood for was removed meanwhile.
    bool open() {
        descriptor_ = file::Descriptor(
            ::shm_open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (!descriptor_) file::throw_system_error(kWhat, "open", name_, errno);
        const bool is_alone = lock(descriptor_.get(), F_WRLCK, false);
        if (!is_alone && !lock(descriptor_.get(), F_RDLCK, true))
            file::throw_system_error(kWhat, "lock", name_, errno);
        const struct ::stat status = status_of(descriptor_.get(), name_);
        if (!is_named(name_, status)) return false;
        if (is_alone) {
            start_anew();
        } else if (status.st_size != bytes_) {
            // Nobody else may be left by now, so that this one has to remove it.
            remove_if_last();
            throw ShapeError(fmt::format("{}: '{}' has {} bytes in other processes, not {}", kWhat,
                                         name_, status.st_size, bytes_));
        }
        return true;
    }
    void start_anew() {
        int error = ::ftruncate(descriptor_.get(), 0) == 0 ? 0 : errno;
        // Reserves the memory: a page that is not there ends a process.
        if (error == 0) error = ::posix_fallocate(descriptor_.get(), 0, bytes_);
        if (error != 0) {
            ::shm_unlink(name_.c_str());
            file::throw_system_error(kWhat, "reserve memory for", name_, error);
        }
        lock(descriptor_.get(), F_RDLCK, false);
    }
    void remove_if_last() noexcept {
        if (!lock(descriptor_.get(), F_WRLCK, false)) return;
        struct ::stat status {};
        if (::fstat(descriptor_.get(), &status) == 0 && is_named(name_, status))
            ::shm_unlink(name_.c_str());
    }

    std::string name_;
    index_t bytes_;
    file::Descriptor descriptor_;
    void* data_ = nullptr;
};

} // namespace

SharedMemory shared_memory(const std::string& given, index_t bytes) {
    if (bytes <= 0) throw ShapeError(fmt::format("{}: {} bytes", kWhat, bytes));
    const std::string name = given.starts_with('/') ? given.substr(1) : given;
    if (name.empty() || name == "." || name == ".." || name.size() > 254 ||
        name.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
        throw FormatError(fmt::format("{}: the name '{}' is no file name of 1 to 254 bytes, as in "
                                      "'counts' or '/counts'",
                                      kWhat, given.substr(0, given.find('\0'))));
    auto mapping = std::make_shared<const SharedMapping>('/' + name, bytes);
    void* const data = mapping->data();
    return {data, std::move(mapping), StorageId{data, bytes}};
}

} // namespace purview
