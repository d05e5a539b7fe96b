#pragma once

#include <purview/base/checked.hpp>
#include <purview/dtype/canonical.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_view.hpp>
#include <purview/reader/reader.hpp>

#include <concepts>
#include <span>

namespace purview::inline v0_1 {

/// A writer of unknown element type, as type-erased tensors hold it. Derive from `Writer<T>`
/// instead.
class PURVIEW_EXPORT AnyWriter {
public:
    AnyWriter() = default;
    AnyWriter(const AnyWriter&) = default;
    AnyWriter& operator=(const AnyWriter&) = default;
    virtual ~AnyWriter();

    /// The element type written. Named differently from the reader's, so that one class can be
    /// both.
    virtual DType written_dtype() const noexcept = 0;
    virtual index_t size() const = 0;
    /// The memory that `write` stores to, if a store there is all that a write has to do; else a
    /// null view.
    virtual MutableMemoryView writable_memory() noexcept { return {}; }

    /// Writes `count` elements at `values` to positions `begin, begin + step, …`.
    virtual void write_from(index_t begin, index_t step, index_t count, const void* values) = 0;
    /// Writes the elements at `values` to the positions `indexes`; with duplicates the last wins.
    virtual void scatter_from(std::span<const index_t> indexes, const void* values) = 0;
};

/// Data that can be written by index: the counterpart of `Reader<T>`. Deriving needs only `size`
/// and `write`. The caller has to synchronise writes with other reads and writes.
template <ElementType T>
class PURVIEW_EXPORT Writer : public AnyWriter {
public:
    DType written_dtype() const noexcept final { return kDType<T>; }

    /// Sets element `i`; 0 <= i < size().
    virtual void write(index_t i, const T& value) = 0;
    /// Writes a number of another type. Throws `CastError` where it does not fit. A class that
    /// overrides the `write` of a T makes this one visible by `using Writer<T>::write`.
    template <ConvertedTo<T> U>
    void write(index_t i, U value) {
        write(i, converted<T>(value));
    }

    /// Sets elements `begin, begin + step, …`, `values.size()` of them, to `values`.
    virtual void write_block(index_t begin, index_t step, std::span<const T> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            write(begin + static_cast<index_t>(i) * step, values[i]);
    }

    /// Sets the elements at `indexes`, in their order; `values` is as long as `indexes`.
    virtual void scatter(std::span<const index_t> indexes, std::span<const T> values) {
        for (std::size_t i = 0; i < indexes.size(); ++i) write(indexes[i], values[i]);
    }

    void write_from(index_t begin, index_t step, index_t count, const void* values) final {
        write_block(begin, step, {static_cast<const T*>(values), static_cast<std::size_t>(count)});
    }
    void scatter_from(std::span<const index_t> indexes, const void* values) final {
        scatter(indexes, {static_cast<const T*>(values), indexes.size()});
    }
};

/// A reader that is also a writer of the same elements, as a `MutableTensor` needs it.
template <typename B, typename T>
concept ReadWritable = std::derived_from<B, AnyReader> && std::derived_from<B, Writer<T>>;

} // namespace purview
