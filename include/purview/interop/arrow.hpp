#pragma once

#include <purview/table/columns.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <cstdint>
#include <optional>

namespace purview::inline v0_1 {

/// The structures of Arrow's C data interface, with the layout that its specification gives them
/// (arrow.apache.org/docs/format/CDataInterface.html). Pointers to the types of any other header
/// with the same layout are taken too.
namespace arrow {

struct Schema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    Schema** children;
    Schema* dictionary;
    void (*release)(Schema*); ///< null: this structure holds nothing, or what it held was moved out
    void* private_data;
};
struct Array {
    std::int64_t length;
    std::int64_t null_count; ///< -1: not counted
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    Array** children;
    Array* dictionary;
    void (*release)(Array*);
    void* private_data;
};
inline constexpr std::int64_t kNullable = 2; ///< of `Schema::flags`

/// A structure of either kind, from here or from another header.
template <typename S>
concept ForeignSchema = requires(S& schema) {
    schema.format;
    schema.flags;
    schema.release(&schema);
};
template <typename A>
concept ForeignArray = requires(A& array) {
    array.null_count;
    array.n_buffers;
    array.release(&array);
};

/// An exported array and its schema, both released with this object unless they were moved out: by a
/// consumer who was given `&e.array` and `&e.schema` and takes over what they hold, as functions
/// that import do, or by `move_to`.
class PURVIEW_EXPORT Export {
public:
    Array array{};
    Schema schema{};

    Export() = default;
    Export(Export&& other) noexcept;
    Export& operator=(Export&& other) noexcept;
    ~Export();

    /// Moves both to where a consumer wants them. What lies there is overwritten.
    void move_to(Array* to_array, Schema* to_schema) noexcept;
    template <ForeignArray A, ForeignSchema S>
    void move_to(A* to_array, S* to_schema) noexcept {
        static_assert(sizeof(A) == sizeof(Array) && sizeof(S) == sizeof(Schema));
        move_to(reinterpret_cast<Array*>(to_array), reinterpret_cast<Schema*>(to_schema));
    }
};

} // namespace arrow

/// How a table is taken over.
struct ArrowOptions {
    /// What numbers and bools that are missing are read as; NaN concerns floats alone. Lazy. Without
    /// it they are what the producer left there.
    std::optional<double> fill{};
};

/// Takes over a batch of named columns, an Arrow array of structs: columns of shape `[rows, …]`, read-only. The
/// memory of the producer is read where it lies, and its release callback called exactly once: with
/// the last tensor over the memory, on whatever thread that is, or before an error is thrown. Both
/// structures are left released, as Arrow's own functions leave them; nothing of the schema is kept.
///
/// | Arrow | elements | |
/// |---|---|---|
/// | integers, float16, float32, float64 | the same | in place |
/// | bool; null | bool; float64, all missing | bits, read lazily; constant |
/// | utf8, binary, large, views or not | `std::string` | lazily |
/// | date32 | `sys_days` | lazily |
/// | date64 | `sys_time<milliseconds>` | in place |
/// | timestamp with a zone | `sys_time`, and `Column::time_zone` | in place |
/// | timestamp without | `local_time` | in place |
/// | duration; time64, time32 | `std::chrono` durations, since midnight | in place; time32 lazily |
/// | decimal | float64, the nearest | lazily |
/// | dictionary | those of its values | lazily, gathered at the indexes |
/// | fixed-size list of size k | `[rows, k, …]` | as its elements are |
/// | fixed-size binary of k bytes | uint8 `[rows, k]` | in place |
/// | struct | columns "a.b" | |
///
/// What is missing says a mask that is read from the bitmap lazily, or is constant. Elements of
/// fixed-size lists that are missing in a row that is not become what `fill` says, floats else NaN.
/// A dictionary's indexes, and the offsets and views of strings, are checked here, O(rows); the rest is
/// O(columns). Arrow passes no sizes of buffers, so that they are believed to be as long as the
/// lengths need.
/// Throws `FormatError` naming the column for structures that contradict themselves or hold nothing
/// any more, two columns of one name too; `DtypeError` naming column and format for other types
/// (lists, views of lists, unions, intervals, run-end encoding, maps), for elements of lists
/// that are missing and neither floats nor filled, and for an array that is no struct;
/// `CastError` for a fill that a type does not hold.
PURVIEW_EXPORT Columns from_arrow(arrow::Array* array, arrow::Schema* schema,
                                  const ArrowOptions& options = {});
/// Takes over a single array of any type that `from_arrow` takes but structs: a column with the
/// name of its schema. Otherwise as `from_arrow`.
PURVIEW_EXPORT Column column_from_arrow(arrow::Array* array, arrow::Schema* schema,
                                        const ArrowOptions& options = {});
/// Takes over a batch of named columns in the types of another header for Arrow's structures.
template <arrow::ForeignArray A, arrow::ForeignSchema S>
Columns from_arrow(A* array, S* schema, const ArrowOptions& options = {}) {
    static_assert(sizeof(A) == sizeof(arrow::Array) && sizeof(S) == sizeof(arrow::Schema));
    return from_arrow(reinterpret_cast<arrow::Array*>(array),
                      reinterpret_cast<arrow::Schema*>(schema), options);
}
template <arrow::ForeignArray A, arrow::ForeignSchema S>
Column column_from_arrow(A* array, S* schema, const ArrowOptions& options = {}) {
    static_assert(sizeof(A) == sizeof(arrow::Array) && sizeof(S) == sizeof(arrow::Schema));
    return column_from_arrow(reinterpret_cast<arrow::Array*>(array),
                             reinterpret_cast<arrow::Schema*>(schema), options);
}

/// Columns as an Arrow array of structs that co-owns their elements. Numbers and times that lie in memory in row-major
/// order without gaps are handed over as they are, and must not be written while a consumer reads them; everything else is
/// computed or laid out anew, O(size): bools as bits, strings as utf8, or as binary if one of them is not UTF-8 (large from 2³¹ bytes on), gaps as bitmaps. A
/// column of rank above 1 is a fixed-size list, of lists where there are more axes.
///
/// Time points of the system clock are timestamps of the column's `time_zone`, or of UTC; local ones timestamps
/// without; both date32 in days and weeks. Other durations and points longer than a second are counted in seconds. Throws
/// `DtypeError` naming the column for other types (complex numbers, bfloat16, your own), `CastError` naming column and row for a time that
/// Arrow's count does not hold.
PURVIEW_EXPORT arrow::Export to_arrow(const Columns& columns);
/// One column as an array of its type.
PURVIEW_EXPORT arrow::Export to_arrow(const Column& column);
/// A tensor of rank 1 or more as an array without a name or gaps. Throws `ShapeError` for rank 0.
PURVIEW_EXPORT arrow::Export to_arrow(const AnyTensor& t);

} // namespace purview
