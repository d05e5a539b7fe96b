// Defines purview/zarr/store.hpp.
#include <purview/zarr/store.hpp>

#include "stores/store_keys.hpp"

#include "base/descriptor.hpp"
#include "io/read_file.hpp"
#include "io/replacement_file.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

class DirectoryStore final : public Store {
public:
    explicit DirectoryStore(const std::string& path)
        : path_(file::whole_path("directory_store", "open", path)) {
        if (path_.empty()) throw FormatError("directory_store: the path is empty");
        std::error_code error;
        const std::filesystem::path whole = std::filesystem::weakly_canonical(path_, error);
        identity_ = error ? path_ : whole.string();
    }

    std::string name() const override { return fmt::format("'{}'", path_); }
    std::string identity() const override { return fmt::format("folder {}", identity_); }

    std::optional<Bytes> get(const std::string& key) const override {
        return get(key, {0, std::numeric_limits<index_t>::max()});
    }
    std::optional<Bytes> get(const std::string& key, ByteRange range) const override {
        const file::ReadFile file(name(), path_of(key));
        if (!file) return std::nullopt;
        const auto [offset, bytes] = zarr::range_within(range, file.size_bytes());
        Bytes value(static_cast<std::size_t>(bytes));
        file.read(offset, value);
        return value;
    }
    std::optional<index_t> get_into(const std::string& key, index_t offset,
                                    std::span<std::byte> out) const override {
        const file::ReadFile file(name(), path_of(key));
        if (!file) return std::nullopt;
        const auto [begin, bytes] =
            zarr::range_within({offset, file.size_bytes()}, file.size_bytes());
        file.read(begin, out.first(std::min(out.size(), static_cast<std::size_t>(bytes))));
        return bytes;
    }
    void will_get(const std::string& key, ByteRange range) const override {
        const file::ReadFile file(name(), path_of(key));
        if (!file) return;
        const auto [offset, bytes] = zarr::range_within(range, file.size_bytes());
        file.will_read(offset, bytes);
    }
    std::optional<index_t> size(const std::string& key) const override {
        const file::ReadFile file(name(), path_of(key));
        if (!file) return std::nullopt;
        return file.size_bytes();
    }
    std::vector<std::string> list(const std::string& prefix) const override {
        std::vector<std::string> parts;
        std::error_code error;
        std::filesystem::directory_iterator entry(prefix.empty() ? path_ : path_of(prefix), error);
        for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
            parts.push_back(entry->path().filename().string());
        std::sort(parts.begin(), parts.end());
        return parts;
    }
    void put(const std::string& key, std::span<const std::byte> value) override {
        const std::string path = path_of(key);
        const std::filesystem::path folder = std::filesystem::path(path).parent_path();
        std::error_code error;
        if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)))
            throw FormatError(
                fmt::format("put: '{}' is a link, whose target is not replaced", path));
        std::filesystem::create_directories(folder, error);
        if (error) file::throw_system_error("put", "create the folder", folder, error.value());
        file::ReplacementFile file("put", path);
        file.write(value);
        // A process that ends leaves whole files; waiting for the disk, for each chunk, would take longer than writing.
        file.commit(file::ReplacementFile::Flush::no);
    }
    std::optional<std::string> version(const std::string& key) const override {
        struct stat status {};
        if (::stat(path_of(key).c_str(), &status) != 0) return std::string("none");
        // Times are those of the system's last tick, and numbers of files are used again.
        constexpr auto kLongestTick = std::chrono::milliseconds(100);
        const std::chrono::seconds seconds(status.st_mtim.tv_sec);
        const std::chrono::nanoseconds written =
            seconds + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        if (now - written < kLongestTick) return std::nullopt;
        return fmt::format("{} {} {}", status.st_ino, status.st_size, written.count());
    }
    void erase(const std::string& key) override {
        const std::string path = path_of(key);
        if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR)
            file::throw_system_error(name().c_str(), "erase", path, errno);
    }
    void erase_all(const std::string& key) override {
        // Of a link that leads elsewhere, the link alone.
        const std::string path = path_of(key);
        std::error_code error;
        std::filesystem::remove_all(path, error);
        if (error) file::throw_system_error(name().c_str(), "erase", path, error.value());
    }
    void move_all(const std::string& key, const std::string& to) override {
        const std::string path = path_of(key);
        std::error_code error;
        std::filesystem::rename(path, path_of(to), error);
        if (error) file::throw_system_error(name().c_str(), "move", path, error.value());
    }

private:
    std::string path_of(const std::string& key) const {
        zarr::require_key(key, name());
        return fmt::format("{}/{}", path_, key);
    }

    std::string path_;
    std::string identity_;
};

} // namespace

std::shared_ptr<Store> directory_store(const std::string& path) {
    return std::make_shared<DirectoryStore>(path);
}

} // namespace purview
