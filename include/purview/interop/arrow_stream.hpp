#pragma once

#include <purview/interop/arrow.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace arrow {

/// The structure of Arrow's C stream interface, with the layout that its specification gives it
/// (arrow.apache.org/docs/format/CStreamInterface.html).
struct Stream {
    int (*get_schema)(Stream*, Schema* out);
    int (*get_next)(Stream*, Array* out); ///< 0 and a released array: there are no more
    const char* (*get_last_error)(Stream*);
    void (*release)(Stream*); ///< null: this structure holds nothing, or what it held was moved out
    void* private_data;
};
/// The structure of Arrow's C stream interface, from here or from another header.
template <typename S>
concept ForeignStream = requires(S& stream) {
    stream.get_schema;
    stream.get_next;
    stream.get_last_error;
    stream.release(&stream);
};

/// The batches of a stream that was taken over: an input range, walked once, each batch asked of the producer when it is
/// its turn. What `from_arrow_stream` gives; not to be used by two threads at a time. A batch owns what it refers to: it may outlive the stream,
/// and be released on another thread.
///
/// An error ends the stream: it is released before the exception leaves, and every later call of `next` throws the same again,
/// so that nobody takes what came before it for everything. Moved from, it has no more batches.
class PURVIEW_EXPORT Batches {
public:
    /// Walks the batches that are left. The batch that it shows stays with the stream until the next one.
    class Iterator {
    public:
        using value_type = Columns;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        Iterator() = default;
        explicit Iterator(Batches& batches) noexcept : batches_(&batches) {}

        const Columns& operator*() const noexcept { return *batches_->current_; }
        const Columns* operator->() const noexcept { return &*batches_->current_; }
        Iterator& operator++() {
            batches_->current_ = batches_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const noexcept {
            return batches_ == nullptr || !batches_->current_;
        }

    private:
        Batches* batches_ = nullptr;
    };

    /// Takes over what `stream` holds, as `from_arrow_stream` does.
    Batches(Stream* stream, const ArrowOptions& options);
    Batches(Batches&& other) noexcept;
    Batches& operator=(Batches&& other) noexcept;
    ~Batches();

    /// The columns that every batch has, with their types and zones, of no rows. Known before the first batch is asked for.
    const Columns& schema() const noexcept { return schema_; }
    /// The next batch; none at the end of the stream, which is released then. Throws what `from_arrow` throws;
    /// `FormatError` with the number of the batch, counted from 0, and with errno and text of the producer, where it fails.
    std::optional<Columns> next();
    /// All batches that are left as one table: as `schema()` where there are none. The producer is asked for all of them; the tensors are lazy
    /// concatenations, O(batches · columns): nothing is copied until `clone(t)` makes memory of one. Throws as `next` does.
    Columns read_all();

    /// Asks for the next batch, as `++` does.
    Iterator begin() { return ++Iterator(*this); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    struct Taken;
    std::unique_ptr<Taken> taken_; ///< null at the end
    Columns schema_;
    std::optional<Columns> current_{};
    std::exception_ptr failure_{};
};

/// An exported stream, released with this object unless it was moved out: by a consumer who was given `&e.stream` and takes over
/// what it holds, or by `move_to`.
class PURVIEW_EXPORT StreamExport {
public:
    Stream stream{};

    StreamExport() = default;
    StreamExport(StreamExport&& other) noexcept;
    StreamExport& operator=(StreamExport&& other) noexcept;
    ~StreamExport();

