#pragma once

#include "csv_text.hpp"

#include <purview/base/index.hpp>

#include <string_view>
#include <vector>

namespace purview::inline v0_1::csv {

/// Records in chunks that begin where a record does, outside of quotes, and how many records each has. Counted in parallel: each chunk both as if it
/// began within quotes and as if not, as only the chunks before it know. A quote opens a field only where the field begins.
class RecordChunks {
public:
    /// Of text that begins with a record. Empty lines are records if there is one column.
    RecordChunks(std::string_view text, Marks marks, bool empty_lines_count);

    index_t count() const noexcept { return std::ssize(chunks_); }
    std::string_view text(index_t chunk) const { return at(chunk).text; }
    /// How many records there are before a chunk; before the end, of all.
    index_t rows_before(index_t chunk) const {
        return chunk == count() ? rows_ : at(chunk).first_row;
    }
    index_t rows() const noexcept { return rows_; }
    /// Whether a line ends with another end than "\n" and "\r\n", outside of quotes.
    bool has_lone_returns() const noexcept { return lone_returns_; }

private:
    struct Chunk {
        std::string_view text;
        index_t first_row;
    };
    const Chunk& at(index_t chunk) const { return chunks_[static_cast<std::size_t>(chunk)]; }

    std::vector<Chunk> chunks_;
    index_t rows_ = 0;
    bool lone_returns_ = false;
};

} // namespace purview::csv
