// Defines purview/interop/arrow_stream.hpp.
#include <purview/interop/arrow_stream.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/concat.hpp>

#include "interop/arrow_import.hpp"
#include "interop/arrow_rowless.hpp"
#include "interop/arrow_taken_over.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>

namespace purview::inline v0_1 {
namespace arrow {
namespace {

constexpr std::size_t kMostErrorText = 4096;

/// Throws what the producer says of a call that failed; its text is only lent.
void check_answer(Stream& stream, int code, const std::string& call) {
    if (code == 0) return;
    const char* const text =
        stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    throw FormatError(fmt::format(
        "from_arrow_stream: {}: the producer fails with errno {} ({}){}{}", call, code,
        std::generic_category().message(code), text == nullptr ? "" : ": ",
        text == nullptr ? std::string_view() : std::string_view(text).substr(0, kMostErrorText)));
}

Schema said_schema(Stream& stream) {
    if (stream.release == nullptr)
        throw FormatError("from_arrow_stream: the stream is null, was released, or moved out");
    if (stream.get_schema == nullptr || stream.get_next == nullptr)
        throw FormatError("from_arrow_stream: a callback of the stream is a null pointer");
    Schema schema{};
    check_answer(stream, stream.get_schema(&stream, &schema), "the schema");
    if (schema.release == nullptr)
        throw FormatError("from_arrow_stream: the producer gives a schema that is released");
    return schema;
}

/// The columns at `place` of all batches, one below the other.
Column joined_column(const std::vector<Columns>& batches, index_t place) {
    std::vector<AnyTensor> values;
    std::vector<Tensor<bool>> missing;
    Column joined = batches.front().begin()[place];
    for (const Columns& batch : batches) {
        const Column& column = *(batch.begin() + place);
        values.push_back(column.values);
        missing.push_back(column.missing);
        joined.is_filled |= column.is_filled;
    }
    joined.values = concat(values);
    joined.missing = concat(missing);
    return joined;
}

} // namespace

struct Batches::Taken {
    TakenOver<Stream> stream;
    ArrowOptions options;
    Schema said; ///< what `schema` takes over
    TakenOver<Schema> schema;
    index_t number = 0; ///< of the next batch

    Taken(TakenOver<Stream> own, const ArrowOptions& how)
        : stream(std::move(own)), options(how), said(said_schema(*stream)), schema(said) {}
};

Batches::Batches(Stream* stream, const ArrowOptions& options) {
    Stream nothing{};
    taken_ =
        std::make_unique<Taken>(TakenOver<Stream>(stream == nullptr ? nothing : *stream), options);
    Array no_rows = rowless_array(*taken_->schema);
    schema_ = imported_batch(no_rows, *taken_->schema, options);
}

Batches::Batches(Batches&& other) noexcept = default;
Batches& Batches::operator=(Batches&& other) noexcept = default;
Batches::~Batches() = default;

std::optional<Columns> Batches::next() {
    if (failure_) std::rethrow_exception(failure_);
    if (taken_ == nullptr) return std::nullopt;
    try {
        Stream& stream = *taken_->stream;
        Array array{};
        check_answer(stream, stream.get_next(&stream, &array),
                     fmt::format("batch {}", taken_->number));
        ++taken_->number;
        if (array.release != nullptr)
            return imported_batch(array, *taken_->schema, taken_->options);
    } catch (...) {
        failure_ = std::current_exception();
        taken_.reset();
        throw;
    }
    taken_.reset();
    return std::nullopt;
}

Columns Batches::read_all() {
    std::vector<Columns> batches;
    while (std::optional<Columns> batch = next())
        if (batch->rows() > 0) batches.push_back(std::move(*batch));
    if (batches.empty()) return schema_;
    if (batches.size() == 1) return batches.front();
    std::vector<Column> columns;
    for (index_t c = 0; c < schema_.size(); ++c) columns.push_back(joined_column(batches, c));
    return Columns(std::move(columns));
}

} // namespace arrow

Column column_from_arrow_stream(arrow::Stream* stream, const ArrowOptions& options) {
    using namespace arrow;
    Stream nothing{};
    TakenOver<Stream> taken(stream == nullptr ? nothing : *stream);
    Schema said = said_schema(*taken);
    const TakenOver<Schema> schema(said);
    std::vector<Columns> pieces;
    for (index_t number = 0;; ++number) {
        Array array{};
        check_answer(*taken, (*taken).get_next(&*taken, &array), fmt::format("batch {}", number));
        if (array.release == nullptr) break;
        Column piece = imported_column(array, *schema, options);
        if (piece.rows() > 0) pieces.push_back(Columns({std::move(piece)}));
    }
    if (pieces.size() > 1) return joined_column(pieces, 0);
    if (pieces.size() == 1) return *pieces.front().begin();
    Array no_rows = rowless_array(*schema);
    return imported_column(no_rows, *schema, options);
}

arrow::Batches from_arrow_stream(arrow::Stream* stream, const ArrowOptions& options) {
    return arrow::Batches(stream, options);
}

} // namespace purview
