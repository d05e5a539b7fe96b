#include "reader/temporary_file.hpp"

#include "base/bytes_from_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

std::atomic<index_t> used = 0;

/// Counts bytes that are about to be used, against the limit.
void use(const char* what, index_t bytes) {
    const index_t most = temporary_file_limit();
    index_t before = used;
    do {
        if (bytes > most - std::min(before, most))
            throw MemoryLimitError(fmt::format(
                "{}: {} bytes of temporary files beside {} that are in use are more than their limit, {} bytes",
                what, bytes, before, most));
    } while (!used.compare_exchange_weak(before, before + bytes));
}

/// A file that no name leads to, whatever the file system has for that.
int open_without_name(const std::string& folder) {
#ifdef O_TMPFILE
    if (const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
        file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
        return file;
#endif
    std::string path = folder + "/purview-XXXXXX";
    const int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(path.c_str());
    return file;
}

} // namespace

std::string temporary_folder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error)
        file::throw_system_error("temporary_directory",
                                 "find the folder for temporary files (TMPDIR)", folder.string(),
                                 error.value());
    return folder.string();
}

std::atomic<index_t>& temporary_file_limit() {
    static std::atomic<index_t> bytes = [] {
        constexpr const char* kName = "PURVIEW_TEMPORARY_LIMIT";
        const char* const text = std::getenv(kName);
        return text == nullptr || *text == '\0' ? std::numeric_limits<index_t>::max()
                                                : bytes_from_text(kName, text);
    }();
    return bytes;
}

TemporaryFile::TemporaryFile(const char* what, index_t bytes)
    : what_(what), bytes_(0), folder_(temporary_folder()) {
    grow(bytes);
    file_ = file::Descriptor(open_without_name(folder_));
    if (!file_ || ::ftruncate(file_.get(), bytes) != 0) {
        const int reason = errno;
        used -= bytes;
        file::throw_system_error(what, "create a temporary file in", folder_, reason);
    }
}

void TemporaryFile::grow(index_t bytes) {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder_, error);
    if (!error && space.available < static_cast<std::uintmax_t>(bytes))
        throw FormatError(
            fmt::format("{}: {} bytes are needed in the folder for temporary files (TMPDIR) '{}', "
                        "which has {} free",
                        what_, bytes, folder_, space.available));
    use(what_, bytes);
    bytes_ += bytes;
}

TemporaryFile::~TemporaryFile() { used -= bytes_; }

index_t TemporaryFile::append(std::span<const std::byte> bytes) {
    const index_t size = std::ssize(bytes);
    const index_t at = appended_.fetch_add(size);
    if (at + size > bytes_) grow(at + size - bytes_);
    write(at, bytes);
    return at;
}

void TemporaryFile::write(index_t at, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t done = ::pwrite(file_.get(), bytes.data(), bytes.size(), at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            file::throw_system_error(what_, "write a temporary file in", folder_,
                                     done < 0 ? errno : ENOSPC);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        at += done;
    }
}

std::byte* TemporaryFile::map() const {
    void* const memory = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                                MAP_SHARED, file_.get(), 0);
    if (memory == MAP_FAILED)
        file::throw_system_error(what_, "map a temporary file in", folder_, errno);
    return static_cast<std::byte*>(memory);
}

void TemporaryFile::forget(index_t at, index_t bytes) const noexcept {
#ifdef FALLOC_FL_PUNCH_HOLE
    // Where the system cannot, the space stays taken.
    if (bytes > 0)
        static_cast<void>(
            ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, bytes));
#else
    static_cast<void>(at + bytes);
#endif
}

void TemporaryFile::write_later(Part first, Part second) {
    finish();
    later_ = std::async(std::launch::async, [this, first, second] {
        write(first.at, first.bytes);
        write(second.at, second.bytes);
    });
}
void TemporaryFile::finish() {
    if (later_.valid()) later_.get();
}

void TemporaryFile::read(index_t at, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t done = ::pread(file_.get(), bytes.data(), bytes.size(), at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            file::throw_system_error(what_, "read a temporary file in", folder_,
                                     done < 0 ? errno : EIO);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        at += done;
    }
}

} // namespace purview
