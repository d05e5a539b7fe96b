#include "table/grouped_columns.hpp"
#include "table/stored_column.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/reader/make_reader.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include "base/quoted_text.hpp"
#include "dtype/stored_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace purview::inline v0_1 {
namespace {

using Wanted = GroupedColumns::Wanted;

/// Groups one behind the other, of one length but for the last, which may be shorter: `first` and those that follow. One in place is
/// a run by itself.
struct Run {
    std::size_t first;
    index_t length;
    index_t rows;
    bool is_in_place;

    std::size_t groups() const { return static_cast<std::size_t>((rows + length - 1) / length); }
};

template <ElementType T>
class ValueChunks final : public ChunkedReader<T> {
public:
    ValueChunks(std::shared_ptr<const StoredColumn> column, const Run& run, ChunkGrid grid)
        : ChunkedReader<T>(std::move(grid)), column_(std::move(column)), first_(run.first) {}

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        const std::size_t group = group_at(at);
        column_->read_values(group, out.data());
        std::fill(out.begin() + column_->rows(group) * column_->row_size(), out.end(), T{});
        return true;
    }
    std::optional<NumberBounds> bounds_of_chunk(ShapeSpan at) const override {
        return column_->bounds(group_at(at));
    }

private:
    std::size_t group_at(ShapeSpan at) const { return first_ + static_cast<std::size_t>(at[0]); }

    std::shared_ptr<const StoredColumn> column_;
    std::size_t first_;
};

class MissingChunks final : public ChunkedReader<bool> {
public:
    MissingChunks(std::shared_ptr<const StoredColumn> column, const Run& run)
        : ChunkedReader<bool>({Shape{run.rows}, Shape{run.length}}),
          column_(std::move(column)),
          first_(run.first) {}

    bool read_chunk(ShapeSpan at, std::span<bool> out) const override {
        const std::size_t group = first_ + static_cast<std::size_t>(at[0]);
        if (!column_->has_gaps(group)) return false;
        std::ranges::fill(out, false);
        column_->read_missing(group, out.data());
        return true;
    }
    std::optional<NumberBounds> bounds_of_chunk(ShapeSpan at) const override {
        const bool may_be = column_->has_gaps(first_ + static_cast<std::size_t>(at[0]));
        return NumberBounds{0, may_be ? 1.0 : 0.0, false};
    }

private:
    std::shared_ptr<const StoredColumn> column_;
    std::size_t first_;
};

/// The groups from `first` to before `last` that have rows.
std::vector<Run> runs_of(const GroupedColumns& columns, std::size_t first, std::size_t last) {
    std::vector<Run> runs;
    bool is_open = false; // whether the last run may go on
    for (std::size_t group = first; group < last; ++group) {
        const index_t rows = columns.group_rows()[group];
        const bool is_in_place = columns.is_in_place(group);
        if (rows == 0) {
            is_open = false;
        } else if (is_open && !is_in_place && rows <= runs.back().length) {
            runs.back().rows += rows;
            is_open = rows == runs.back().length;
        } else {
            runs.push_back({group, rows, rows, is_in_place});
            is_open = !is_in_place;
        }
    }
    return runs;
}

template <typename MakePieces>
AnyTensor joined(const std::vector<Run>& runs, Shape shape, MakePieces append_pieces) {
    std::vector<Operand> pieces;
    for (const Run& run : runs) append_pieces(run, pieces);
    std::vector<Shape> begins;
    index_t begin = 0;
    for (const Operand& piece : pieces) {
        begins.push_back(Shape(shape.size(), 0));
        begins.back()[0] = begin;
        begin += piece.dims.max_shape()[0];
    }
    shape[0] = begin;
    return AnyTensor(piecewise_operand("concat", std::move(pieces), std::move(begins), shape));
}

template <typename Work>
auto visit_column(DType dtype, const std::string& where, Work work) {
    return dtype == kDType<std::string> ? work(std::type_identity<std::string>{})
                                        : visit_stored_dtype(dtype, where.c_str(), work);
}

/// The values of a piece in place, with what is read where they are missing.
template <typename T>
Operand with_gaps(const Column& piece, index_t row_size) {
    const Operand& x = piece.values.operand();
    auto read = [values = piece.values.as<T>(), missing = piece.missing, row_size](index_t i) {
        return missing.read(i / row_size) ? gap_value<T>() : T(values.read(i));
    };
    return {make_node<Leaf>(make_reader(x.dims.size(), std::move(read))),
            Dimensions::row_major(x.dims.max_shape())};
}

template <typename T>
void append_values(const std::shared_ptr<const StoredColumn>& column, const Run& run,
                   std::vector<Operand>& pieces) {
    if (run.is_in_place) {
        const bool has_gaps = column->has_gaps(run.first) && !column->like().is_filled;
        for (const Column& piece : column->decoded(run.first, Wanted::values))
            pieces.push_back(has_gaps ? with_gaps<T>(piece, column->row_size())
                                      : piece.values.operand());
        return;
    }
    Shape shape(column->like().values.shape());
    ChunkGrid grid{shape, shape};
    grid.shape[0] = run.rows;
    grid.chunk[0] = run.length;
    const Shape whole = grid.shape;
    pieces.push_back(
        {make_node<Leaf>(std::make_shared<const ValueChunks<T>>(column, run, std::move(grid))),
         Dimensions::row_major(whole)});
}

