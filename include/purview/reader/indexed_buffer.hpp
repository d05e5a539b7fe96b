#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/reader/index_blocks.hpp>
#include <purview/reader/source.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Turns every index in [-size, size) into one in [0, size), in place. Throws `IndexError` naming
/// the index, its position and the size.
PURVIEW_EXPORT void check_indexes(std::span<index_t> indexes, index_t size, const char* what);

[[noreturn]] PURVIEW_EXPORT void throw_index_too_large(std::uint64_t index, const char* what);

/// A reader whose element `i` is element `indexes[i]` of its source: what `indexed_buffer` returns.
template <ElementType T, bool Writable>
class Indexed : public ReadBase<T, Writable> {
public:
    /// Precondition: all indexes lie in [0, size of the source).
    Indexed(Source<T, Writable> source, std::vector<index_t> indexes)
        : source_(std::move(source)), indexes_(std::move(indexes)) {}

    index_t size() const noexcept final { return static_cast<index_t>(indexes_.size()); }
    bool is_thread_safe() const noexcept final { return source_.reader().is_thread_safe(); }
    int depth() const noexcept final { return source_.depth(); }
    Kind kind() const noexcept final { return source_.kind_without_memory(); }
    StorageId storage() const noexcept final { return source_.reader().storage(); }
    std::vector<StorageId> storages() const final { return source_.reader().storages(); }
    const Backend* backend() const noexcept final { return source_.reader().backend(); }

    T read(index_t i) const final {
        PURVIEW_ASSERT(i >= 0 && i < size());
        return source_.reader().read(map(i));
    }

    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        if (step == 1) {
            source_.reader().gather(run(begin, out.size()), out);
            return;
        }
        for_index_blocks(
            out.size(), [&](std::size_t i) { return map(begin + static_cast<index_t>(i) * step); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                source_.reader().gather(mapped, out.subspan(done, mapped.size()));
            });
    }

    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        for_index_blocks(
            indexes.size(), [&](std::size_t i) { return map(indexes[i]); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                source_.reader().gather(mapped, out.subspan(done, mapped.size()));
            });
    }

protected:
    index_t map(index_t i) const noexcept { return indexes_[static_cast<std::size_t>(i)]; }
    std::span<const index_t> run(index_t begin, std::size_t count) const noexcept {
        return std::span<const index_t>(indexes_).subspan(
            count == 0 ? 0 : static_cast<std::size_t>(begin), count);
    }

    Source<T, Writable> source_;

private:
    std::vector<index_t> indexes_;
};

/// An `Indexed` over a writable source. Where an index occurs twice, the last write wins.
template <ElementType T>
class WritableIndexed final : public Indexed<T, true> {
public:
    using Indexed<T, true>::Indexed;

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        this->source_.writer().write(this->map(i), value);
    }

    void write_block(index_t begin, index_t step, std::span<const T> values) override {
        if (step == 1) {
            this->source_.writer().scatter(this->run(begin, values.size()), values);
            return;
        }
        for_index_blocks(
            values.size(),
            [&](std::size_t i) { return this->map(begin + static_cast<index_t>(i) * step); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                this->source_.writer().scatter(mapped, values.subspan(done, mapped.size()));
            });
    }

    void scatter(std::span<const index_t> indexes, std::span<const T> values) override {
        for_index_blocks(
            indexes.size(), [&](std::size_t i) { return this->map(indexes[i]); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                this->source_.writer().scatter(mapped, values.subspan(done, mapped.size()));
            });
    }
};

template <ReadableSource B>
using IndexedOver = std::conditional_t<WritableSource<B>, WritableIndexed<ElementOf<B>>,
                                       Indexed<ElementOf<B>, false>>;

/// What can be a list of indexes: any range of integers (not of bools), also a reader.
template <typename R>
concept IndexRange = std::ranges::input_range<R> && std::integral<std::ranges::range_value_t<R>> &&
    !std::same_as<std::ranges::range_value_t<R>, bool>;

/// The elements of `source` at `indexes`, in their order: element `i` is `source[indexes[i]]`.
/// Negative indexes count from the end. The indexes are validated and copied now, O(k), because a
/// list that changed later could make reads go out of bounds; elements are read when this reader is
/// read. Writable when the source is. Throws `IndexError` naming the index, its position and the
/// size.
template <IndexRange Indexes, ReadableSource B>
std::shared_ptr<IndexedOver<B>> indexed_buffer(Indexes&& indexes, std::shared_ptr<B> source) {
    Source<ElementOf<B>, WritableSource<B>> shared(std::move(source), "indexed_buffer");
    std::vector<index_t> snapshot;
    if constexpr (std::ranges::sized_range<Indexes>)
        snapshot.reserve(static_cast<std::size_t>(std::ranges::size(indexes)));
    for (const std::ranges::range_value_t<Indexes> index : indexes) {
        if constexpr (std::is_unsigned_v<decltype(index)> && sizeof(index) >= sizeof(index_t))
            if (index > static_cast<std::uint64_t>((std::numeric_limits<index_t>::max)()))
                throw_index_too_large(index, "indexed_buffer");
        snapshot.push_back(static_cast<index_t>(index));
    }
    check_indexes(snapshot, shared.reader().size(), "indexed_buffer");
    return std::make_shared<IndexedOver<B>>(std::move(shared), std::move(snapshot));
}

template <ReadableSource B>
std::shared_ptr<IndexedOver<B>> indexed_buffer(std::initializer_list<index_t> indexes,
                                               std::shared_ptr<B> source) {
    return indexed_buffer(std::span<const index_t>(indexes), std::move(source));
}

} // namespace purview
