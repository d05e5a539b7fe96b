#include "reader/index_set_state.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kWords = 1024;
constexpr std::size_t kMostContainers = 65536; // of one bitmap
constexpr std::size_t kLeastOfContainer = 6;   // the least number of bytes that the format takes
                                               // for a container

template <typename T>
void append(std::vector<std::byte>& bytes, const T* values, std::size_t count) {
    const auto* const first = reinterpret_cast<const std::byte*>(values);
    bytes.insert(bytes.end(), first, first + count * sizeof(T));
}

} // namespace

IndexSet::State::Bitmap IndexSet::State::owned(roaring_bitmap_t* bitmap) {
    if (bitmap == nullptr) throw std::bad_alloc();
    return {bitmap, [](roaring_bitmap_t* dead) { roaring_bitmap_free(dead); }};
}

void IndexSet::State::require_room(std::size_t bytes, std::size_t containers) {
    constexpr std::size_t kOfContainer =
        128; // a container's header, its entries in three arrays, malloc's overhead
    constexpr std::size_t kScratch = std::size_t{1} << 15;
    void* const room = std::malloc(2 * (bytes + kOfContainer * containers) + kScratch);
    if (room == nullptr) throw std::bad_alloc();
    *static_cast<volatile char*>(room) = 0; // so that compilers do not remove the allocation
    std::free(room);
}

void IndexSet::State::add(std::uint32_t high, Bitmap bitmap) {
    const std::uint64_t count = roaring_bitmap_get_cardinality(bitmap.get());
    if (count == 0) return;
    parts.push_back({high, std::move(bitmap)});
    size += static_cast<index_t>(count);
}

std::shared_ptr<const IndexSet::State> IndexSet::State::combined(const State& a, const State& b,
                                                                 Combine combine, bool keeps_a,
                                                                 bool keeps_b) {
    auto result = std::make_shared<State>();
    auto left = a.parts.begin();
    auto right = b.parts.begin();
    while (left != a.parts.end() || right != b.parts.end()) {
        if (right == b.parts.end() || (left != a.parts.end() && left->high < right->high)) {
            if (keeps_a) result->add(left->high, left->bitmap);
            ++left;
        } else if (left == a.parts.end() || right->high < left->high) {
            if (keeps_b) result->add(right->high, right->bitmap);
            ++right;
        } else {
            const roaring_bitmap_t* const x = left->bitmap.get();
            const roaring_bitmap_t* const y = right->bitmap.get();
            const std::size_t bytes =
                roaring_bitmap_portable_size_in_bytes(x) + roaring_bitmap_portable_size_in_bytes(y);
            require_room(bytes, std::min(bytes / kLeastOfContainer, kMostContainers));
            result->add(left->high, owned(combine(x, y)));
            ++left;
            ++right;
        }
    }
    return result;
}

const IndexSet::State::Part* IndexSet::State::find(std::uint32_t high) const noexcept {
    const auto at = std::ranges::lower_bound(parts, high, {}, &Part::high);
    return at != parts.end() && at->high == high ? &*at : nullptr;
}

std::vector<std::byte> IndexSet::State::serialized() const {
    std::size_t size_bytes = sizeof(std::uint64_t);
    for (const Part& part : parts)
        size_bytes += sizeof(part.high) + roaring_bitmap_portable_size_in_bytes(part.bitmap.get());
    std::vector<std::byte> bytes(size_bytes);
    std::byte* at = bytes.data();
    const std::uint64_t count = parts.size();
    std::memcpy(at, &count, sizeof(count));
    at += sizeof(count);
    for (const Part& part : parts) {
        std::memcpy(at, &part.high, sizeof(part.high));
        at += sizeof(part.high);
        at += roaring_bitmap_portable_serialize(part.bitmap.get(), reinterpret_cast<char*>(at));
    }
    return bytes;
}

const IndexSetDirectory& IndexSet::State::directory() const {
    std::call_once(made_,
                   [this] { directory_ = std::make_unique<IndexSetDirectory>(serialized()); });
    return *directory_;
}

void IndexSetBuilder::add(index_t base, const std::uint64_t* words, index_t word_count,
                          index_t count) {
    if (count == 0) return;
    const auto high = static_cast<std::uint32_t>(base >> 32);
    if (high != high_) finish_bitmap();
    high_ = high;
    containers_.push_back({static_cast<std::uint16_t>(base >> 16),
                           static_cast<std::uint16_t>(count - 1),
                           static_cast<std::uint32_t>(elements_.size())});
    if (count > kLongestList) {
        append(elements_, words, static_cast<std::size_t>(word_count));
        elements_.resize(elements_.size() +
                         static_cast<std::size_t>(kWords - word_count) * sizeof(std::uint64_t));
        return;
    }
    std::uint16_t list[kLongestList];
    std::size_t length = 0;
    for (index_t w = 0; w < word_count; ++w)
        for (std::uint64_t word = words[w]; word != 0; word &= word - 1)
            list[length++] = static_cast<std::uint16_t>(w * 64 + std::countr_zero(word));
    append(elements_, list, length);
}

void IndexSetBuilder::finish_bitmap() {
    if (containers_.empty()) return;
    if (state_ == nullptr) state_ = std::make_shared<IndexSet::State>();
    const auto count = static_cast<std::uint32_t>(containers_.size());
    const std::uint32_t before = 8 + 8 * count;
    std::vector<std::byte> bytes;
    bytes.reserve(before + elements_.size());
    IndexSet::State::require_room(elements_.size(), count);
    append(bytes, &kWithoutRuns, 1);
    append(bytes, &count, 1);
    for (const Container& container : containers_) {
        append(bytes, &container.key, 1);
        append(bytes, &container.count, 1);
    }
    for (const Container& container : containers_) {
        const std::uint32_t offset = before + container.offset;
        append(bytes, &offset, 1);
    }
    append(bytes, elements_.data(), elements_.size());
    roaring_bitmap_t* const bitmap = roaring_bitmap_portable_deserialize_safe(
        reinterpret_cast<const char*>(bytes.data()), bytes.size());
    IndexSet::State::Bitmap owned = IndexSet::State::owned(bitmap);
    roaring_bitmap_run_optimize(bitmap);
    state_->add(high_, std::move(owned));
    containers_.clear();
    elements_.clear();
}

IndexSet IndexSetBuilder::finish() {
    finish_bitmap();
    return state_ == nullptr ? IndexSet() : IndexSet(std::exchange(state_, nullptr));
}

IndexSet IndexSetBuilder::from_directory(const IndexSetDirectory& directory) {
    auto state = std::make_shared<IndexSet::State>();
    const std::byte* const bytes = directory.bytes().data();
    for (const IndexSetDirectory::Bitmap& part : directory.bitmaps()) {
        const std::size_t size = part.end - part.begin;
        IndexSet::State::require_room(size, std::min(size / kLeastOfContainer, kMostContainers));
        roaring_bitmap_t* const bitmap = roaring_bitmap_portable_deserialize_safe(
            reinterpret_cast<const char*>(bytes + part.begin), size);
        state->add(part.high, IndexSet::State::owned(bitmap)); // without checks: the bytes have
                                                               // been validated
    }
    return IndexSet(std::move(state));
}

} // namespace purview
