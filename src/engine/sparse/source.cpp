#include "engine/sparse/source.hpp"
#include "engine/places/buffers.hpp"

#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/pairs/values.hpp"
#include "engine/places/compact_leaf.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The addresses of ascending indexes in a strided view: divisions once for each row of its last
/// axis that has one.
class RowAddresses {
public:
    explicit RowAddresses(const Dimensions& view)
        : shape_(view.max_shape()), strides_(view.strides()), base_(view.base()) {}

    /// Whether rows are so long that they are likely to have several indexes.
    static bool fit(const Dimensions& view) {
        constexpr index_t kLongRow = 16;
        return view.is_strided() && !view.max_shape().empty() &&
               view.max_shape().back() >= kLongRow;
    }

    index_t operator()(index_t index) {
        if (index >= end_) go_to(index / shape_.back());
        return row_base_ + (index - begin_) * strides_.back();
    }

private:
    void go_to(index_t row) {
        begin_ = row * shape_.back();
        end_ = begin_ + shape_.back();
        row_base_ = base_;
        for (std::size_t a = shape_.size() - 1; a-- > 0 && row > 0; row /= shape_[a])
            row_base_ += row % shape_[a] * strides_[a];
    }

    ShapeSpan shape_;
    ShapeSpan strides_;
    index_t base_;
    index_t begin_ = 0; ///< of the row, and its end
    index_t end_ = 0;
    index_t row_base_ = 0;
};

/// A list that has more indexes for each moved entry is searched for these.
constexpr index_t kMostPerMoved = 16;

} // namespace

double SparseSource::count_after_repetition(index_t stored) const noexcept {
    const AddressRange range = view_.address_range();
    if (range.empty) return 0;
    return static_cast<double>(stored) * static_cast<double>(view_.size()) /
           static_cast<double>(range.highest - range.lowest + 1);
}

bool SparseSource::only_shifts() const {
    return view_.is_contiguous() || dimensions::reduce(view_).is_contiguous();
}

const MovedEntries& SparseSource::moved() const {
    if (!moved_) moved_ = move_entries(pairs_, view_, what_);
    return *moved_;
}

std::optional<SparsePairs> SparseSource::pairs_in_order() const {
    if (repeats() || moved().positions.count() != 0) return std::nullopt;
    SparsePairs pairs = pairs_;
    pairs.indexes = moved_->indexes.indexes;
    pairs.values.data = value(moved_->first);
    pairs.offset = 0;
    return pairs;
}

SparseSource::Positions SparseSource::positions() const noexcept {
    const AddressRange range = view_.address_range();
    if (range.empty) return {};
    const auto first = std::ranges::lower_bound(pairs_.indexes, range.lowest + pairs_.offset);
    const auto last = std::upper_bound(first, pairs_.indexes.end(), range.highest + pairs_.offset);
    return {first - pairs_.indexes.begin(), last - pairs_.indexes.begin(),
            last - first == range.highest - range.lowest + 1};
}

IndexSpan SparseSource::moved(const std::vector<index_t>& positions) const {
    if (positions.empty()) return {};
    std::vector<index_t> indexes;
    indexes.reserve(positions.size());
    for (const index_t position : positions)
        indexes.push_back(pairs_.indexes[static_cast<std::size_t>(position)]);
    SparsePairs few = pairs_;
    few.indexes = indexes;
    const IndexSpan found = move_entries(few, view_, what_).indexes;
    if (found.own != nullptr) return found;
    BufferPtr<index_t> own = allocate_uninitialized_buffer<index_t>(found.count());
    std::ranges::copy(found.indexes, data_of(own)); // of the local `indexes`
    return taken(std::move(own), found.count());
}

IndexSpan SparseSource::not_finite() const {
    if (!dtype_.is_floating()) return {};
    std::vector<index_t> positions;
    visit_dtype(dtype_, what_, [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::floating_point<T>)
            positions = not_finite_positions<T>(pairs_.values, pairs_.stored());
    });
    return moved(positions);
}

/// Finds positions of stored addresses: where all are stored by subtraction; for many look-ups in a
/// table; else by a search, which gallops from the last address found.
class SparseSource::Lookup {
public:
    Lookup(const SparseSource& source, index_t count)
        : indexes_(source.pairs_.indexes), below_(source.positions()) {
        const AddressRange range = source.view_.address_range();
        first_ = range.lowest + source.pairs_.offset;
        const index_t span = range.empty ? 0 : range.highest - range.lowest + 1;
        if (below_.are_all || span > count || below_.end > kMostInTable) return;
        table_.assign(static_cast<std::size_t>(span), -1);
        for (index_t p = below_.begin; p < below_.end; ++p)
            table_[static_cast<std::size_t>(indexes_[static_cast<std::size_t>(p)] - first_)] =
                static_cast<std::int32_t>(p);
    }

