#pragma once

#include "csv_text.hpp"
#include "field_cursor.hpp"
#include "field_type.hpp"
#include "number_notation.hpp"
#include "record_chunks.hpp"

#include <purview/csv/load_csv.hpp>

#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::csv {

/// A column while it is read.
struct ColumnState {
    std::string name;
    bool is_given = false; ///< its type, which then does not widen
    Inferred inferred = Inferred::nothing;
    const FieldType* type = nullptr;
    const std::string* fill = nullptr; ///< what gaps are read as, if anything

    AnyTensor values;
    MutableTensor<bool> missing;
    bool is_read = false; ///< `values` are what the file says

    // For the loops: where its elements lie, and how they are read if they lie there as numbers do.
    std::byte* memory = nullptr;
    index_t element_bytes = 0;
    bool* gap = nullptr;
    bool is_point = false; ///< of time, of a type that is given
    const char* (*front)(const char*, const char*, void*) = nullptr;
};

/// Reads records into columns of known or supposed types, and widens types that were supposed.
class ColumnParser {
public:
    ColumnParser(const CsvText& text, Marks marks, const CsvOptions& options,
                 const RecordChunks& chunks, std::vector<ColumnState>& columns)
        : text_(text),
          marks_(marks),
          options_(options),
          notation_{options.decimal, options.thousands},
          chunks_(chunks),
          columns_(columns) {}

    /// Supposes types after the first rows.
    void infer_types_from_sample();
    /// Reads all columns that are not read yet, on several threads. Afterwards those are not read whose types were too narrow.
    void read_columns();
    /// Throws for the first record that has more or fewer fields than there are columns; takes no memory for any.
    void check_counts();

private:
    struct Found {
        Inferred wider = Inferred::nothing; ///< if it is, the column's supposed type was too narrow
        bool quoted_gap = false;
        bool gap = false;
        bool with_zone =
            false; ///< of a column whose type is given as one of times: has one with an offset
        bool without_zone = false;
        bool bad_fill = false; ///< what gaps are read as is none of a supposed type
    };

    void prepare(ColumnState& column) const;
    /// Of a column that is read, and not filled: integers that were inferred become floats, with NaN for gaps; other types that have nothing to say
    /// so are refused.
    void mark_gaps(ColumnState& column) const;
    void read_chunk(index_t chunk, Found* found);
    void read_field(FieldCursor& cursor, const ColumnState& column, index_t row,
                    Found& found) const;
    /// Reads a field, of numbers in the notation that the options say.
    bool parse(const FieldType& type, std::string_view text, void* element) const;
    /// The first type from that of a column on that holds a field, too.
    Inferred widened_by(Inferred type, std::string_view text) const;
    bool parse_fill(const ColumnState& column, void* element) const;
    bool is_gap(const ColumnState& column, const Field& field) const;
    std::string described_notation(const ColumnState& column) const;
    [[noreturn]] void fail_field(const char* place, const ColumnState& column,
                                 std::string_view text) const;
    /// Names the line, the column and the row; `advice` follows on what to write.
    [[noreturn]] void fail_gap(const ColumnState& column, index_t row, std::string_view what,
                               std::string_view advice) const;
    [[noreturn]] void fail_zones(const ColumnState& column) const;
    [[noreturn]] void fail_fill(const ColumnState& column) const;
    [[noreturn]] void fail_count(const char* record, std::string_view how_many) const;

    const CsvText& text_;
    Marks marks_;
    const CsvOptions& options_;
    NumberNotation notation_;
    const RecordChunks& chunks_;
    std::vector<ColumnState>& columns_;
};

} // namespace purview::csv
