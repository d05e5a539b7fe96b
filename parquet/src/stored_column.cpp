#include "stored_column.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace purview::inline v0_1::parquet {
namespace {

/// Of how many row groups it is known what is missing: as many as threads may be reading.
constexpr std::size_t kRemembered = 64;

} // namespace

StoredColumn::StoredColumn(std::shared_ptr<const Decoder> decoder, std::size_t column,
                           const ArrowOptions& options)
    : decoder_(std::move(decoder)),
      column_(column),
      options_(options),
      like_(decoder_->like(column, options)) {
    const Shape shape(like_.values.shape());
    for (std::size_t axis = 1; axis < shape.size(); ++axis) row_size_ *= shape[axis];
    for (std::size_t group = 0; group < decoder_->group_rows().size(); ++group)
        gaps_.push_back(decoder_->has_gaps(column, group));
}

std::optional<NumberBounds> StoredColumn::bounds(std::size_t group) const {
    std::optional<NumberBounds> bounds = decoder_->bounds(column_, group);
    if (!bounds || row_size_ != 1 || !gaps_[group]) return bounds;
    const double gap = like_.is_filled               ? *options_.fill
                       : like_.dtype().is_floating() ? std::numeric_limits<double>::quiet_NaN()
                                                     : 0.0;
    if (std::isnan(gap)) {
        bounds->may_be_nan = true;
        return bounds;
    }
    return NumberBounds{std::min(bounds->least, gap), std::max(bounds->greatest, gap),
                        bounds->may_be_nan};
}

std::vector<Column> StoredColumn::decoded(std::size_t group) const {
    std::vector<Column> pieces = decoder_->decode(column_, group, options_);
    const Shape row(like_.values.shape());
    index_t rows = 0;
    bool fits = true;
    for (const Column& piece : pieces) {
        const Shape shape(piece.values.shape());
        fits = fits && piece.dtype() == like_.dtype() && shape.size() == row.size() &&
               std::equal(shape.begin() + 1, shape.end(), row.begin() + 1);
        rows += piece.rows();
    }
    if (fits && rows == decoder_->group_rows()[group]) return pieces;
    throw FormatError(fmt::format(
        "open_parquet: {}: column {} of row group {} has {} rows, or another type than the footer "
        "says, which has {} rows",
        file::quoted_text(decoder_->path()), file::quoted_text(decoder_->names()[column_]), group,
        rows, decoder_->group_rows()[group]));
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
    std::ranges::copy(missing_of(decoded(group)), out);
}

} // namespace purview::parquet