    /// The position of a stored address, or -1.
    index_t operator()(index_t stored) {
        if (below_.are_all) return below_.begin + stored - first_;
        if (!table_.empty()) return table_[static_cast<std::size_t>(stored - first_)];
        position_ = sparse_position(indexes_, stored, stored >= previous_ ? position_ : 0);
        previous_ = stored;
        const bool found = position_ < std::ssize(indexes_) &&
                           indexes_[static_cast<std::size_t>(position_)] == stored;
        return found ? position_ : -1;
    }

private:
    static constexpr index_t kMostInTable = std::numeric_limits<std::int32_t>::max();

    std::span<const index_t> indexes_;
    Positions below_;
    index_t first_; ///< the stored address of the table's first entry
    std::vector<std::int32_t> table_;
    index_t position_ = 0;
    index_t previous_ = -1;
};

template <typename F>
void SparseSource::look_up(const IndexSpan& list, F&& f) const {
    constexpr index_t kBlock = 1024;
    const dimensions::AddressStream stream(view_);
    std::vector<index_t> positions(std::min(static_cast<std::size_t>(kBlock), list.indexes.size()));
    Lookup position_of(*this, list.count());
    std::optional<RowAddresses> rows;
    if (RowAddresses::fit(view_)) rows.emplace(view_);
    for (index_t begin = 0; begin < list.count(); begin += kBlock) {
        const auto part =
            list.indexes.subspan(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(std::min(kBlock, list.count() - begin)));
        const auto found = std::span(positions).first(part.size());
        if (rows)
            std::ranges::transform(part, found.begin(), std::ref(*rows));
        else
            stream.gather(part, found);
        for (index_t& each : found) each = position_of(each + pairs_.offset);
        f(begin, std::span<const index_t>(found));
    }
}

IndexSpan SparseSource::stored_of(const IndexSpan& list) const {
    std::vector<std::uint8_t> keep(list.indexes.size());
    look_up(list, [&](index_t begin, std::span<const index_t> positions) {
        auto* at = keep.data() + begin;
        for (const index_t position : positions) *at++ = position >= 0;
    });
    return selected_of(list, keep);
}

std::vector<index_t> SparseSource::moved_positions_of(const IndexSpan& list) const {
    const std::span<const index_t> moved = moved_->indexes.indexes;
    std::vector<index_t> positions(list.indexes.size());
    index_t own = 0;
    // A union has all of them: then one step is taken for each that is met, without a branch.
    if (list.count() / kMostPerMoved < std::ssize(moved)) {
        const index_t last = std::ssize(moved) - 1;
        for (std::size_t i = 0; i < list.indexes.size(); ++i) {
            const index_t at = std::min(own, last);
            const bool found = moved[static_cast<std::size_t>(at)] == list.indexes[i];
            positions[i] = found ? moved_->position(at) : -1;
            own += index_t{found};
        }
        if (own == std::ssize(moved)) return positions;
        own = 0;
    }
    for (std::size_t i = 0; i < list.indexes.size(); ++i) {
        own = sparse_position(moved, list.indexes[i], own);
        const bool found =
            own < std::ssize(moved) && moved[static_cast<std::size_t>(own)] == list.indexes[i];
        positions[i] = found ? moved_->position(own) : -1;
    }
    return positions;
}

Operand SparseSource::values_at(const IndexSpan& list) const {
    const index_t count = list.count();
    if (!moved_ && !repeats()) moved();
    const bool are_all =
        moved_ && list.indexes.data() == moved_->indexes.indexes.data() && count == moved_->count();
    if (are_all && moved_->positions.count() == 0)
        return compact_leaf(std::make_shared<CompactReader>(
            dtype_, count, MemoryView{value(moved_->first), pairs_.values.stride_bytes}));

    auto elements = std::make_unique<ElementBlock>(dtype_, count);
    if (are_all)
        gather_pairs(dtype_, pairs_, moved_->positions.indexes, elements->data());
    else if (moved_)
        gather_pairs(dtype_, pairs_, moved_positions_of(list), elements->data());
    else
        look_up(list, [&](index_t begin, std::span<const index_t> positions) {
            gather_pairs(dtype_, pairs_, positions, elements->at(begin));
        });
    return compact_leaf(std::make_shared<CompactReader>(dtype_, count, std::move(elements)));
}

} // namespace purview::engine
