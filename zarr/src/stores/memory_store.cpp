// Defines purview/zarr/store.hpp.
#include <purview/zarr/store.hpp>

#include "stores/store_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace purview::inline v0_1 {
namespace {

class MemoryStore final : public Store {
public:
    std::string name() const override { return "memory_store"; }
    std::optional<Bytes> get(const std::string& key) const override {
        const std::shared_ptr<const Bytes> found = find(key);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }
    std::optional<Bytes> get(const std::string& key, ByteRange range) const override {
        const std::shared_ptr<const Bytes> found = find(key);
        if (found == nullptr) return std::nullopt;
        const auto [begin, bytes] = zarr::range_within(range, std::ssize(*found));
        return Bytes(found->begin() + begin, found->begin() + begin + bytes);
    }
    std::optional<index_t> get_into(const std::string& key, index_t offset,
                                    std::span<std::byte> out) const override {
        const std::shared_ptr<const Bytes> found = find(key);
        if (found == nullptr) return std::nullopt;
        const auto [begin, bytes] =
            zarr::range_within({offset, std::ssize(*found)}, std::ssize(*found));
        std::copy_n(found->begin() + begin, std::min(bytes, std::ssize(out)), out.begin());
        return bytes;
    }
    std::optional<index_t> size(const std::string& key) const override {
        const std::shared_ptr<const Bytes> found = find(key);
        return found == nullptr ? std::nullopt : std::optional<index_t>(std::ssize(*found));
    }
    std::vector<std::string> list(const std::string& prefix) const override {
        const std::shared_lock lock(mutex_);
        std::vector<std::string> parts;
        // Keys of one part need not lie side by side: "a/b", "a-", "a/c".
        for (const auto& [key, value] : values_) {
            const std::string_view part = zarr::part_below(key, prefix);
            if (!part.empty()) parts.emplace_back(part);
        }
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        return parts;
    }
    std::optional<std::string> version(const std::string& key) const override {
        const std::shared_lock lock(mutex_);
        const auto found = versions_.find(key);
        return found == versions_.end() ? std::string() : fmt::format("{}", found->second);
    }
    void put(const std::string& key, std::span<const std::byte> value) override {
        zarr::require_key(key, "put");
        auto copied = std::make_shared<const Bytes>(value.begin(), value.end());
        const std::unique_lock lock(mutex_);
        values_.insert_or_assign(key, std::move(copied));
        ++versions_[key];
    }
    void erase(const std::string& key) override {
        const std::unique_lock lock(mutex_);
        if (values_.erase(key) > 0) ++versions_[key];
    }

private:
    std::shared_ptr<const Bytes> find(const std::string& key) const {
        const std::shared_lock lock(mutex_);
        const auto found = values_.find(key);
        return found == values_.end() ? nullptr : found->second;
    }

    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<const Bytes>> values_;
    std::map<std::string, index_t>
        versions_; ///< how often a key was put; also of those erased since
};

} // namespace

std::shared_ptr<Store> memory_store() { return std::make_shared<MemoryStore>(); }

} // namespace purview
