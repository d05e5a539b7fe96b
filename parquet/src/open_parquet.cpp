// Defines purview/parquet/open_parquet.hpp.
#include <purview/parquet/open_parquet.hpp>

#include "stored_column.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include "base/quoted_text.hpp"
#include "dtype/stored_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace parquet {
namespace {

/// Row groups, one behind the other, of one length but for the last, which may be shorter: `first` and those that follow.
struct Run {
    std::size_t first;
    index_t length;
    index_t rows;
};

template <ElementType T>
class ValueChunks final : public ChunkedReader<T> {
public:
    ValueChunks(std::shared_ptr<const StoredColumn> column, const Run& run, ChunkGrid grid)
        : ChunkedReader<T>(std::move(grid)), column_(std::move(column)), first_(run.first) {}

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        const std::size_t group = first_ + static_cast<std::size_t>(at[0]);
        const index_t count = column_->decoder().group_rows()[group] * column_->row_size();
        column_->read_values(group, out.data());
        std::fill(out.begin() + count, out.end(), T{});
        return true;
    }
    std::optional<NumberBounds> bounds_of_chunk(ShapeSpan at) const override {
        if constexpr (!std::is_arithmetic_v<T>) return std::nullopt;
        return column_->bounds(first_ + static_cast<std::size_t>(at[0]));
    }

private:
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

/// The row groups from `first` to before `last` that have rows.
std::vector<Run> runs_of(const std::vector<index_t>& group_rows, std::size_t first,
                         std::size_t last) {
    std::vector<Run> runs;
    bool is_open = false; // whether the last run may go on
    for (std::size_t group = first; group < last; ++group) {
        const index_t rows = group_rows[group];
        if (rows == 0) {
            is_open = false;
        } else if (is_open && rows <= runs.back().length) {
            runs.back().rows += rows;
            is_open = rows == runs.back().length;
        } else {
            runs.push_back({group, rows, rows});
            is_open = true;
        }
    }
    return runs;
}

template <typename MakePiece>
AnyTensor joined(const std::vector<Run>& runs, Shape shape, MakePiece make_piece) {
    std::vector<Operand> pieces;
    std::vector<Shape> begins;
    index_t begin = 0;
    for (const Run& run : runs) {
        pieces.push_back(make_piece(run));
        begins.push_back(Shape(shape.size(), 0));
        begins.back()[0] = begin;
        begin += run.rows;
    }
    shape[0] = begin;
    return AnyTensor(
        piecewise_operand("open_parquet", std::move(pieces), std::move(begins), shape));
}

template <typename Work>
auto visit_column(DType dtype, Work work) {
    return dtype == kDType<std::string> ? work(std::type_identity<std::string>{})
                                        : visit_stored_dtype(dtype, "open_parquet", work);
}

/// What is asked for: row groups, and rows of them.
struct Part {
    std::vector<Run> runs{};
    bool has_all_rows = true; ///< of these row groups
    ParquetRows rows{0, 0};   ///< counted from the first of them
};

Part part_of(const Decoder& decoder, const ParquetOptions& options) {
    const std::vector<index_t>& group_rows = decoder.group_rows();
    index_t count = 0;
    for (const index_t rows : group_rows) count += rows;
    const ParquetRows asked = options.rows.value_or(ParquetRows{0, count});
    if (asked.begin < 0 || asked.end < asked.begin || asked.end > count)
        throw IndexError(fmt::format("open_parquet: rows {} to {} of {}, which has {}", asked.begin,
                                     asked.end, file::quoted_text(decoder.path()), count));
    std::size_t first = 0;
    index_t begin = 0;
    while (first < group_rows.size() && begin + group_rows[first] <= asked.begin)
        begin += group_rows[first++];
    std::size_t last = first;
    index_t end = begin;
    while (last < group_rows.size() && end < asked.end) end += group_rows[last++];
    return {.runs = runs_of(group_rows, first, last),
            .has_all_rows = begin == asked.begin && end == asked.end,
            .rows = {asked.begin - begin, asked.end - begin}};
}

Column opened(const std::shared_ptr<const Decoder>& decoder, std::size_t number, const Part& part,
              const ArrowOptions& options) {
    const auto stored = std::make_shared<const StoredColumn>(decoder, number, options);
    Column column = stored->like();
    Shape shape(column.values.shape());
    const bool has_gaps = std::ranges::any_of(part.runs, [&](const Run& run) {
        const std::size_t groups =
            static_cast<std::size_t>((run.rows + run.length - 1) / run.length);
        for (std::size_t group = run.first; group < run.first + groups; ++group)
            if (stored->has_gaps(group)) return true;
        return false;
    });
    column.values = visit_column(column.dtype(), [&]<typename T>(std::type_identity<T>) {
        if (part.runs.empty() || stored->row_size() == 0) {
            shape[0] = part.rows.end - part.rows.begin;
            return AnyTensor(empty<T>(shape));
        }
        AnyTensor values = joined(part.runs, shape, [&](const Run& run) -> Operand {
            ChunkGrid grid{shape, shape};
            grid.shape[0] = run.rows;
            grid.chunk[0] = run.length;
            const Shape whole = grid.shape;
            return {make_node<Leaf>(
                        std::make_shared<const ValueChunks<T>>(stored, run, std::move(grid))),
                    Dimensions::row_major(whole)};
        });
        return part.has_all_rows ? values : values(range(part.rows.begin, part.rows.end));
    });
    column.missing = const_tensor(false, {column.rows()});
    if (has_gaps) {
        const AnyTensor missing = joined(part.runs, {0}, [&](const Run& run) -> Operand {
            return {make_node<Leaf>(std::make_shared<const MissingChunks>(stored, run)),
                    Dimensions::row_major(Shape{run.rows})};
        });
        column.missing =
            (part.has_all_rows ? missing : missing(range(part.rows.begin, part.rows.end)))
                .as<bool>();
    }
    return column;
}

/// The numbers of the columns that are asked for.
std::vector<std::size_t> chosen(const Decoder& decoder, const ParquetOptions& options) {
    const std::vector<std::string>& names = decoder.names();
    std::vector<std::size_t> numbers;
    if (options.columns.empty())
        for (std::size_t i = 0; i < names.size(); ++i) numbers.push_back(i);
    for (const std::string& name : options.columns) {
        const std::size_t before = numbers.size();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name || names[i].starts_with(name + '.')) numbers.push_back(i);
        if (numbers.size() == before)
            throw IndexError(fmt::format("open_parquet: {} has no column {}; it has '{}'",
                                         file::quoted_text(decoder.path()), file::quoted_text(name),
                                         fmt::join(names, "', '")));
    }
    return numbers;
}

} // namespace
} // namespace parquet

Columns open_parquet(const std::string& path, const ParquetOptions& options) {
    using namespace parquet;
    const auto decoder = std::make_shared<const Decoder>(path);
    const Part part = part_of(*decoder, options);
    std::vector<Column> columns;
    for (const std::size_t number : chosen(*decoder, options))
        columns.push_back(opened(decoder, number, part, {.fill = options.fill}));
    return Columns(std::move(columns));
}

} // namespace purview
