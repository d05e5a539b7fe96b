#include "encoder.hpp"

#include "arrow_errors.hpp"

#include <purview/interop/arrow.hpp>

#include "io/replacement_file.hpp"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

namespace purview::inline v0_1::parquet {
namespace {

constexpr const char* kSave = "save_parquet";

/// Where Arrow writes to. What a write throws is kept for whoever has called Arrow.
class Sink final : public ::arrow::io::OutputStream {
public:
    explicit Sink(file::ReplacementFile& file) : file_(file) {}

    std::exception_ptr failure() const { return failure_; }
    /// Nothing is written any more.
    void stop() noexcept { is_stopped_ = true; }

    ::arrow::Status Close() override {
        is_closed_ = true;
        return ::arrow::Status::OK();
    }
    ::arrow::Result<std::int64_t> Tell() const override { return position_; }
    bool closed() const override { return is_closed_; }
    ::arrow::Status Write(const void* data, std::int64_t count) override {
        if (is_stopped_) return ::arrow::Status::Cancelled("the file is given up");
        try {
            file_.write({static_cast<const std::byte*>(data), static_cast<std::size_t>(count)});
        } catch (...) {
            failure_ = std::current_exception();
            return ::arrow::Status::IOError("the file cannot be written");
        }
        position_ += count;
        return ::arrow::Status::OK();
    }

private:
    file::ReplacementFile& file_;
    std::int64_t position_ = 0;
    bool is_closed_ = false;
    bool is_stopped_ = false;
    std::exception_ptr failure_{};
};

::arrow::Compression::type codec_of(const std::string& path, const std::string& name) {
    if (name == "none") return ::arrow::Compression::UNCOMPRESSED;
    if (name == "lz4")
        return ::arrow::Compression::LZ4; // of that name, Arrow has another for files by themselves
    const auto type = ::arrow::util::Codec::GetCompressionType(name);
    if (!type.ok() || !::arrow::util::Codec::IsAvailable(*type))
        fail(kSave, path,
             fmt::format("there is no compression {}: \"zstd\", \"snappy\", \"lz4\", \"gzip\", "
                         "\"brotli\" and \"none\" are known, if Arrow was built with them",
                         file::quoted_text(name)));
    return *type;
}

std::shared_ptr<::arrow::RecordBatch> batch_of(const std::string& path, const Columns& rows) {
    arrow::Export exported = to_arrow(rows);
    return checked(kSave, path,
                   ::arrow::ImportRecordBatch(reinterpret_cast<::ArrowArray*>(&exported.array),
                                              reinterpret_cast<::ArrowSchema*>(&exported.schema)));
}

} // namespace

struct Encoder::State {
    std::string path;
    file::ReplacementFile file;
    std::shared_ptr<Sink> sink;
    std::shared_ptr<::parquet::WriterProperties> properties;
    std::shared_ptr<::arrow::Schema> schema{};
    std::unique_ptr<::parquet::arrow::FileWriter> writer{};

    void check_written(const ::arrow::Status& status) const {
        if (!status.ok() && sink->failure()) std::rethrow_exception(sink->failure());
        check(kSave, path, status);
    }
};

Encoder::Encoder(const std::string& path, const std::string& compression) {
    ::parquet::WriterProperties::Builder builder;
    builder.compression(codec_of(path, compression))->enable_page_checksum();
    state_ = std::unique_ptr<State>(new State{.path = path,
                                              .file = file::ReplacementFile(kSave, path),
                                              .sink = nullptr,
                                              .properties = builder.build()});
    state_->sink = std::make_shared<Sink>(state_->file);
}

/// A writer of Arrow's that is destroyed writes a footer, which nobody needs then.
Encoder::~Encoder() {
    state_->sink->stop();
    state_->writer.reset();
}

void Encoder::write(const Columns& rows) {
    State& state = *state_;
    std::shared_ptr<::arrow::RecordBatch> batch = batch_of(state.path, rows);
    guarded(kSave, state.path, [&] {
        if (state.writer == nullptr) {
            state.schema = batch->schema();
            state.writer = checked(
                kSave, state.path,
                ::parquet::arrow::FileWriter::Open(
                    *state.schema, ::arrow::default_memory_pool(), state.sink, state.properties,
                    ::parquet::ArrowWriterProperties::Builder().store_schema()->build()));
        }
        ::arrow::ArrayVector arrays = batch->columns();
        for (std::size_t c = 0; c < arrays.size(); ++c) {
            const Column& column = rows.begin()[static_cast<index_t>(c)];
            const auto& type = state.schema->field(static_cast<int>(c))->type();
            if (arrays[c]->type()->Equals(*type)) continue;
            // Texts that happen to be UTF-8, behind some that were not.
            if (type->id() != ::arrow::Type::BINARY ||
                arrays[c]->type_id() != ::arrow::Type::STRING)
                throw DtypeError(fmt::format(
                    "save_parquet: {}: column {} is {} in a row group, and {} in those before",
                    file::quoted_text(state.path), file::quoted_text(column.name),
                    arrays[c]->type()->ToString(), type->ToString()));
            arrays[c] = checked(kSave, state.path, arrays[c]->View(type));
        }
        const auto table = ::arrow::Table::Make(state.schema, arrays, batch->num_rows());
        state.check_written(
            state.writer->WriteTable(*table, std::max<std::int64_t>(batch->num_rows(), 1)));
    });
}

void Encoder::commit() {
    State& state = *state_;
    guarded(kSave, state.path, [&] { state.check_written(state.writer->Close()); });
    state.file.commit();
}

} // namespace purview::parquet
