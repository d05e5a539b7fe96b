// Defines purview/interop/arrow_stream.hpp.
#include <purview/interop/arrow_stream.hpp>

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_export.hpp"
#include "interop/arrow_owned.hpp"
#include "interop/arrow_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

namespace purview::inline v0_1 {
namespace arrow {
namespace {

/// Throws where a batch says of a column, or of the elements of its lists, what the stream does not.
void check_format(const Schema& stream, const Schema& batch, std::string_view column,
                  index_t number) {
    if (std::string_view(stream.format) != batch.format)
        throw FormatError(fmt::format(
            "to_arrow_stream: column {} of batch {} has the format {}, and the stream has {}",
            file::quoted_text(column), number, file::quoted_text(batch.format),
            file::quoted_text(stream.format)));
    if (stream.n_children == 1)
        check_format(*stream.children[0], *batch.children[0], column, number);
}

/// Throws where a batch has other columns than the stream.
void check_names(const Schema& stream, const Columns& batch, index_t number) {
    const index_t common = std::min<index_t>(stream.n_children, batch.size());
    for (index_t c = 0; c < common; ++c)
        if (batch.begin()[c].name != stream.children[c]->name)
            throw FormatError(
                fmt::format("to_arrow_stream: column {} of batch {} is called {}, and {} in the "
                            "stream",
                            c, number, file::quoted_text(batch.begin()[c].name),
                            file::quoted_text(stream.children[c]->name)));
    if (batch.size() > common)
        throw FormatError(
            fmt::format("to_arrow_stream: column {} of batch {} is none of the stream",
                        file::quoted_text(batch.begin()[common].name), number));
    if (stream.n_children > common)
        throw FormatError(fmt::format("to_arrow_stream: batch {} lacks the column {}", number,
                                      file::quoted_text(stream.children[common]->name)));
}

/// What an exported stream points to. Callbacks are not called by two threads at a time.
class Source {
public:
    Source(std::function<std::optional<Columns>()> next, const ArrowStreamOptions& options,
           Columns without_batches)
        : next_(std::move(next)),
          text_(text_format(options.text)),
          without_batches_(std::move(without_batches)) {
        if (options.schema) set_schema(laid_out(*options.schema));
    }

    Schema schema() {
        if (schema_.schema.release == nullptr) {
            if (std::optional<Columns> batch = pulled()) {
                first_ = laid_out(*batch);
                set_schema(*first_);
            } else {
                set_schema(laid_out(without_batches_));
            }
        }
        return copied_schema(schema_.schema);
    }
    /// Released at the end.
    Array next() {
        if (schema_.schema.release == nullptr) {
            Export unused;
            unused.schema = schema();
        }
        Export batch;
        if (first_) {
            batch = std::move(*first_);
            first_.reset();
        } else if (const std::optional<Columns> columns = pulled()) {
            const Schema& stream = schema_.schema;
            check_names(stream, *columns, number_);
            batch = exported_batch(*columns, texts_);
            for (index_t c = 0; c < stream.n_children; ++c)
                check_format(*stream.children[c], *batch.schema.children[c],
                             columns->begin()[c].name, number_);
        }
        if (batch.array.release != nullptr) ++number_;
        Array result = batch.array;
        batch.array.release = nullptr;
        return result;
    }

    /// The errno of what `work` throws, or 0; once there was one, it stays.
    template <typename Work>
    int answer(Work work) noexcept {
        if (errno_ != 0) return errno_;
        try {
            work();
            return 0;
        } catch (const std::bad_alloc&) {
            fail(ENOMEM, "out of memory");
        } catch (const std::system_error& error) {
            const std::error_condition condition = error.code().default_error_condition();
            const bool is_errno = condition.category() == std::generic_category();
            fail(is_errno && condition.value() > 0 ? condition.value() : EIO, error.what());
        } catch (const Error& error) {
            fail(EINVAL, error.what());
        } catch (const std::exception& error) {
            fail(EIO, error.what());
        } catch (...) {
            fail(EIO, "what was thrown is no std::exception");
        }
        return errno_;
    }
    /// Null where there was no error.
    const char* error() const noexcept {
        if (errno_ == 0) return nullptr;
        return error_.empty() ? "an error without a text" : error_.c_str();
    }

private:
    std::optional<Columns> pulled() {
        if (!next_) return std::nullopt;
        std::optional<Columns> batch = next_();
        if (!batch) next_ = nullptr;
        return batch;
    }
    Export laid_out(const Columns& columns) const {
        return exported_batch(columns,
                              std::string(static_cast<std::size_t>(columns.size()), text_));
    }
    void set_schema(const Export& like) {
        texts_.clear();
        for (index_t c = 0; c < like.schema.n_children; ++c)
            texts_ += text_format(*like.schema.children[c]);
        schema_.schema = copied_schema(like.schema);
    }
    void fail(int code, const char* text) noexcept {
        errno_ = code;
        try {
            next_ = nullptr;
            error_ = text;
        } catch (...) {
            error_.clear();
        }
    }

    std::function<std::optional<Columns>()> next_; ///< empty at the end
    char text_;
    Columns without_batches_;
    Export schema_{};               ///< without an array; until it is known, without a schema too
    std::string texts_{};           ///< the format of strings in each column
    std::optional<Export> first_{}; ///< the batch that said the schema
    index_t number_ = 0;
    int errno_ = 0;
    std::string error_{};
};

Source* source_of(Stream* self) noexcept { return static_cast<Source*>(self->private_data); }

int get_schema(Stream* self, Schema* out) noexcept {
    *out = Schema{};
    if (source_of(self) == nullptr) return EINVAL;
    return source_of(self)->answer([&] { *out = source_of(self)->schema(); });
}
int get_next(Stream* self, Array* out) noexcept {
    *out = Array{};
    if (source_of(self) == nullptr) return EINVAL;
    return source_of(self)->answer([&] { *out = source_of(self)->next(); });
}
const char* get_last_error(Stream* self) noexcept {
    return source_of(self) == nullptr ? "the stream was released" : source_of(self)->error();
}
void release(Stream* self) noexcept {
    delete source_of(self);
    self->private_data = nullptr;
    self->release = nullptr;
}

} // namespace

StreamExport::StreamExport(StreamExport&& other) noexcept { other.move_to(&stream); }

StreamExport& StreamExport::operator=(StreamExport&& other) noexcept {
    if (this != &other) {
        if (stream.release != nullptr) stream.release(&stream);
        other.move_to(&stream);
    }
    return *this;
}

StreamExport::~StreamExport() {
    if (stream.release != nullptr) stream.release(&stream);
}

void StreamExport::move_to(Stream* to) noexcept {
    *to = stream;
    stream.release = nullptr;
}

StreamExport exported_stream(std::function<std::optional<Columns>()> next,
                             const ArrowStreamOptions& options, Columns without_batches) {
    StreamExport result;
    result.stream = {.get_schema = get_schema,
                     .get_next = get_next,
                     .get_last_error = get_last_error,
                     .release = release,
                     .private_data = std::make_unique<Source>(std::move(next), options,
                                                              std::move(without_batches))
                                         .release()};
    return result;
}

} // namespace arrow

arrow::StreamExport to_arrow_stream(std::vector<Columns> batches,
                                    const ArrowStreamOptions& options) {
    return arrow::exported_stream(
        [batches = std::move(batches), place = std::size_t{0}]() mutable -> std::optional<Columns> {
            if (place == batches.size()) return std::nullopt;
            return std::exchange(batches[place++], {});
        },
        options);
}

} // namespace purview
