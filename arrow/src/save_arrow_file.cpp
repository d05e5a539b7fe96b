// Defines purview/arrow/save_arrow_file.hpp.
#include <purview/arrow/save_arrow_file.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/parallel.hpp>

#include "base/quoted_text.hpp"
#include "buffers.hpp"
#include "interop/arrow_export.hpp"
#include "interop/arrow_format.hpp"
#include "io/replacement_file.hpp"
#include "schema_message.hpp"
#include "table/rows_at_once.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace ipc {
namespace {

constexpr const char* kWhat = "save_arrow_file";
constexpr index_t kAlignment = 64;        ///< of buffers, in the file too
constexpr double kNanosecondsPerByte = 2; ///< of compression, about

using Builder = flatbuffers::FlatBufferBuilder;

index_t padded(index_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// The arrays of a batch, in order, and their buffers.
struct Body {
    std::vector<format::FieldNode> nodes{};
    std::vector<std::span<const std::byte>> buffers{};
    std::vector<std::vector<std::byte>> compressed{};

    void add_buffer(const void* data, index_t bytes) {
        buffers.emplace_back(static_cast<const std::byte*>(data),
                             data == nullptr ? 0 : static_cast<std::size_t>(bytes));
    }

    /// Of an array that `to_arrow` made.
    void add(const arrow::Array& array, const arrow::Schema& schema) {
        using arrow::Kind;
        const std::string_view name = schema.name == nullptr ? "" : schema.name;
        const arrow::ArrowType type = arrow::parse_format(schema.format, name);
        if (array.offset != 0)
            throw FormatError(
                fmt::format("save_arrow_file: column {} begins at offset {}: only what "
                            "to_arrow_stream makes is written",
                            file::quoted_text(name), array.offset));
        const index_t length = array.length;
        const index_t bits = (length + 7) / 8;
        nodes.emplace_back(length, array.null_count);
        if (type.kind != Kind::nothing)
            add_buffer(array.buffers[0], array.null_count == 0 ? 0 : bits);
        switch (type.kind) {
        case Kind::nothing:
        case Kind::fixed_list:
        case Kind::structure: break;
        case Kind::boolean: add_buffer(array.buffers[1], bits); break;
        case Kind::text: add_text(array, type.width); break;
        default: add_buffer(array.buffers[1], length * type.width); break;
        }
        for (std::int64_t c = 0; c < array.n_children; ++c)
            add(*array.children[c], *schema.children[c]);
    }

    void compress(format::Codec codec) {
        compressed.resize(buffers.size());
        double bytes = 0;
        for (const auto& buffer : buffers) bytes += static_cast<double>(buffer.size());
        const auto count = std::ssize(buffers);
        parallel_ranges(count, 1,
                        bytes * kNanosecondsPerByte /
                            static_cast<double>(std::max<index_t>(count, 1)),
                        [&](index_t begin, index_t end) {
                            for (auto b = static_cast<std::size_t>(begin);
                                 b < static_cast<std::size_t>(end); ++b)
                                if (!buffers[b].empty())
                                    compressed[b] = ipc::compressed(buffers[b], codec);
                        });
        for (std::size_t b = 0; b < buffers.size(); ++b) buffers[b] = compressed[b];
    }

private:
    void add_text(const arrow::Array& array, index_t width) {
        const void* const offsets = array.buffers[1];
        add_buffer(offsets, array.length == 0 ? 0 : (array.length + 1) * width);
        add_buffer(array.buffers[2], last_offset(offsets, array.length, width));
    }
};

class TableWriter {
public:
    TableWriter(const std::string& path, const SaveArrowOptions& options)
        : options_(options), file_(kWhat, path) {
        if (!options_.as_stream) write_text(kMagicHead);
    }

    void write_schema(const arrow::Schema& table) {
        Builder builder;
        write_message(builder, format::MessageHeader::Schema, described(builder, table).Union(), 0);
    }

    void write_batch(const arrow::Array& array, const arrow::Schema& table) {
        Body body;
        for (std::int64_t c = 0; c < table.n_children; ++c)
            body.add(*array.children[c], *table.children[c]);
        const bool is_lz4 = options_.compression == ArrowCompression::lz4;
        const auto codec = is_lz4 ? format::Codec::Lz4Frame : format::Codec::Zstd;
        const bool is_compressed = options_.compression != ArrowCompression::none;
        if (is_compressed) body.compress(codec);
        std::vector<format::BufferPlace> places;
        index_t end = 0;
        for (const auto& buffer : body.buffers) {
            places.emplace_back(end, std::ssize(buffer));
            end += padded(std::ssize(buffer));
        }
        Builder builder;
        const auto nodes = builder.CreateVectorOfStructs(body.nodes);
        const auto buffers = builder.CreateVectorOfStructs(places);
        const auto how = is_compressed ? format::CreateBodyCompression(builder, codec)
                                       : flatbuffers::Offset<format::BodyCompression>();
        const auto record =
            format::CreateRecordBatch(builder, array.length, nodes, buffers, how).Union();
        const index_t begin = at_;
        const index_t described =
            write_message(builder, format::MessageHeader::RecordBatch, record, end);
        blocks_.emplace_back(begin, static_cast<std::int32_t>(described), end);
        for (const auto& buffer : body.buffers) {
            write(buffer);
            pad();
        }
    }

    void finish(const arrow::Schema& table) {
        write_word(kContinuation);
        write_word(0);
        if (!options_.as_stream) {
            Builder builder;
            const auto schema = described(builder, table);
            const auto none = builder.CreateVectorOfStructs(std::vector<format::Block>());
            const auto blocks = builder.CreateVectorOfStructs(blocks_);
            builder.Finish(
                format::CreateFooter(builder, format::Version::V5, schema, none, blocks));
            write(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
            write_word(builder.GetSize());
            write_text(kMagic);
        }
        file_.commit();
    }

private:
    void write(std::span<const std::byte> bytes) {
        file_.write(bytes);
        at_ += std::ssize(bytes);
    }
    void write_text(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void write_word(std::uint32_t word) { write(std::as_bytes(std::span(&word, 1))); }
    void pad() {
        static constexpr std::array<std::byte, kAlignment> kNone{};
        write(std::span(kNone).first(static_cast<std::size_t>(padded(at_) - at_)));
    }

    /// Writes a description, so that the body behind it is aligned; how many bytes that took.
    index_t write_message(Builder& builder, format::MessageHeader kind,
                          flatbuffers::Offset<void> header, index_t body_bytes) {
        builder.Finish(
            format::CreateMessage(builder, format::Version::V5, kind, header, body_bytes));
        const index_t begin = at_;
        const index_t bytes = padded(at_ + 8 + index_t{builder.GetSize()}) - at_;
        write_word(kContinuation);
        write_word(static_cast<std::uint32_t>(bytes - 8));
        write(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
        pad();
        return at_ - begin;
    }

    const SaveArrowOptions& options_;
    file::ReplacementFile file_;
    index_t at_ = 0;
    std::vector<format::Block> blocks_{};
};

/// Throws what a stream says of its error.
void check_answer(arrow::Stream& stream, int code) {
    if (code == 0) return;
    const char* const text = stream.get_last_error(&stream);
    throw FormatError(fmt::format("{}: {}", kWhat, text == nullptr ? "the stream fails" : text));
}

void save_stream(const std::string& path, arrow::Stream& stream, const SaveArrowOptions& options) {
    if (stream.release == nullptr)
        throw FormatError(fmt::format("{}: the stream was moved out, or is empty", kWhat));
    arrow::Export table;
    check_answer(stream, stream.get_schema(&stream, &table.schema));
    TableWriter writer(path, options);
    writer.write_schema(table.schema);
    while (true) {
        arrow::Export batch;
        check_answer(stream, stream.get_next(&stream, &batch.array));
        if (batch.array.release == nullptr) break;
        writer.write_batch(batch.array, table.schema);
    }
    writer.finish(table.schema);
}

void save_table(const std::string& path, const Columns& columns, index_t step,
                const SaveArrowOptions& options) {
    std::string texts(static_cast<std::size_t>(columns.size()), arrow::text_format(options.text));
    TableWriter writer(path, options);
    arrow::Export first; // its schema is that of all
    index_t begin = 0;
    do {
        const index_t end = begin + std::min(step, columns.rows() - begin);
        const bool is_whole = begin == 0 && end == columns.rows();
        arrow::Export batch =
            arrow::exported_batch(is_whole ? columns : rows_of(columns, begin, end), texts);
        if (begin == 0) {
            // What texts are in the first rows, they are in all.
            for (std::int64_t c = 0; c < batch.schema.n_children; ++c)
                texts[static_cast<std::size_t>(c)] = arrow::text_format(*batch.schema.children[c]);
            writer.write_schema(batch.schema);
        }
        if (end > begin) writer.write_batch(batch.array, batch.schema);
        if (begin == 0) {
            first = std::move(batch);
            if (first.array.release != nullptr) first.array.release(&first.array);
        }
        begin = end;
    } while (begin < columns.rows());
    writer.finish(first.schema);
}

} // namespace
} // namespace ipc

void save_arrow_file(const std::string& path, const Columns& columns,
                     const SaveArrowOptions& options) {
    if (options.rows_per_batch < 0)
        throw IndexError(fmt::format("save_arrow_file: {} rows per batch", options.rows_per_batch));
    const index_t step =
        options.rows_per_batch > 0 ? options.rows_per_batch : rows_at_once(columns);
    ipc::save_table(path, columns, step, options);
}

void save_arrow_file(const std::string& path, arrow::StreamExport batches,
                     const SaveArrowOptions& options) {
    ipc::save_stream(path, batches.stream, options);
}

} // namespace purview
