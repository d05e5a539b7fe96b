#pragma once

#include <purview/reader/read_writer.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The element type of a class derived from `Reader<T>`.
template <typename B>
using ElementOf = typename std::remove_cv_t<B>::value_type;

/// Types that a shared pointer may point to in order to be read by the functions of this folder:
/// anything derived from `Reader<T>`, const or not.
template <typename B>
concept ReadableSource = requires {
    typename ElementOf<B>;
}
&&ElementType<ElementOf<B>>&& std::derived_from<std::remove_cv_t<B>, Reader<ElementOf<B>>>;

/// A `ReadableSource` that can also be written. A pointer to const is never writable.
template <typename B>
concept WritableSource = ReadableSource<B> && !std::is_const_v<B> && ReadWritable<B, ElementOf<B>>;

/// The base class of a reader of this folder: a reader and writer if `Writable`, else a reader.
template <ElementType T, bool Writable>
using ReadBase = std::conditional_t<Writable, ReadWriter<T>, Reader<T>>;

[[noreturn]] PURVIEW_EXPORT void throw_null_source(const char* what);

/// A reader and, if `Writable`, the writer that is the same object; shares its ownership. What the
/// readers of this folder that read from another one hold.
template <ElementType T, bool Writable>
class Source {
public:
    /// Throws `Error` naming `what` when `source` is null, `ShapeError` where too many readers
    /// would read through each other.
    template <ReadableSource B>
    Source(std::shared_ptr<B> source, const char* what) {
        if (source == nullptr) throw_null_source(what);
        depth_ = nested_depth(source->depth(), what);
        if constexpr (Writable) writer_ = source.get();
        reader_ = std::move(source);
    }

    const Reader<T>& reader() const noexcept { return *reader_; }
    /// Constness is shallow, like that of a pointer.
    Writer<T>& writer() const noexcept requires Writable { return *writer_; }

    /// The `depth` of a reader that reads from this source.
    int depth() const noexcept { return depth_; }

    /// The kind of a selection of elements without its own memory or pairs: a constant stays
    /// constant, everything else is computed. The caller handles memory and sparse pairs.
    Kind kind_without_memory() const noexcept {
        return reader_->kind() == Kind::constant ? Kind::constant : Kind::computed;
    }

private:
    ReaderPtr<T> reader_;
    Writer<T>* writer_ = nullptr;
    int depth_ = 0;
};

} // namespace purview
