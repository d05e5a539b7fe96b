// Defines purview/zarr/store.hpp.
#include <purview/zarr/store.hpp>

#include "stores/store_keys.hpp"

#include "zip_archive.hpp"

#include "base/descriptor.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// One member is read at a time, as libzip is not for several threads.
class ZipStore final : public Store {
public:
    explicit ZipStore(std::string path)
        : path_(std::move(path)), reader_(path_, fmt::format("zip_store: '{}'", path_)) {}

    std::string name() const override { return fmt::format("'{}'", path_); }
    std::optional<Bytes> get(const std::string& key) const override {
        return get(key, {0, std::numeric_limits<index_t>::max()});
    }
    std::optional<Bytes> get(const std::string& key, ByteRange range) const override {
        zarr::require_key(key, name());
        const std::lock_guard lock(mutex_);
        if (!reader_.has(key)) return std::nullopt;
        sparse::ZipMember member = reader_.member(key);
        auto [left, bytes] = zarr::range_within(range, member.size());
        // What lies in front of a part is inflated, and left.
        Bytes skipped(static_cast<std::size_t>(std::min<index_t>(left, 1 << 16)));
        while (left > 0) {
            const index_t count = std::min(left, std::ssize(skipped));
            member.read(skipped.data(), count);
            left -= count;
        }
        Bytes value(static_cast<std::size_t>(bytes));
        member.read(value.data(), bytes);
        return value;
    }
    std::optional<index_t> size(const std::string& key) const override {
        zarr::require_key(key, name());
        const std::lock_guard lock(mutex_);
        if (!reader_.has(key)) return std::nullopt;
        return reader_.member(key).size();
    }
    std::vector<std::string> list(const std::string& prefix) const override {
        std::vector<std::string> parts;
        for (const std::string& member : reader_.names()) {
            const std::string_view part = zarr::part_below(member, prefix);
            if (!part.empty()) parts.emplace_back(part);
        }
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        return parts;
    }

private:
    std::string path_;
    mutable std::mutex mutex_;
    sparse::ZipReader reader_;
};

} // namespace

std::shared_ptr<Store> zip_store(const std::string& path) {
    file::require_path("zip_store", "open", path);
    std::error_code error;
    if (const auto status = std::filesystem::status(path, error);
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        throw FormatError(fmt::format("zip_store: '{}' is not a regular file", path));
    return std::make_shared<ZipStore>(path);
}

} // namespace purview
