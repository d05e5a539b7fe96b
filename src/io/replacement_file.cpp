#include "io/replacement_file.hpp"

#include "io/leftover_files.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1::file {
namespace {

constexpr mode_t kPermissions = 07777;

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? std::string{} : path.substr(0, slash + 1);
}

/// The target of symbolic links. Resolved by hand, because it need not exist.
std::string resolve_links(const char* what, std::string path) {
    constexpr int kMostLinks = 40; // Linux's limit
    const std::string asked = path;
    for (int i = 0; i < kMostLinks; ++i) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
        char text[PATH_MAX];
        const auto length = ::readlink(path.c_str(), text, sizeof text);
        if (length < 0) throw_system_error(what, "follow", path, errno);
        if (length == sizeof text) throw_system_error(what, "follow", path, ENAMETOOLONG);
        std::string link(text, static_cast<std::size_t>(length));
        path = link.starts_with('/') ? std::move(link) : directory_of(path) + link;
    }
    throw_system_error(what, "follow", asked, ELOOP);
}

} // namespace

ReplacementFile::ReplacementFile(const char* what, const std::string& path) : what_(what) {
    target_ = resolve_links(what, whole_path(what, "write", path));
    directory_ = directory_of(target_);
    struct stat status {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) fail("write", target_, errno);
    if (exists && !S_ISREG(status.st_mode))
        throw FormatError(fmt::format("{}: '{}' is not a regular file", what, target_));
    // A rename would succeed even if the file is not writable.
    if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
        fail("write", target_, errno);
    if (target_.empty() || target_.size() == directory_.size()) fail("write", path, ENOENT);

    remove_leftovers(directory_);
    // It must not be readable by others before it has the permissions of the old file.
    create_temporary(exists ? 0600 : 0666);
    try {
        if (exists) follow_permissions();
    } catch (...) {
        ::unlink(temporary_.c_str());
        throw;
    }
}

ReplacementFile::~ReplacementFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacementFile::create_temporary(unsigned permissions) {
    constexpr int kAttempts = 100;
    for (int i = 0; i < kAttempts; ++i) {
        std::string name = directory_ + temporary_name();
        if (!try_to_create(name, permissions)) continue;
        temporary_ = std::move(name);
        return;
    }
    fail("create a file in", directory_, EEXIST);
}

/// Returns false if a file of that name exists, or another process has just taken this one for a
/// leftover.
bool ReplacementFile::try_to_create(const std::string& name, unsigned permissions) {
    descriptor_ = Descriptor(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions));
    if (!descriptor_) {
        if (errno == EEXIST) return false;
        fail("create a file in", directory_.empty() ? std::string("./") : directory_, errno);
    }
    if (is_being_removed(descriptor_.get())) return false;
    return true;
}

void ReplacementFile::follow_permissions() const {
    struct stat old {};
    struct stat own {};
    if (::stat(target_.c_str(), &old) != 0 || ::fstat(descriptor_.get(), &own) != 0) return;
    mode_t mode = old.st_mode & kPermissions;
    // If the file cannot be given the old owner, set-user-id and set-group-id must not apply to the
    // new one.
    if ((old.st_uid != own.st_uid || old.st_gid != own.st_gid) &&
        ::fchown(descriptor_.get(), old.st_uid, old.st_gid) != 0)
        mode &= 0777;
    if (::fchmod(descriptor_.get(), mode) != 0) fail("set the permissions of", target_, errno);
}

void ReplacementFile::write(std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 30; // Linux writes no more than 2 GiB at once
    while (!bytes.empty()) {
        const auto written =
            ::write(descriptor_.get(), bytes.data(), std::min(bytes.size(), kMost));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write", target_, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void ReplacementFile::seek(index_t offset_bytes) {
    if (::lseek(descriptor_.get(), static_cast<::off_t>(offset_bytes), SEEK_SET) < 0)
        fail("write", target_, errno);
}

void ReplacementFile::commit(Flush flush) {
    if (flush == Flush::yes && ::fsync(descriptor_.get()) != 0) fail("write", target_, errno);
    if (::close(descriptor_.release()) != 0) fail("write", target_, errno);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace", target_, errno);
    temporary_.clear();
    if (flush == Flush::no) return;
    // Makes the new name survive a power failure. The file is complete either way, and not every
    // file system supports this, so failing is not an error.
    const Descriptor folder(
        ::open(directory_.empty() ? "." : directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) ::fsync(folder.get());
}

void ReplacementFile::fail(const char* step, const std::string& path, int error) const {
    throw_system_error(what_, step, path, error);
}

} // namespace purview::file
