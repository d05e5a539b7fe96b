#include "io/leftover_files.hpp"

#include "base/descriptor.hpp"
#include "base/fork_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1::file {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kPrefix = ".purview-";
constexpr std::string_view kSuffix = ".tmp";
constexpr auto kSearchInterval = std::chrono::minutes(1);

/// Removes a number, followed by the text `behind`, from the front of a text.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view behind,
                                         int base) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(behind)) return std::nullopt;
    text.remove_prefix(behind.size());
    return number;
}

/// The process number in the name of a temporary file; nothing for other names.
std::optional<::pid_t> process_of(std::string_view name) {
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    const auto process = take_number(name, "-", 10);
    if (!process || *process == 0 || *process > INT32_MAX || !take_number(name, "-", 10) ||
        !take_number(name, kSuffix, 16) || !name.empty())
        return std::nullopt;
    return static_cast<::pid_t>(*process);
}

bool is_gone(::pid_t process) noexcept { return ::kill(process, 0) != 0 && errno == ESRCH; }

/// Takes the lock that `is_being_removed` tests. A process in another container, whose number
/// this system does not know, holds that lock while it writes.
void remove_leftover(int folder, const char* name) noexcept {
    struct stat status {};
    const Descriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return;
    ::unlinkat(folder, name, 0);
}

/// The directories that were searched last, and when.
class SearchTimes {
public:
    /// Whether a directory is due for a search. Records the search.
    bool is_due(const struct stat& folder) noexcept {
        const SteadyClock::time_point now = SteadyClock::now();
        const std::scoped_lock lock(mutex_);
        const auto known = std::ranges::find_if(searches_, [&](const Search& search) {
            return search.device == folder.st_dev && search.inode == folder.st_ino && search.when;
        });
        if (known != searches_.end() && now - *known->when < kSearchInterval) return false;
        Search& place = known != searches_.end() ? *known : searches_[next_++ % searches_.size()];
        place = {folder.st_dev, folder.st_ino, now};
        return true;
    }
    std::mutex& mutex() noexcept { return mutex_; }

private:
    struct Search {
        ::dev_t device = 0;
        ::ino_t inode = 0;
        std::optional<SteadyClock::time_point> when;
    };
    std::mutex mutex_;
    std::array<Search, 16> searches_;
    std::size_t next_ = 0;
};

SearchTimes& search_times();
std::mutex& search_times_mutex() { return search_times().mutex(); }

SearchTimes& search_times() {
    static SearchTimes& all = []() -> SearchTimes& {
        auto made = std::make_unique<SearchTimes>();
        lock_while_forking<search_times_mutex>();
        return *made.release();
    }();
    return all;
}

} // namespace

std::string temporary_name() {
    static std::atomic<std::uint32_t> calls{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return fmt::format("{}{}-{}-{:x}{}", kPrefix, ::getpid(), ++calls, now, kSuffix);
}

bool is_being_removed(int descriptor) noexcept {
    // On file systems without locks no leftovers are removed.
    if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && status.st_nlink == 0;
}

void remove_leftovers(const std::string& directory) noexcept {
    const char* const path = directory.empty() ? "." : directory.c_str();
    ::DIR* const folder = ::opendir(path);
    if (folder == nullptr) return;
    const std::unique_ptr<::DIR, int (*)(::DIR*)> closing(folder, &::closedir);
    struct stat status {};
    if (::fstat(::dirfd(folder), &status) != 0) return;
    try {
        if (!search_times().is_due(status)) return;
    } catch (const std::bad_alloc&) {
        return; // at the next call
    }
    while (const ::dirent* const entry = ::readdir(folder)) {
        const std::optional<::pid_t> process = process_of(entry->d_name);
        if (process && is_gone(*process)) remove_leftover(::dirfd(folder), entry->d_name);
    }
}

} // namespace purview::file
