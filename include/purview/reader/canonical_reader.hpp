#pragma once

#include <purview/dtype/canonical.hpp>
#include <purview/reader/source.hpp>

#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// Reads a source of integers such as `long long` as the built-in type of the same width and sign.
/// Memory stays visible.
template <ElementType V, bool Writable>
class CanonicalReader : public ReadBase<Canonical<V>, Writable> {
public:
    using T = Canonical<V>;

    explicit CanonicalReader(Source<V, Writable> source) : source_(std::move(source)) {}

    index_t size() const final { return source_.reader().size(); }
    bool is_thread_safe() const noexcept final { return source_.reader().is_thread_safe(); }
    int depth() const noexcept final { return source_.depth(); }
    MemoryView memory() const noexcept final { return source_.reader().memory(); }
    StorageId storage() const noexcept final { return source_.reader().storage(); }
    std::vector<StorageId> storages() const final { return source_.reader().storages(); }
    const Backend* backend() const noexcept final { return source_.reader().backend(); }

    T read(index_t i) const final { return static_cast<T>(source_.reader().read(i)); }

protected:
    Source<V, Writable> source_;
};

/// A `CanonicalReader` over a source that can be written.
template <ElementType V>
class WritableCanonicalReader final : public CanonicalReader<V, true> {
public:
    using T = Canonical<V>;
    using CanonicalReader<V, true>::CanonicalReader;

    MutableMemoryView writable_memory() noexcept override {
        return this->source_.writer().writable_memory();
    }

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        this->source_.writer().write(i, static_cast<V>(value));
    }
};

/// `source` read as its `Canonical` element type; co-owns it, and is writable when the source is.
/// O(1).
template <ReadableSource B>
auto canonical_reader(std::shared_ptr<B> source) {
    using V = ElementOf<B>;
    Source<V, WritableSource<B>> shared(std::move(source), "tensor");
    if constexpr (WritableSource<B>)
        return std::make_shared<WritableCanonicalReader<V>>(std::move(shared));
    else
        return std::make_shared<CanonicalReader<V, false>>(std::move(shared));
}

} // namespace purview
