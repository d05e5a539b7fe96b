#pragma once

#include <purview/reader/read_writer.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace purview {

/// The element type of a class derived from `Reader<T>`.
template <typename B>
using ElementOf = typename std::remove_cv_t<B>::value_type;

/// What a shared pointer may point to, to be read by the functions of this folder: anything derived
/// from `Reader<T>`, const or not.
template <typename B>
concept ReadableSource = requires {
    typename ElementOf<B>;
}
&&ElementType<ElementOf<B>>&& std::derived_from<std::remove_cv_t<B>, Reader<ElementOf<B>>>;

/// The same, to be written as well. A pointer to const is never writable.
template <typename B>
concept WritableSource = ReadableSource<B> && !std::is_const_v<B> && ReadWritable<B, ElementOf<B>>;

/// The base of a reader that may be a writer too.
template <ElementType T, bool Writable>
using ReadBase = std::conditional_t<Writable, ReadWriter<T>, Reader<T>>;

[[noreturn]] PURVIEW_EXPORT void throw_null_source(const char* what);

/// A reader, and the writer that is the same object if there is one, owned together: what the
/// readers of this folder that read from another one hold.
template <ElementType T, bool Writable>
class Source {
public:
    /// Throws `Error` naming `what` when `source` is null, `ShapeError` where too many readers would read through each
    /// other.
    template <ReadableSource B>
    Source(std::shared_ptr<B> source, const char* what) {
        if (source == nullptr) throw_null_source(what);
        depth_ = one_deeper(source->depth(), what);
        if constexpr (Writable) writer_ = source.get();
        reader_ = std::move(source);
    }

    const Reader<T>& reader() const noexcept { return *reader_; }
    /// Constness is shallow, as a pointer's.
    Writer<T>& writer() const noexcept requires Writable { return *writer_; }

    /// Of whoever reads from this.
    int depth() const noexcept { return depth_; }

    /// A constant stays constant whatever is selected of it; pairs and memory are the caller's.
    Kind kind_without_memory() const noexcept {
        return reader_->kind() == Kind::constant ? Kind::constant : Kind::computed;
    }

private:
    ReaderPtr<T> reader_;
    Writer<T>* writer_ = nullptr;
    int depth_ = 0;
};

} // namespace purview
