#pragma once

#include <purview/dtype/cast.hpp>
#include <purview/reader/index_blocks.hpp>
#include <purview/reader/source.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Whether values of `From` can be converted to `To`: built-in types by the rules of
/// `dtype/cast.hpp`, others by `static_cast`.
template <typename From, typename To>
concept CastableTo = (BuiltinType<From> && BuiltinType<To>) || requires(const From& value) {
    static_cast<To>(value);
};

/// Converts one value. With `Checked`, throws `CastError` naming the value and `index` when a
/// built-in number does not fit; without, wraps.
template <typename To, bool Checked, typename From>
    requires CastableTo<From, To> To cast_element(const From& value,
                                                  [[maybe_unused]] index_t index) {
        if constexpr (BuiltinType<From> && BuiltinType<To>) {
            if constexpr (Checked)
                return checked_cast<To>(value, index);
            else
                return wrapping_cast<To>(value);
        } else {
            return static_cast<To>(value);
        }
    }

/// A reader whose elements are converted to another type: what the casts return.
template <ElementType To, ElementType From, bool Checked, bool Writable>
class Cast : public ReadBase<To, Writable> {
public:
    explicit Cast(Source<From, Writable> source) : source_(std::move(source)) {}

    index_t size() const final { return source_.reader().size(); }
    bool is_thread_safe() const noexcept final { return source_.reader().is_thread_safe(); }
    int depth() const noexcept final { return source_.depth(); }
    Kind kind() const noexcept final { return source_.kind_without_memory(); }
    StorageId storage() const noexcept final { return source_.reader().storage(); }
    std::vector<StorageId> storages() const final { return source_.reader().storages(); }
    const Backend* backend() const noexcept final { return source_.reader().backend(); }

    To read(index_t i) const final {
        return cast_element<To, Checked>(source_.reader().read(i), i);
    }

    void read_block(index_t begin, index_t step, std::span<To> out) const final {
        for_blocks(out.size(), [&](std::size_t done, std::span<From> scratch) {
            const index_t from = begin + static_cast<index_t>(done) * step;
            source_.reader().read_block(from, step, scratch);
            for (std::size_t i = 0; i < scratch.size(); ++i)
                out[done + i] =
                    cast_element<To, Checked>(scratch[i], from + static_cast<index_t>(i) * step);
        });
    }

    void gather(std::span<const index_t> indexes, std::span<To> out) const final {
        for_blocks(out.size(), [&](std::size_t done, std::span<From> scratch) {
            source_.reader().gather(indexes.subspan(done, scratch.size()), scratch);
            for (std::size_t i = 0; i < scratch.size(); ++i)
                out[done + i] = cast_element<To, Checked>(scratch[i], indexes[done + i]);
        });
    }

protected:
    /// Calls `visit(done, scratch)` for consecutive blocks of `count` elements, each with scratch
    /// memory for as many elements of the source's type.
    template <typename Visit>
    static void for_blocks(std::size_t count, const Visit& visit) {
        // Constructing a string costs more than the call that a larger block would save.
        constexpr std::size_t kBlock = std::is_trivially_default_constructible_v<From> ? 256 : 16;
        std::array<From, kBlock> scratch;
        for (std::size_t done = 0; done < count; done += kBlock)
            visit(done,
                  std::span<From>(scratch).first(count - done < kBlock ? count - done : kBlock));
    }

    Source<From, Writable> source_;
};

/// A `Cast` over a writable source: values written are cast back to the source's type. A block with
/// a value that does not fit throws before anything is written.
template <ElementType To, ElementType From, bool Checked>
class WritableCast final : public Cast<To, From, Checked, true> {
    using Base = Cast<To, From, Checked, true>;

public:
    using Base::Base;

    using Writer<To>::write;
    void write(index_t i, const To& value) override {
        this->source_.writer().write(i, cast_element<From, Checked>(value, i));
    }

    void write_block(index_t begin, index_t step, std::span<const To> values) override {
        const auto index = [&](std::size_t i) { return begin + static_cast<index_t>(i) * step; };
        check(values, index);
        Base::for_blocks(values.size(), [&](std::size_t done, std::span<From> scratch) {
            for (std::size_t i = 0; i < scratch.size(); ++i)
                scratch[i] = cast_element<From, false>(values[done + i], 0);
            this->source_.writer().write_block(index(done), step, scratch);
        });
    }

    void scatter(std::span<const index_t> indexes, std::span<const To> values) override {
        check(values, [&](std::size_t i) { return indexes[i]; });
        Base::for_blocks(values.size(), [&](std::size_t done, std::span<From> scratch) {
            for (std::size_t i = 0; i < scratch.size(); ++i)
                scratch[i] = cast_element<From, false>(values[done + i], 0);
            this->source_.writer().scatter(indexes.subspan(done, scratch.size()), scratch);
        });
    }

private:
    template <typename Index>
    static void check(std::span<const To> values, const Index& index) {
        if constexpr (Checked && BuiltinType<To> && BuiltinType<From>)
            for (std::size_t i = 0; i < values.size(); ++i)
                if (!fits<From>(values[i])) throw_cast_of(values[i], index(i), kDType<From>);
    }
};

/// The class over a pointer to `B`: writable when the source is and values can be cast back.
template <ElementType To, bool Checked, ReadableSource B>
using CastOver = std::conditional_t<WritableSource<B> && CastableTo<To, ElementOf<B>>,
                                    WritableCast<To, ElementOf<B>, Checked>,
                                    Cast<To, ElementOf<B>, Checked, false>>;

template <ElementType To, bool Checked, ReadableSource B>
auto make_cast(std::shared_ptr<B> source, const char* what) {
    constexpr bool kWritable = WritableSource<B> && CastableTo<To, ElementOf<B>>;
    return std::make_shared<CastOver<To, Checked, B>>(
        Source<ElementOf<B>, kWritable>(std::move(source), what));
}

/// A reader's elements as `To`, each cast when it is read; it co-owns the source. Built-in types
/// follow `checked_cast`: reading throws `CastError: value 254 at index 0 does not fit int8` when a
/// value does not fit. Writable when the source is: values are cast to the source's type, checked
/// as well. O(1).
template <ElementType To, ReadableSource B>
    requires CastableTo<ElementOf<B>, To>
auto elemwise_cast(std::shared_ptr<B> source) {
    return make_cast<To, true>(std::move(source), "elemwise_cast");
}

/// A reader's elements as `To`, each cast by `wrapping_cast` when it is read: values that do not
/// fit wrap, so that the cast itself never throws. Otherwise as `elemwise_cast`.
template <ElementType To, ReadableSource B>
    requires CastableTo<ElementOf<B>, To>
auto unchecked_elemwise_cast(std::shared_ptr<B> source) {
    return make_cast<To, false>(std::move(source), "unchecked_elemwise_cast");
}

} // namespace purview
