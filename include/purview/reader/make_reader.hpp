#pragma once

#include <purview/dtype/canonical.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/reader.hpp>

#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// From which threads a function may be called.
enum class ThreadSafety : std::uint8_t {
    full, ///< from any number of threads at once
    none, ///< from one thread at a time only, the calling one
};

/// A reader that computes its elements by a function of the index: what `make_reader` returns. The
/// function is inlined into its loops.
template <ElementType T, typename F>
class FunctionReader final : public Reader<T> {
public:
    /// Throws `ShapeError` when `size` is negative.
    FunctionReader(index_t size, F f, ThreadSafety safety)
        : f_(std::move(f)), size_(size), safety_(safety) {
        if (size < 0) throw_negative_size(size, "make_reader");
    }

    index_t size() const noexcept override { return size_; }
    bool is_thread_safe() const noexcept override {
        return std::invocable<const F&, index_t> && safety_ == ThreadSafety::full;
    }

    T read(index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return value(i);
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        const auto count = static_cast<index_t>(out.size());
        for (index_t i = 0; i < count; ++i)
            out[static_cast<std::size_t>(i)] = value(begin + i * step);
    }
    void gather(std::span<const index_t> indexes, std::span<T> out) const override {
        for (std::size_t i = 0; i < indexes.size(); ++i) out[i] = value(indexes[i]);
    }

private:
    // By `std::apply`, because the function may take a narrower integer type, of whose conversion
    // this header must not make compilers warn.
    T value(index_t i) const {
        if constexpr (std::invocable<const F&, index_t>)
            return static_cast<T>(std::apply(std::as_const(f_), std::tuple(i)));
        else
            return static_cast<T>(std::apply(f_, std::tuple(i)));
    }

    mutable F f_;
    index_t size_;
    ThreadSafety safety_;
};

/// A reader of `f(0), …, f(n - 1)`, each computed when it is read. `f` takes an `index_t` and may
/// be called any number of times, in any order, and from several threads unless `safety` is `none`
/// (which is assumed of a function that can only be called when not const, such as a `mutable`
/// lambda). The element type is the `Canonical` type of what `f` returns: a `long long` is an
/// int64. O(1). Throws `ShapeError` when `n` is negative.
template <typename F>
    requires std::invocable<F&, index_t>
auto make_reader(index_t n, F f, ThreadSafety safety = ThreadSafety::full) {
    using T = Canonical<std::remove_cvref_t<std::invoke_result_t<F&, index_t>>>;
    static_assert(ElementType<T>, "make_reader: the function must return a regular type");
    return std::make_shared<FunctionReader<T, F>>(n, std::move(f), safety);
}

} // namespace purview
