#include "reader/file_mappings.hpp"

#include "base/fork_lock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace purview::inline v0_1 {
namespace {

struct Mappings {
    std::mutex mutex;
    std::vector<FileMapping> all;
};

Mappings& mappings();
std::mutex& mappings_mutex() { return mappings().mutex; }

/// Never destroyed: static objects may hold mappings.
Mappings& mappings() {
    static Mappings& known = []() -> Mappings& {
        auto made = std::make_unique<Mappings>();
        lock_while_forking<mappings_mutex>();
        return *made.release();
    }();
    return known;
}

/// The number of mappings of a file that had been mapped before.
std::atomic<index_t> repeated{0};

bool is_same_file(const FileMapping& a, const FileMapping& b) noexcept {
    return a.device == b.device && a.inode == b.inode;
}

index_t count_of_file(const std::vector<FileMapping>& all, const FileMapping& mapping) noexcept {
    return std::ranges::count_if(all,
                                 [&](const FileMapping& x) { return is_same_file(x, mapping); });
}

} // namespace

void add_file_mapping(const FileMapping& mapping) {
    Mappings& known = mappings();
    const std::scoped_lock lock(known.mutex);
    known.all.push_back(mapping);
    if (count_of_file(known.all, mapping) > 1) repeated.fetch_add(1, std::memory_order_relaxed);
}

void remove_file_mapping(const std::byte* first) noexcept {
    Mappings& known = mappings();
    const std::scoped_lock lock(known.mutex);
    const auto at = std::ranges::find(known.all, first, &FileMapping::first);
    if (count_of_file(known.all, *at) > 1) repeated.fetch_sub(1, std::memory_order_relaxed);
    *at = known.all.back();
    known.all.pop_back();
}

std::optional<FileMapping> mapping_at(const void* address) {
    Mappings& known = mappings();
    const std::scoped_lock lock(known.mutex);
    const auto found = std::ranges::find_if(known.all, [&](const FileMapping& x) {
        return x.holds(static_cast<const std::byte*>(address));
    });
    if (found == known.all.end()) return std::nullopt;
    return *found;
}

bool has_files_mapped_twice() noexcept { return repeated.load(std::memory_order_relaxed) > 0; }

std::ptrdiff_t between_mappings(const void* a, const void* b) noexcept {
    if (!has_files_mapped_twice()) return 0;
    Mappings& known = mappings();
    const std::scoped_lock lock(known.mutex);
    const auto mapping_of = [&](const void* address) {
        return std::ranges::find_if(known.all, [&](const FileMapping& x) {
            return x.holds(static_cast<const std::byte*>(address));
        });
    };
    const auto x = mapping_of(a);
    const auto y = mapping_of(b);
    if (x == known.all.end() || y == known.all.end() || !is_same_file(*x, *y) ||
        (x->is_private && y->is_private))
        return 0;
    // As integers, because pointers to different objects must not be subtracted.
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(x->first) -
                                       reinterpret_cast<std::uintptr_t>(y->first));
}

} // namespace purview
