#include "table_file.hpp"

#include "batch_arrays.hpp"

#include "refuse.hpp"

#include <purview/functional/assembly/concat.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::ipc {

TableFile::TableFile(const std::string& path) : file_(path), messages_(read_messages(file_)) {
    Entries begin;
    for (const Field& field : fields()) {
        begins_.push_back(begin);
        begin += field.entries();
    }
}

bool TableFile::has_gaps(const RowBatch& batch, std::size_t column) const {
    return BatchArrays(*this, &batch, &batch, begins_[column]).next_has_gaps(fields()[column]);
}
arrow::Export TableFile::array(const RowBatch& batch, std::size_t column) const {
    return BatchArrays(*this, &batch, &batch, begins_[column]).next(fields()[column]);
}
arrow::Export TableFile::validity(const RowBatch& batch, std::size_t column) const {
    return BatchArrays(*this, &batch, &batch, begins_[column]).next_validity(fields()[column]);
}
arrow::Export TableFile::rowless(std::size_t column) const {
    return BatchArrays(*this, nullptr, nullptr, {}).next(fields()[column]);
}

TableFile::Dictionary TableFile::dictionary(const RowBatch* batch, const Field& field) const {
    const Field values = field.values();
    if (batch == nullptr) return made_dictionary({}, values);
    const DictionaryParts& parts = *batch->dictionaries;
    const std::lock_guard lock(mutex_);
    Dictionary& known = dictionaries_[{&parts, &field}];
    if (known == nullptr) {
        const auto found = parts.find(*field.dictionary);
        if (found == parts.end())
            refuse_column(field.name, "the file has no dictionary of the id {}", *field.dictionary);
        known = made_dictionary(found->second, values);
    }
    return known;
}

TableFile::Dictionary TableFile::made_dictionary(const std::vector<Batch>& parts,
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
