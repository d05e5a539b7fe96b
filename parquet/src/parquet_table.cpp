#include "parquet_table.hpp"

#include "arrow_errors.hpp"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::parquet {
namespace {

using ::arrow::RecordBatch;
using Reader = ::parquet::arrow::FileReader;

constexpr const char* kOpen = "open_parquet";

/// What is a column here: a leaf of the schema, or a list of one.
struct FoundLeaf {
    int number;                            ///< among the leaves of the file, in depth first order
    std::shared_ptr<::arrow::Field> field; ///< a top-level field with nothing but this in it
};

int first_leaf(const ::parquet::arrow::SchemaField& field) {
    if (field.is_leaf()) return field.column_index;
    return field.children.empty() ? -1 : first_leaf(field.children.front());
}

bool is_struct(const ::parquet::arrow::SchemaField& field) {
    return !field.is_leaf() && field.field->type()->id() == ::arrow::Type::STRUCT;
}

void append_leaves(const ::parquet::arrow::SchemaField& field, const std::string& prefix,
                   std::vector<std::string>& names, std::vector<FoundLeaf>& leaves) {
    const std::string name = prefix + field.field->name();
    if (!is_struct(field)) {
        names.push_back(name);
        leaves.push_back({first_leaf(field), field.field});
        return;
    }
    for (const auto& child : field.children) {
        const std::size_t first = leaves.size();
        append_leaves(child, name + '.', names, leaves);
        for (std::size_t i = first; i < leaves.size(); ++i)
            leaves[i].field = field.field->WithType(::arrow::struct_({leaves[i].field}));
    }
}

/// The only column of a batch, which is in structs perhaps.
Column column_of(const std::string& path, const RecordBatch& batch, const ArrowOptions& options) {
    arrow::Export exported;
    check(kOpen, path,
          ::arrow::ExportRecordBatch(batch, reinterpret_cast<::ArrowArray*>(&exported.array),
                                     reinterpret_cast<::ArrowSchema*>(&exported.schema)));
    try {
        const Columns columns = from_arrow(&exported.array, &exported.schema, options);
        if (columns.size() == 1) return *columns.begin();
        throw FormatError(fmt::format("a column of the file is {} columns", columns.size()));
    } catch (const FormatError& error) {
        fail(kOpen, path, error.what());
    } catch (const DtypeError& error) {
        throw DtypeError(
            fmt::format("open_parquet: {}: {}", file::quoted_text(path), error.what()));
    }
}

template <typename T>
std::optional<NumberBounds> bounds_between(T least, T greatest) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr auto kExact = double{1ULL << 53};
    NumberBounds bounds{static_cast<double>(least), static_cast<double>(greatest),
                        std::is_floating_point_v<T>}; // NaN is not counted
    // Older writers have written NaN: it says nothing.
    if (!(bounds.least <= bounds.greatest)) return std::nullopt;
    if (std::is_floating_point_v<T>) return bounds;
    if (std::abs(bounds.least) >= kExact) bounds.least = std::nextafter(bounds.least, -kInfinity);
    if (std::abs(bounds.greatest) >= kExact)
        bounds.greatest = std::nextafter(bounds.greatest, kInfinity);
    return bounds;
}

/// Of a type of T's width that is no number but of the physical type, or an integer.
template <typename Type, typename Unsigned>
std::optional<NumberBounds> bounds_in(const ::parquet::Statistics& statistics,
                                      const ::parquet::LogicalType& logical) {
    const auto& typed = dynamic_cast<const ::parquet::TypedStatistics<Type>&>(statistics);
    if (logical.is_none()) return bounds_between(typed.min(), typed.max());
    if constexpr (std::is_integral_v<Unsigned>)
        if (logical.is_int()) {
            if (static_cast<const ::parquet::IntLogicalType&>(logical).is_signed())
                return bounds_between(typed.min(), typed.max());
            return bounds_between(static_cast<Unsigned>(typed.min()),
                                  static_cast<Unsigned>(typed.max()));
        }
    return std::nullopt;
}

std::optional<NumberBounds> number_bounds(const ::parquet::Statistics& statistics,
                                          const ::parquet::ColumnDescriptor& about) {
    const auto& logical = *about.logical_type();
    switch (about.physical_type()) {
    case ::parquet::Type::BOOLEAN:
        return bounds_in<::parquet::BooleanType, void>(statistics, logical);
    case ::parquet::Type::INT32:
        return bounds_in<::parquet::Int32Type, std::uint32_t>(statistics, logical);
    case ::parquet::Type::INT64:
        return bounds_in<::parquet::Int64Type, std::uint64_t>(statistics, logical);
    case ::parquet::Type::FLOAT: return bounds_in<::parquet::FloatType, void>(statistics, logical);
    case ::parquet::Type::DOUBLE:
        return bounds_in<::parquet::DoubleType, void>(statistics, logical);
    default: return std::nullopt;
    }
}

/// Arrow says which array comes out either by its result or, up to version 23, by an argument.
template <typename R>
::arrow::Result<std::shared_ptr<::arrow::Table>> row_group(R& reader, int group, int leaf) {
    const std::vector<int> leaves{leaf};
    if constexpr (requires { reader.ReadRowGroup(group, leaves).ValueUnsafe(); }) {
        return reader.ReadRowGroup(group, leaves);
    } else {
        std::shared_ptr<::arrow::Table> table;
        ARROW_RETURN_NOT_OK(reader.ReadRowGroup(group, leaves, &table));
        return table;
    }
}

} // namespace

struct ParquetTable::State {
    std::string path;
    std::string where;
    std::shared_ptr<::arrow::io::RandomAccessFile> file; ///< read by position, by any thread
    std::shared_ptr<::parquet::FileMetaData> metadata;
    std::vector<index_t> group_rows{};
    std::vector<std::string> names{};
    std::vector<FoundLeaf> leaves{};
    std::mutex mutex{};
    std::vector<std::unique_ptr<Reader>> idle{}; ///< nobody uses them at the moment

