#include "table/stored_column.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {
namespace {

/// Of how many groups it is known what is missing: as many as threads may be reading.
constexpr std::size_t kRemembered = 64;

} // namespace

StoredColumn::StoredColumn(std::shared_ptr<const GroupedColumns> columns, std::size_t number)
    : columns_(std::move(columns)), number_(number), like_(columns_->like(number)) {
    const Shape shape(like_.values.shape());
    for (std::size_t axis = 1; axis < shape.size(); ++axis) row_size_ *= shape[axis];
    for (std::size_t group = 0; group < columns_->group_rows().size(); ++group) {
        gaps_.push_back(columns_->has_gaps(number, group));
        bounds_.push_back(shape.size() == 1 ? found_bounds(group) : std::nullopt);
    }
}

std::optional<NumberBounds> StoredColumn::found_bounds(std::size_t group) const {
    std::optional<NumberBounds> bounds = columns_->bounds(number_, group);
    if (!bounds || !gaps_[group]) return bounds;
    const double gap = like_.is_filled               ? *columns_->fill()
                       : like_.dtype().is_floating() ? std::numeric_limits<double>::quiet_NaN()
                                                     : 0.0;
    bounds->may_be_nan = bounds->may_be_nan || std::isnan(gap);
    if (!std::isnan(gap)) {
        bounds->least = std::min(bounds->least, gap);
        bounds->greatest = std::max(bounds->greatest, gap);
    }
    return bounds;
}

std::vector<Column> StoredColumn::decoded(std::size_t group, GroupedColumns::Wanted wanted) const {
    std::vector<Column> pieces = columns_->decode(number_, group, wanted);
    const Shape row(like_.values.shape());
    index_t rows = 0;
    bool fits = true;
    for (const Column& piece : pieces) {
        const Shape shape(piece.values.shape());
        fits = fits && (wanted == GroupedColumns::Wanted::gaps ||
                        (piece.dtype() == like_.dtype() && shape.size() == row.size() &&
                         std::equal(shape.begin() + 1, shape.end(), row.begin() + 1)));
        rows += piece.rows();
    }
    if (fits && rows == columns_->group_rows()[group]) return pieces;
    throw FormatError(fmt::format("{}: column {} of the rows of number {} has {} rows, or another "
                                  "type than is said, and these are {} rows",
                                  columns_->where(), file::quoted_text(columns_->names()[number_]),
                                  group, rows, columns_->group_rows()[group]));
}

std::vector<bool> StoredColumn::missing_of(const std::vector<Column>& pieces) const {
    std::vector<bool> missing;
    for (const Column& piece : pieces) {
        const auto count = static_cast<std::size_t>(piece.rows());
        const auto flags = std::make_unique<bool[]>(count);
        read_all(piece.missing.operand(), flags.get());
        missing.insert(missing.end(), flags.get(), flags.get() + count);
    }
    return missing;
}

void StoredColumn::remember(std::size_t group, std::vector<bool> missing) const {
    const std::lock_guard lock(mutex_);
    std::erase_if(remembered_, [&](const auto& known) { return known.first == group; });
    if (remembered_.size() == kRemembered) remembered_.erase(remembered_.begin());
    remembered_.emplace_back(group, std::move(missing));
}

void StoredColumn::read_missing(std::size_t group, bool* out) const {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [number, missing] : remembered_)
            if (number == group) {
                std::ranges::copy(missing, out);
                return;
            }
    }
    std::ranges::copy(missing_of(decoded(group, GroupedColumns::Wanted::gaps)), out);
}

} // namespace purview
