#pragma once

#include "fields.hpp"

#include <purview/base/index.hpp>
#include <purview/reader/mapped_file.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::ipc {

/// Words of a description that was checked, copied out of the file: what lies there may be changed meanwhile.
using Words = std::shared_ptr<const std::vector<std::uint64_t>>;

/// The columns of some rows, or the values of a dictionary.
struct Batch {
    Words words{};
    const format::RecordBatch* record = nullptr; ///< in the words
    index_t body = 0;                            ///< where it begins in the file
    index_t body_bytes = 0;

    index_t rows() const noexcept { return record->length(); }
    bool is_compressed() const noexcept { return record->compression() != nullptr; }
};

/// The values of a dictionary, in parts: it grows, and batches that were before refer to the first of them.
using Dictionary = std::vector<Batch>;
using Dictionaries = std::map<std::int64_t, std::shared_ptr<Dictionary>>; ///< by id

struct RowBatch : Batch {
    std::shared_ptr<const Dictionaries> dictionaries{};
};

/// What a file says of itself.
struct Messages {
    std::vector<Field> fields{};
    std::vector<RowBatch> batches{};
};

/// Reads the descriptions in a file of either format; no elements. Throws `FormatError`.
Messages read_messages(const MappedFile& file);

} // namespace purview::ipc