void append_missing(const std::shared_ptr<const StoredColumn>& column, const Run& run,
                    std::vector<Operand>& pieces) {
    if (run.is_in_place) {
        for (const Column& piece : column->decoded(run.first, Wanted::gaps))
            pieces.push_back(piece.missing.operand());
        return;
    }
    pieces.push_back({make_node<Leaf>(std::make_shared<const MissingChunks>(column, run)),
                      Dimensions::row_major(Shape{run.rows})});
}

/// What is asked for: groups, and rows of them.
struct Part {
    std::vector<Run> runs{};
    bool has_all_rows = true; ///< of these groups
    index_t begin = 0;        ///< counted from the first of them
    index_t end = 0;
};

Part part_of(const GroupedColumns& columns, std::optional<std::pair<index_t, index_t>> rows) {
    const std::vector<index_t>& group_rows = columns.group_rows();
    index_t count = 0;
    for (const index_t of_group : group_rows) count += of_group;
    const auto [from, to] = rows.value_or(std::pair<index_t, index_t>(0, count));
    if (from < 0 || to < from || to > count)
        throw IndexError(
            fmt::format("{}: rows {} to {}, and there are {}", columns.where(), from, to, count));
    std::size_t first = 0;
    index_t begin = 0;
    while (first < group_rows.size() && begin + group_rows[first] <= from)
        begin += group_rows[first++];
    std::size_t last = first;
    index_t end = begin;
    while (last < group_rows.size() && end < to) end += group_rows[last++];
    return {.runs = runs_of(columns, first, last),
            .has_all_rows = begin == from && end == to,
            .begin = from - begin,
            .end = to - begin};
}

Column opened_column(const std::shared_ptr<const GroupedColumns>& columns, std::size_t number,
                     const Part& part) {
    const auto stored = std::make_shared<const StoredColumn>(columns, number);
    Column column = stored->like();
    Shape shape(column.values.shape());
    const auto rows_wanted = [&](AnyTensor whole) {
        return part.has_all_rows ? whole : whole(range(part.begin, part.end));
    };
    const bool has_gaps = std::ranges::any_of(part.runs, [&](const Run& run) {
        for (std::size_t group = run.first; group < run.first + run.groups(); ++group)
            if (stored->has_gaps(group)) return true;
        return false;
    });
    column.values =
        visit_column(column.dtype(), columns->where(), [&]<typename T>(std::type_identity<T>) {
            if (part.runs.empty() || stored->row_size() == 0) {
                shape[0] = part.end - part.begin;
                return AnyTensor(empty<T>(shape));
            }
            return rows_wanted(joined(part.runs, shape, [&](const Run& run, auto& pieces) {
                append_values<T>(stored, run, pieces);
            }));
        });
    column.missing = const_tensor(false, {column.rows()});
    column.is_filled = column.is_filled && has_gaps;
    if (has_gaps)
        column.missing = rows_wanted(joined(part.runs, {0}, [&](const Run& run, auto& pieces) {
                             append_missing(stored, run, pieces);
                         })).template as<bool>();
    return column;
}

/// The numbers of the columns that are asked for.
std::vector<std::size_t> chosen(const GroupedColumns& columns,
                                const std::vector<std::string>& asked) {
    const std::vector<std::string>& names = columns.names();
    std::vector<std::size_t> numbers;
    if (asked.empty())
        for (std::size_t i = 0; i < names.size(); ++i) numbers.push_back(i);
    for (const std::string& name : asked) {
        const std::size_t before = numbers.size();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name || names[i].starts_with(name + '.')) numbers.push_back(i);
        if (numbers.size() == before)
            throw IndexError(fmt::format("{} has no column {}; it has '{}'", columns.where(),
                                         file::quoted_text(name), fmt::join(names, "', '")));
    }
    return numbers;
}

} // namespace

GroupedColumns::~GroupedColumns() = default;

std::optional<NumberBounds> GroupedColumns::bounds(std::size_t /*column*/,
                                                   std::size_t /*group*/) const {
    return std::nullopt;
}
bool GroupedColumns::is_in_place(std::size_t /*group*/) const { return false; }

Columns opened_table(const std::shared_ptr<const GroupedColumns>& columns,
                     const std::vector<std::string>& names,
                     std::optional<std::pair<index_t, index_t>> rows) {
    const Part part = part_of(*columns, rows);
    std::vector<Column> table;
    for (const std::size_t number : chosen(*columns, names))
        table.push_back(opened_column(columns, number, part));
    return Columns(std::move(table));
}

} // namespace purview
