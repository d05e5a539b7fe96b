#include <purview/arrow/open_arrow_file.hpp>

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/create.hpp>

#include "interop/arrow_owned.hpp"
#include "interop/arrow_types.hpp"
#include "table_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace ipc {
namespace {

/// Calls `work`, whose errors name the file then.
template <typename Work>
auto named(const std::string& path, Work work) {
    const auto text = [&](const Error& error) {
        return fmt::format("open_arrow_file: '{}': {}", path, error.what());
    };
    try {
        return work();
    } catch (const FormatError& error) {
        throw FormatError(text(error));
    } catch (const DtypeError& error) {
        throw DtypeError(text(error));
    } catch (const CastError& error) {
        throw CastError(text(error));
    }
}

/// A column of a file: several, where it is a struct.
Columns columns_of(arrow::Export column, index_t rows, const std::optional<double>& fill) {
    std::vector<arrow::Export> columns;
    columns.push_back(std::move(column));
    arrow::Export table =
        arrow::owned_array({.format = "+s", .buffers = {nullptr}}, "", rows, 0, std::move(columns));
    return from_arrow(&table.array, &table.schema, {fill});
}

/// One of the columns that a column of a compressed batch gives, which is decoded whenever it is asked for.
struct Encoded {
    std::shared_ptr<const TableFile> file;
    const RowBatch* batch; ///< of the file
    std::size_t column;
    index_t place; ///< among those that it gives
    std::optional<double> fill;

    Column decoded() const {
        return named(file->path(), [&] {
            const Columns all = columns_of(file->array(*batch, column), batch->rows(), fill);
            return *(all.begin() + place);
        });
    }
    bool is_struct() const { return file->fields()[column].format == "+s"; }
    bool is_dictionary() const { return file->fields()[column].dictionary.has_value(); }
};

void read_whole(const Operand& x, const ChunkGrid& grid, void* out) {
    const Shape origin(grid.shape.size(), 0);
    OperandBoxes(x).read(grid, origin, out);
}

/// The values in a compressed batch, all of them one chunk.
template <ElementType T>
class DecodedValues final : public ChunkedReader<T> {
public:
    DecodedValues(Encoded encoded, const Shape& shape)
        : ChunkedReader<T>({shape, shape}), encoded_(std::move(encoded)) {}

    bool read_chunk(ShapeSpan, std::span<T> out) const override {
        read_whole(encoded_.decoded().values.operand(), this->grid(), out.data());
        return true;
    }

private:
    Encoded encoded_;
};

/// Where they are missing.
class DecodedGaps final : public ChunkedReader<bool> {
public:
    explicit DecodedGaps(Encoded encoded)
        : ChunkedReader<bool>({Shape{encoded.batch->rows()}, Shape{encoded.batch->rows()}}),
          encoded_(std::move(encoded)) {}

    bool read_chunk(ShapeSpan, std::span<bool> out) const override {
        if (encoded_.is_struct() || encoded_.is_dictionary()) {
            read_whole(encoded_.decoded().missing.operand(), this->grid(), out.data());
            return true;
        }
        const Columns all = named(encoded_.file->path(), [&] {
            return columns_of(encoded_.file->validity(*encoded_.batch, encoded_.column),
                              encoded_.batch->rows(), {});
        });
        read_whole(all.begin()->values.operand(), this->grid(), out.data());
        for (bool& gap : out) gap = !gap;
        return true;
    }

private:
    Encoded encoded_;
};

template <typename Reader>
AnyTensor read_by(std::shared_ptr<Reader> reader) {
    const Shape shape = reader->grid().shape;
    return AnyTensor(Operand{make_node<Leaf>(std::move(reader)), Dimensions::row_major(shape)});
}

/// A column without rows as one of a compressed batch.
Column encoded_column(const Column& like, const Encoded& encoded) {
    Column result = like;
    Shape shape(like.values.shape());
    shape[0] = encoded.batch->rows();
    if (std::ranges::find(shape, 0) != shape.end()) return encoded.decoded(); // no bytes
    arrow::visit_arrow_dtype(like.dtype(), [&]<typename T>(std::type_identity<T>) {
        result.values = read_by(std::make_shared<DecodedValues<T>>(encoded, shape));
    });
    if (!encoded.file->has_gaps(*encoded.batch, encoded.column)) {
        result.missing = const_tensor(false, {shape[0]});
        return result;
    }
    result.missing = read_by(std::make_shared<DecodedGaps>(encoded)).as<bool>();
    const bool is_float = like.dtype().is_floating() || like.dtype() == float16;
    result.is_filled =
        encoded.fill && (is_float || (like.dtype().is_builtin() && !std::isnan(*encoded.fill)));
    return result;
}

/// What a column of the file gives, of all batches.
std::vector<Column> joined_columns(const std::shared_ptr<const TableFile>& file, std::size_t column,
                                   const std::optional<double>& fill) {
    const Columns like = columns_of(file->rowless(column), 0, fill);
    std::vector<Column> result(like.begin(), like.end());
    std::vector<std::vector<AnyTensor>> values(result.size());
    std::vector<std::vector<Tensor<bool>>> missing(result.size());
    for (const RowBatch& batch : file->batches()) {
        if (batch.rows() == 0) continue;
        const bool is_encoded = batch.is_compressed() && file->fields()[column].format != "n";
        const Columns stored =
            is_encoded ? Columns() : columns_of(file->array(batch, column), batch.rows(), fill);
        for (std::size_t c = 0; c < result.size(); ++c) {
            const auto place = static_cast<index_t>(c);
            const Column piece = is_encoded ? encoded_column(*(like.begin() + place),
                                                             {file, &batch, column, place, fill})
                                            : *(stored.begin() + place);
            values[c].push_back(piece.values);
            missing[c].push_back(piece.missing);
            result[c].is_filled = result[c].is_filled || piece.is_filled;
        }
    }
    for (std::size_t c = 0; c < result.size(); ++c) {
        if (values[c].empty()) continue;
        result[c].values = values[c].size() == 1 ? values[c].front() : concat(values[c]);
        result[c].missing = missing[c].size() == 1 ? missing[c].front() : concat(missing[c]);
    }
    return result;
}

/// The columns of the file that are wanted, by number.
std::vector<std::size_t> wanted_columns(const TableFile& file,
                                        const std::vector<std::string>& names) {
    std::vector<std::size_t> wanted;
    if (names.empty())
        for (std::size_t c = 0; c < file.fields().size(); ++c) wanted.push_back(c);
    for (const std::string& name : names) {
        const auto found = std::ranges::find(file.fields(), name, &Field::name);
        if (found == file.fields().end()) {
            std::vector<std::string_view> there;
            for (const Field& field : file.fields()) there.push_back(field.name);
            throw IndexError(fmt::format("open_arrow_file: '{}' has no column '{}'; there are {}",
                                         file.path(), name, there));
        }
        wanted.push_back(static_cast<std::size_t>(found - file.fields().begin()));
    }
    return wanted;
}

} // namespace
} // namespace ipc

Columns open_arrow_file(const std::string& path, const ArrowFileOptions& options) {
    const auto file =
        ipc::named(path, [&] { return std::make_shared<const ipc::TableFile>(path); });
    std::vector<Column> columns;
    for (const std::size_t column : ipc::wanted_columns(*file, options.columns))
        for (Column& each :
             ipc::named(path, [&] { return ipc::joined_columns(file, column, options.fill); }))
            columns.push_back(std::move(each));
    return ipc::named(path, [&] { return Columns(std::move(columns)); });
}

} // namespace purview
