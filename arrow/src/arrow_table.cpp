#include "arrow_table.hpp"

#include "batch_arrays.hpp"
#include "refuse.hpp"

#include <purview/evaluation/progress.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/tensor/create.hpp>

#include "interop/arrow_owned.hpp"
#include "interop/arrow_types.hpp"

#include <algorithm>
#include <new>

namespace purview::inline v0_1::ipc {
namespace {

constexpr std::size_t kMostColumns = 1 << 20;

/// The only column of a table of one, which may lie in structs.
Column column_of(arrow::Export array, index_t rows, const std::optional<double>& fill) {
    std::vector<arrow::Export> only;
    only.push_back(std::move(array));
    arrow::Export table =
        arrow::owned_array({.format = "+s", .buffers = {nullptr}}, "", rows, 0, std::move(only));
    const Columns columns = from_arrow(&table.array, &table.schema, {fill});
    if (columns.size() != 1) refuse("a column is {} columns", columns.size());
    return *columns.begin();
}

/// Whether a column's gaps are filled; a fill that its type does not hold is an error.
bool is_filled(const Column& column, double fill) {
    if (!column.dtype().is_builtin() && column.dtype() != float16) return false;
    bool result = false;
    arrow::visit_arrow_dtype(column.dtype(), [&]<typename T>(std::type_identity<T>) {
        const Column gap(column.name, const_tensor(T{}, {1}), const_tensor(true, {1}));
        arrow::Export array = to_arrow(gap);
        result = column_from_arrow(&array.array, &array.schema, {fill}).is_filled;
    });
    return result;
}

} // namespace

/// Calls `work`, whose errors name the file then.
template <typename Work>
auto ArrowTable::named(Work work) const {
    try {
        return work();
    } catch (const DtypeError& error) {
        throw DtypeError(fmt::format("{}: {}", where_, error.what()));
    } catch (const CastError& error) {
        throw CastError(fmt::format("{}: {}", where_, error.what()));
    } catch (const MemoryLimitError&) {
        throw;
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        throw FormatError(fmt::format("{}: {}", where_, error.what()));
    } catch (const std::bad_alloc&) {
        throw FormatError(fmt::format("{}: says that it is larger than memory", where_));
    }
}

ArrowTable::ArrowTable(const std::string& path, std::optional<double> fill)
    : where_(fmt::format("open_arrow_file: '{}'", path)), file_(path), fill_(fill) {
    named([&] {
        messages_ = read_messages(file_);
        Entries begin;
        for (std::size_t f = 0; f < messages_.fields.size(); ++f) {
            const Field& field = messages_.fields[f];
            append_leaves(field, {f}, "", begin);
            begin += field.entries();
        }
        for (const RowBatch& batch : messages_.batches) group_rows_.push_back(batch.rows());
        index_t rows = 0;
        for (const index_t count : group_rows_)
            if (__builtin_add_overflow(rows, count, &rows)) refuse("more than 2⁶³ rows");
    });
}

void ArrowTable::append_leaves(const Field& field, std::vector<std::size_t> path,
                               const std::string& prefix, const Entries& begin) {
    const std::string name = prefix + field.name;
    if (field.format != "+s" || field.dictionary) {
        if (leaves_.size() == kMostColumns) refuse("more columns than {}", kMostColumns);
        leaves_.push_back({std::move(path), begin});
        names_.push_back(name);
        return;
    }
    path.push_back(0);
    for (const Field& child : field.children) {
        append_leaves(child, path, name + '.', begin);
        ++path.back();
    }
}

Column ArrowTable::like(std::size_t column) const {
    return named([&] {
        const Leaf& leaf = leaves_[column];
        BatchArrays arrays(*this, nullptr, nullptr, {});
        Column like =
            column_of(arrays.next(messages_.fields[leaf.path[0]], leaf.path), 0, std::nullopt);
        like.name = names_[column];
        like.is_filled = fill_ && is_filled(like, *fill_);
        return like;
    });
}

bool ArrowTable::has_gaps(std::size_t column, std::size_t group) const {
    return named([&] {
        const Leaf& leaf = leaves_[column];
        const RowBatch& batch = messages_.batches[group];
        return BatchArrays(*this, &batch, &batch, leaf.begin)
            .next_has_gaps(messages_.fields[leaf.path[0]], leaf.path);
    });
}

bool ArrowTable::is_in_place(std::size_t group) const {
    return !messages_.batches[group].is_compressed();
}

std::vector<Column> ArrowTable::decode(std::size_t column, std::size_t group, Wanted wanted) const {
    return named([&] {
        const Leaf& leaf = leaves_[column];
        const RowBatch& batch = messages_.batches[group];
        BatchArrays arrays(*this, &batch, &batch, leaf.begin);
        const auto fill = wanted == Wanted::values ? fill_ : std::nullopt;
        return std::vector<Column>{column_of(
            arrays.next(messages_.fields[leaf.path[0]], leaf.path, wanted), batch.rows(), fill)};
    });
}

std::shared_ptr<arrow::Export> ArrowTable::dictionary(const RowBatch* batch,
                                                      const Field& field) const {
    if (batch == nullptr) return made_dictionary({}, field.values());
    const auto found = batch->dictionaries->find(*field.dictionary);
    if (found == batch->dictionaries->end())
        refuse_column(field.name, "the file has no dictionary of the id {}", *field.dictionary);
    const std::lock_guard lock(mutex_);
    std::shared_ptr<arrow::Export>& known = dictionaries_[{found->second.get(), &field}];
    if (known == nullptr) known = made_dictionary(*found->second, field.values());
    return known;
}

std::shared_ptr<arrow::Export> ArrowTable::made_dictionary(const Dictionary& parts,
                                                           const Field& values) const {
    if (std::ranges::any_of(values.children,
                            [](const Field& child) { return child.dictionary.has_value(); }))
        throw DtypeError(fmt::format("column {}: a dictionary of dictionaries is not read",
                                     file::quoted_text(values.name)));
    if (parts.size() < 2) {
        const Batch* const only = parts.empty() ? nullptr : &parts.front();
        return std::make_shared<arrow::Export>(BatchArrays(*this, only, nullptr, {}).next(values));
    }
    std::vector<AnyTensor> joined;
    std::vector<Tensor<bool>> missing;
    for (const Batch& part : parts) {
        arrow::Export array = BatchArrays(*this, &part, nullptr, {}).next(values);
        Column column = column_from_arrow(&array.array, &array.schema);
        joined.push_back(std::move(column.values));
        missing.push_back(std::move(column.missing));
    }
    return std::make_shared<arrow::Export>(
        to_arrow(Column(values.name, concat(joined), concat(missing))));
}

} // namespace purview::ipc
