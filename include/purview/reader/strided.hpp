#pragma once

#include <purview/reader/index_blocks.hpp>
#include <purview/reader/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A reader whose element `i` is element `offset + i * step` of its source: what `sub_buffer` and
/// `reverse` return. Memory stays visible; kind and thread-safety are the source's.
template <ElementType T, bool Writable>
class Strided : public ReadBase<T, Writable> {
public:
    static constexpr ReaderClass kClass =
        Writable ? ReaderClass::writable_strided : ReaderClass::strided;

    /// Precondition: `step` is 1 or -1, and `offset, …, offset + (size - 1) * step` lie in the
    /// source.
    Strided(Source<T, Writable> source, index_t offset, index_t step, index_t size)
        : source_(std::move(source)), offset_(size == 0 ? 0 : offset), step_(step), size_(size) {}

    index_t size() const noexcept final { return size_; }
    bool is_thread_safe() const noexcept final { return source_.reader().is_thread_safe(); }
    ReaderClass reader_class() const noexcept final { return kClass; }
    int depth() const noexcept final { return source_.depth(); }
    StorageId storage() const noexcept final { return source_.reader().storage(); }
    std::vector<StorageId> storages() const final { return source_.reader().storages(); }
    const Backend* backend() const noexcept final { return source_.reader().backend(); }

    Kind kind() const noexcept final {
        if (source_.reader().kind() == Kind::constant) return Kind::constant;
        if (step_ == 1 && source_.reader().kind() == Kind::sparse) return Kind::sparse;
        return memory() ? Kind::dense : Kind::computed;
    }

    MemoryView memory() const noexcept final {
        MemoryView view = source_.reader().memory();
        if (view) {
            view.data = static_cast<const std::byte*>(view.data) + offset_ * view.stride_bytes;
            view.stride_bytes *= step_;
        }
        return view;
    }

    /// The pairs of a part of a sparse source, O(log stored). None if reversed, because they would
    /// not ascend.
    SparsePairs pairs() const noexcept final {
        if (step_ != 1) return {};
        SparsePairs pairs = source_.reader().pairs();
        if (!pairs) return pairs;
        const index_t begin = offset_ + pairs.offset;
        pairs = pairs_between(std::move(pairs), begin, begin + size_);
        pairs.offset += offset_;
        return pairs;
    }

    T read(index_t i) const final {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return source_.reader().read(map(i));
    }

    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        if (out.empty()) return;
        source_.reader().read_block(map(begin), out.size() > 1 ? step * step_ : 1, out);
    }

    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        for_index_blocks(
            indexes.size(), [&](std::size_t i) { return map(indexes[i]); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                source_.reader().gather(mapped, out.subspan(done, mapped.size()));
            });
    }

    /// A new reader of `size` elements `offset, offset + step, …` of this one, reading the source
    /// directly.
    template <typename Result>
    std::shared_ptr<Result> restride(index_t offset, index_t step, index_t size) const {
        return std::make_shared<Result>(source_, map(offset), step * step_, size);
    }

protected:
    index_t map(index_t i) const noexcept { return offset_ + i * step_; }

    Source<T, Writable> source_;
    index_t offset_;
    index_t step_;

private:
    index_t size_;
};

/// A `Strided` over a writable source; writes go through to it.
template <ElementType T>
class WritableStrided final : public Strided<T, true> {
public:
    using Strided<T, true>::Strided;

    MutableMemoryView writable_memory() noexcept override {
        MutableMemoryView view = this->source_.writer().writable_memory();
        if (view) {
            view.data = static_cast<std::byte*>(view.data) + this->offset_ * view.stride_bytes;
            view.stride_bytes *= this->step_;
        }
        return view;
    }

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        this->source_.writer().write(this->map(i), value);
    }

    void write_block(index_t begin, index_t step, std::span<const T> values) override {
        if (values.empty()) return;
        const index_t source_step = values.size() > 1 ? step * this->step_ : 1;
        this->source_.writer().write_block(this->map(begin), source_step, values);
    }

    void scatter(std::span<const index_t> indexes, std::span<const T> values) override {
        for_index_blocks(
            indexes.size(), [&](std::size_t i) { return this->map(indexes[i]); },
            [&](std::size_t done, std::span<const index_t> mapped) {
                this->source_.writer().scatter(mapped, values.subspan(done, mapped.size()));
            });
    }
};

/// The class over a pointer to `B`: writable exactly when the source is.
template <ReadableSource B>
using StridedOver = std::conditional_t<WritableSource<B>, WritableStrided<ElementOf<B>>,
                                       Strided<ElementOf<B>, false>>;

/// A reader of `size` elements `offset, offset + step, …` of `source`. If the source is itself a
/// `Strided`, the result reads that one's source, so that a chain of them is read and destroyed
/// without recursion.
template <ReadableSource B>
std::shared_ptr<StridedOver<B>> make_strided(Source<ElementOf<B>, WritableSource<B>> source,
                                             index_t offset, index_t step, index_t size) {
    using Result = StridedOver<B>;
    if (source.reader().reader_class() == Result::kClass)
        return static_cast<const Result&>(source.reader())
            .template restride<Result>(offset, step, size);
    return std::make_shared<Result>(std::move(source), offset, step, size);
}

} // namespace purview