    /// Moves it to where a consumer wants it. What lies there is overwritten.
    void move_to(Stream* to) noexcept;
    template <ForeignStream S>
    void move_to(S* to) noexcept {
        static_assert(sizeof(S) == sizeof(Stream));
        move_to(reinterpret_cast<Stream*>(to));
    }
};

/// Gives the next batch whenever it is called, and none at the end; is not called again then.
template <typename F>
concept BatchGenerator = std::is_invocable_r_v<std::optional<Columns>, F&>;
/// Whatever can be walked, and gives batches.
template <typename R>
concept BatchRange = requires(R& range) {
    { *std::begin(range) } -> std::convertible_to<Columns>;
    { std::begin(range) == std::end(range) } -> std::convertible_to<bool>;
};

} // namespace arrow

/// Takes over a stream of batches, whose release callback is called exactly once: at its end, when an error ends it, with the result where that is
/// dropped earlier, or before an error is thrown here. `stream` is left released. Every batch becomes `Columns` as `from_arrow` makes them, by the same
/// options.
/// Throws `FormatError` for a null pointer, a stream that holds nothing any more, and a producer that fails (with its errno and text); what `from_arrow`
/// throws for a schema that it does not take, so that no batch is asked for then.
/// A schema is believed to have as many children as it says: before there is a batch, nothing contradicts it.
PURVIEW_EXPORT arrow::Batches from_arrow_stream(arrow::Stream* stream,
                                                const ArrowOptions& options = {});
/// Takes over a stream of batches in the type of another header for Arrow's structure.
template <arrow::ForeignStream S>
arrow::Batches from_arrow_stream(S* stream, const ArrowOptions& options = {}) {
    static_assert(sizeof(S) == sizeof(arrow::Stream));
    return from_arrow_stream(reinterpret_cast<arrow::Stream*>(stream), options);
}

/// Takes over a stream whose batches are no tables but pieces of one column, as chunked arrays and series send them, and gives that column: several pieces as a
/// lazy concatenation, O(pieces); of none, one of no rows. Throws as `from_arrow_stream` does, and as `column_from_arrow` for a table.
PURVIEW_EXPORT Column column_from_arrow_stream(arrow::Stream* stream,
                                               const ArrowOptions& options = {});
/// Takes over a stream of pieces of one column in the type of another header for Arrow's structure.
template <arrow::ForeignStream S>
Column column_from_arrow_stream(S* stream, const ArrowOptions& options = {}) {
    static_assert(sizeof(S) == sizeof(arrow::Stream));
    return column_from_arrow_stream(reinterpret_cast<arrow::Stream*>(stream), options);
}

/// What strings of a stream go out as. Each batch has to fit: texts that are not UTF-8 are an error for utf8, and
/// 2³¹ bytes in one column for the types that are not large.
enum class ArrowText : std::uint8_t {
    by_first_batch, ///< as `to_arrow` has it for the first batch, column by column
    utf8,
    binary,
    large_utf8,
    large_binary
};

/// How batches are handed out.
struct ArrowStreamOptions {
    /// Names, types and zones of the columns; rows are of no importance. Without it the first batch says them, and is made when
    /// the consumer asks for the schema; a stream without batches has no columns then, or those of `range.schema()`, if it is made
    /// of a range that has it, as `arrow::Batches`.
    std::optional<Columns> schema{};
    ArrowText text = ArrowText::by_first_batch;
};

namespace arrow {
/// What `to_arrow_stream` makes of generators and ranges.
/// A stream without batches has the columns of `without_batches`.
PURVIEW_EXPORT StreamExport exported_stream(std::function<std::optional<Columns>()> next,
                                            const ArrowStreamOptions& options,
                                            Columns without_batches = {});
} // namespace arrow

/// Batches as an Arrow stream, each made and laid out as `to_arrow` does it when the consumer asks for it, on whatever thread. `next` is moved in, or copied; it is destroyed
/// at the end, at the first error, or when the stream is released.
///
/// All batches have the columns of the schema: as many, in this order, of the same names, Arrow types (zones and extents of lists too). What is thrown
/// never reaches the consumer: `get_schema` and `get_next` answer with an errno, and `get_last_error` with the text: EINVAL for an `Error`, as for a
/// batch that differs (the text names the column), ENOMEM for `bad_alloc`, its own for a `system_error`, else EIO, with a text for what is no `std::exception`, too. An error ends the stream: later calls answer the same.
/// Throws what `to_arrow` throws for the schema that is given.
template <arrow::BatchGenerator F>
arrow::StreamExport to_arrow_stream(F&& next, const ArrowStreamOptions& options = {}) {
    auto held = std::make_shared<std::decay_t<F>>(std::forward<F>(next));
    return arrow::exported_stream([held]() -> std::optional<Columns> { return (*held)(); },
                                  options);
}
/// A list of batches as an Arrow stream.
PURVIEW_EXPORT arrow::StreamExport to_arrow_stream(std::vector<Columns> batches,
                                                   const ArrowStreamOptions& options = {});
/// Any range of batches, which is moved in, or copied, as an Arrow stream: `arrow::Batches` too.
template <typename R>
    requires(arrow::BatchRange<std::decay_t<R>>&& std::constructible_from<std::decay_t<R>, R> &&
             !arrow::BatchGenerator<R>)
arrow::StreamExport to_arrow_stream(R&& range, const ArrowStreamOptions& options = {}) {
    struct Walk {
        std::decay_t<R> range;
        std::optional<decltype(std::begin(range))> at{};
    };
    auto walk = std::make_shared<Walk>(Walk{std::forward<R>(range)});
    Columns said;
    if constexpr (requires { Columns(walk->range.schema()); }) said = walk->range.schema();
    return arrow::exported_stream(
        [walk]() -> std::optional<Columns> {
            if (walk->at)
                ++*walk->at;
            else
                walk->at.emplace(std::begin(walk->range));
            if (*walk->at == std::end(walk->range)) return std::nullopt;
            return Columns(**walk->at);
        },
        options, std::move(said));
}

} // namespace purview