    std::unique_ptr<Reader> made_reader() const {
        ::parquet::ReaderProperties properties = ::parquet::default_reader_properties();
        properties.set_page_checksum_verification(true);
        ::parquet::ArrowReaderProperties arrow_properties(false);
        arrow_properties.set_pre_buffer(false);
        ::parquet::arrow::FileReaderBuilder builder;
        check(kOpen, path, builder.Open(file, properties, metadata));
        return checked(kOpen, path, builder.properties(arrow_properties)->Build());
    }
    std::unique_ptr<Reader> taken_reader() {
        {
            const std::lock_guard lock(mutex);
            if (!idle.empty()) {
                std::unique_ptr<Reader> reader = std::move(idle.back());
                idle.pop_back();
                return reader;
            }
        }
        return made_reader();
    }
    void give_back(std::unique_ptr<Reader> reader) {
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(reader));
    }
};

ParquetTable::ParquetTable(const std::string& path, std::optional<double> fill)
    : state_(std::make_unique<State>()), options_{fill} {
    State& state = *state_;
    state.path = path;
    state.where = fmt::format("{}: {}", kOpen, file::quoted_text(path));
    guarded(kOpen, path, [&] {
        state.file = checked(kOpen, path, ::arrow::io::ReadableFile::Open(path));
        std::unique_ptr<Reader> reader = state.made_reader();
        state.metadata = reader->parquet_reader()->metadata();
        index_t rows = 0;
        for (int g = 0; g < state.metadata->num_row_groups(); ++g) {
            const index_t count = state.metadata->RowGroup(g)->num_rows();
            if (count < 0 || __builtin_add_overflow(rows, count, &rows))
                fail(kOpen, path, fmt::format("row group {} has {} rows", g, count));
            state.group_rows.push_back(count);
        }
        for (const auto& field : reader->manifest().schema_fields)
            append_leaves(field, "", state.names, state.leaves);
        state.give_back(std::move(reader));
    });
}

ParquetTable::~ParquetTable() = default;

const std::string& ParquetTable::where() const noexcept { return state_->where; }
const std::vector<index_t>& ParquetTable::group_rows() const noexcept { return state_->group_rows; }
const std::vector<std::string>& ParquetTable::names() const noexcept { return state_->names; }

Column ParquetTable::like(std::size_t column) const {
    const std::string& path = state_->path;
    return guarded(kOpen, path, [&] {
        const auto schema = ::arrow::schema({state_->leaves[column].field});
        if (!options_.fill)
            return column_of(path, *checked(kOpen, path, RecordBatch::MakeEmpty(schema)), options_);
        auto gap = checked(kOpen, path, ::arrow::MakeArrayOfNull(schema->field(0)->type(), 1));
        return column_of(path, *RecordBatch::Make(schema, 1, {std::move(gap)}), options_);
    });
}

bool ParquetTable::has_gaps(std::size_t column, std::size_t group) const {
    return guarded(kOpen, state_->path, [&] {
        const int leaf = state_->leaves[column].number;
        if (leaf < 0) return true;
        const ::parquet::ColumnDescriptor& about = *state_->metadata->schema()->Column(leaf);
        const auto chunk = state_->metadata->RowGroup(static_cast<int>(group))->ColumnChunk(leaf);
        // Before anybody asks for memory for so many.
        if (about.max_repetition_level() == 0 && chunk->num_values() != state_->group_rows[group])
            fail(kOpen, state_->path,
                 fmt::format("column {} of row group {} has {} values, and the row group {} rows",
                             file::quoted_text(state_->names[column]), group, chunk->num_values(),
                             state_->group_rows[group]));
        if (about.max_definition_level() == 0) return false;
        const auto statistics = chunk->statistics();
        return statistics == nullptr || !statistics->HasNullCount() ||
               statistics->null_count() != 0;
    });
}

std::optional<NumberBounds> ParquetTable::bounds(std::size_t column, std::size_t group) const {
    return guarded(kOpen, state_->path, [&]() -> std::optional<NumberBounds> {
        const int leaf = state_->leaves[column].number;
        if (leaf < 0) return std::nullopt;
        const auto chunk = state_->metadata->RowGroup(static_cast<int>(group))->ColumnChunk(leaf);
        const auto statistics = chunk->statistics();
        if (statistics == nullptr || !statistics->HasMinMax()) return std::nullopt;
        return number_bounds(*statistics, *state_->metadata->schema()->Column(leaf));
    });
}

std::vector<Column> ParquetTable::decode(std::size_t column, std::size_t group,
                                         Wanted /*wanted*/) const {
    const std::string& path = state_->path;
    return guarded(kOpen, path, [&] {
        std::unique_ptr<Reader> reader = state_->taken_reader();
        const FoundLeaf& leaf = state_->leaves[column];
        // A reader that has failed is not used again.
        const auto table =
            checked(kOpen, path, row_group(*reader, static_cast<int>(group), leaf.number));
        state_->give_back(std::move(reader));
        if (table->num_columns() != 1)
            fail(kOpen, path,
                 fmt::format("column {} of row group {} is {} columns",
                             file::quoted_text(state_->names[column]), group,
                             table->num_columns()));
        std::vector<Column> pieces;
        for (const auto& chunk : table->column(0)->chunks()) {
            const auto schema =
                ::arrow::schema({table->schema()->field(0)->WithType(chunk->type())});
            pieces.push_back(
                column_of(path, *RecordBatch::Make(schema, chunk->length(), {chunk}), options_));
        }
        return pieces;
    });
}

} // namespace purview::parquet
