#pragma once

#include <purview/reader/index_blocks.hpp>
#include <purview/reader/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The layout of a concatenation: where each part begins, and which part contains an index.
class PURVIEW_EXPORT ConcatLayout {
public:
    /// `count` indexes that lie in part `part`, as indexes `begin, begin + step, …` of that part.
    struct Run {
        std::size_t part = 0;
        index_t begin = 0;
        std::size_t count = 0;
    };

    ConcatLayout() : starts_{0} {}

    /// Adds a part at the end. Throws `ShapeError` when the sum overflows.
    void append(index_t part_size);

    index_t size() const noexcept { return starts_.back(); }
    /// Where part `p` begins.
    index_t start(std::size_t p) const noexcept { return starts_[p]; }
    bool part_holds(std::size_t p, index_t i) const noexcept {
        return starts_[p] <= i && i < starts_[p + 1];
    }
    /// The part that contains index `i`; 0 <= i < size(). O(log of the number of parts).
    std::size_t part_of(index_t i) const noexcept;
    /// Of the `count` indexes `begin, begin + step, …`, the leading ones that lie in the same part
    /// as the first.
    Run first_run(index_t begin, index_t step, std::size_t count) const noexcept;

private:
    std::vector<index_t> starts_;
};

/// The concatenation of several readers: what `concat_buffers` returns.
template <ElementType T, bool Writable>
class Concatenated : public ReadBase<T, Writable> {
public:
    explicit Concatenated(std::vector<Source<T, Writable>> parts) : parts_(std::move(parts)) {
        for (const auto& part : parts_) layout_.append(part.reader().size());
    }

    index_t size() const noexcept final { return layout_.size(); }
    bool is_thread_safe() const noexcept final {
        for (const auto& part : parts_)
            if (!part.reader().is_thread_safe()) return false;
        return true;
    }

    int depth() const noexcept final {
        int depth = 0;
        for (const auto& part : parts_) depth = part.depth() > depth ? part.depth() : depth;
        return depth;
    }

    std::vector<StorageId> storages() const final {
        std::vector<StorageId> found;
        for (const auto& part : parts_) {
            for (const StorageId& storage : part.reader().storages()) found.push_back(storage);
        }
        return found;
    }

    /// That of the parts. Null if they lie on several: then they are read as they are.
    const Backend* backend() const noexcept final {
        const Backend* found = nullptr;
        for (const auto& part : parts_) {
            const Backend* const own = part.reader().backend();
            if (own != nullptr && found != nullptr && own != found) return nullptr;
            if (own != nullptr) found = own;
        }
        return found;
    }

    T read(index_t i) const final {
        PURVIEW_ASSERT(i >= 0 && i < size());
        const std::size_t p = layout_.part_of(i);
        return parts_[p].reader().read(i - layout_.start(p));
    }

    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        for_runs(begin, step, out.size(), [&](std::size_t done, const ConcatLayout::Run& run) {
            parts_[run.part].reader().read_block(run.begin, step, out.subspan(done, run.count));
        });
    }

    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        for_index_runs(indexes, [&](std::size_t p, std::size_t done, auto local) {
            parts_[p].reader().gather(local, out.subspan(done, local.size()));
        });
    }

protected:
    template <typename Visit>
    void for_runs(index_t begin, index_t step, std::size_t count, const Visit& visit) const {
        for (std::size_t done = 0; done < count;) {
            const index_t from = begin + static_cast<index_t>(done) * step;
            const ConcatLayout::Run run = layout_.first_run(from, step, count - done);
            visit(done, run);
            done += run.count;
        }
    }

    /// Calls `visit(part, done, local_indexes)` for every run of `indexes` within one part;
    /// `done` is the position of the run in `indexes`.
    template <typename Visit>
    void for_index_runs(std::span<const index_t> indexes, const Visit& visit) const {
        for (std::size_t done = 0; done < indexes.size();) {
            const std::size_t p = layout_.part_of(indexes[done]);
            std::size_t end = done + 1;
            while (end < indexes.size() && layout_.part_holds(p, indexes[end])) ++end;
            for_index_blocks(
                end - done, [&](std::size_t i) { return indexes[done + i] - layout_.start(p); },
                [&](std::size_t block, std::span<const index_t> local) {
                    visit(p, done + block, local);
                });
            done = end;
        }
    }

    std::vector<Source<T, Writable>> parts_;
    ConcatLayout layout_;
};

/// A `Concatenated` over parts that are all writable; writes go through to them.
template <ElementType T>
class WritableConcatenated final : public Concatenated<T, true> {
public:
    using Concatenated<T, true>::Concatenated;

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        const std::size_t p = this->layout_.part_of(i);
        this->parts_[p].writer().write(i - this->layout_.start(p), value);
    }

    void write_block(index_t begin, index_t step, std::span<const T> values) override {
        this->for_runs(begin, step, values.size(),
                       [&](std::size_t done, const ConcatLayout::Run& run) {
                           this->parts_[run.part].writer().write_block(
                               run.begin, step, values.subspan(done, run.count));
                       });
    }

    void scatter(std::span<const index_t> indexes, std::span<const T> values) override {
        this->for_index_runs(indexes, [&](std::size_t p, std::size_t done, auto local) {
            this->parts_[p].writer().scatter(local, values.subspan(done, local.size()));
        });
    }
};

template <ElementType T, bool Writable>
using ConcatenatedOf =
    std::conditional_t<Writable, WritableConcatenated<T>, Concatenated<T, false>>;

/// Concatenates readers without copying; co-owns them. A random read is O(log k) for k parts, a
/// block is read part by part. Writable when all parts are. O(k). Throws `ShapeError` when the sum
/// of the sizes overflows.
template <ReadableSource B, ReadableSource... Bs>
    requires(std::same_as<ElementOf<B>, ElementOf<Bs>>&&...)
auto concat_buffers(std::shared_ptr<B> buffer, std::shared_ptr<Bs>... rest) {
    constexpr bool kWritable = (WritableSource<B> && ... && WritableSource<Bs>);
    using T = ElementOf<B>;
    std::vector<Source<T, kWritable>> parts;
    parts.reserve(1 + sizeof...(rest));
    parts.emplace_back(std::move(buffer), "concat_buffers");
    (parts.emplace_back(std::move(rest), "concat_buffers"), ...);
    return std::make_shared<ConcatenatedOf<T, kWritable>>(std::move(parts));
}

/// Concatenates a number of readers that is known at run time, and may be 0. Otherwise as of
/// readers one by one.
template <ReadableSource B>
auto concat_buffers(const std::vector<std::shared_ptr<B>>& sources) {
    constexpr bool kWritable = WritableSource<B>;
    using T = ElementOf<B>;
    std::vector<Source<T, kWritable>> parts;
    parts.reserve(sources.size());
    for (const std::shared_ptr<B>& source : sources) parts.emplace_back(source, "concat_buffers");
    return std::make_shared<ConcatenatedOf<T, kWritable>>(std::move(parts));
}

} // namespace purview
