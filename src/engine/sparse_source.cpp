#include "engine/sparse_source.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/compact_leaf.hpp"
#include "engine/sparse_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace purview::engine {

SparseSource::SparseSource(const Node& node, const Dimensions& view, const char* what)
    : dtype_(node.dtype()), view_(&view), what_(what) {
    if (node.kind() == NodeKind::piecewise)
        take_pieces(static_cast<const Piecewise&>(node));
    else
        pairs_ = listed(static_cast<const Leaf&>(node).reader().pairs());
}

const MovedEntries& SparseSource::moved() const {
    if (!moved_) moved_ = move_entries(pairs_, *view_, what_);
    return *moved_;
}

IndexSpan SparseSource::not_finite() const {
    if (!dtype_.is_floating()) return {};
    std::vector<index_t> positions;
    visit_dtype(dtype_, what_, [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::floating_point<T>)
            positions = not_finite_positions<T>(pairs_.values, pairs_.stored());
    });
    if (positions.empty()) return {};
    std::vector<index_t> indexes;
    for (const index_t position : positions)
        indexes.push_back(pairs_.indexes[static_cast<std::size_t>(position)]);
    SparsePairs few = pairs_;
    few.indexes = indexes;
    MovedEntries found = move_entries(few, *view_, what_);
    if (found.own == nullptr) { // they lie in `indexes`
        found.own = allocate_uninitialized_buffer<index_t>(found.count());
        auto* const copy = static_cast<index_t*>(found.own->writable_memory().data);
        std::ranges::copy(found.indexes, copy);
        found.indexes = {copy, found.indexes.size()};
    }
    return {found.indexes, found.own};
}

template <typename F>
void SparseSource::look_up(const IndexSpan& list, F&& f) const {
    constexpr std::size_t kBlock = 1024;
    const dimensions::AddressStream stream(*view_);
    std::vector<index_t> addresses(std::min(kBlock, list.indexes.size()));
    index_t position = 0;
    index_t previous = -1;
    for (std::size_t begin = 0; begin < list.indexes.size(); begin += kBlock) {
        const auto part =
            list.indexes.subspan(begin, std::min(kBlock, list.indexes.size() - begin));
        stream.gather(part, std::span(addresses).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) {
            const index_t stored = addresses[i] + pairs_.offset;
            position = sparse_position(pairs_.indexes, stored, stored >= previous ? position : 0);
            previous = stored;
            const bool found = position < pairs_.stored() &&
                               pairs_.indexes[static_cast<std::size_t>(position)] == stored;
            f(static_cast<index_t>(begin + i), found ? position : -1);
        }
    }
}

IndexSpan SparseSource::stored_of(const IndexSpan& list) const {
    std::vector<std::uint8_t> keep(list.indexes.size());
    look_up(list, [&](index_t i, index_t position) {
        keep[static_cast<std::size_t>(i)] = position >= 0;
    });
    return selected_of(list, keep);
}

std::vector<index_t> SparseSource::positions_of(const IndexSpan& list) const {
    std::vector<index_t> positions(list.indexes.size());
    if (!moved_) {
        look_up(list, [&](index_t i, index_t position) {
            positions[static_cast<std::size_t>(i)] = position;
        });
        return positions;
    }
    index_t own = 0;
    for (std::size_t i = 0; i < list.indexes.size(); ++i) {
        own = sparse_position(moved_->indexes, list.indexes[i], own);
        const bool found = own < moved_->count() &&
                           moved_->indexes[static_cast<std::size_t>(own)] == list.indexes[i];
        positions[i] = found ? moved_->position(own) : -1;
    }
    return positions;
}

const void* SparseSource::values_in_place(const IndexSpan& list) const noexcept {
    if (!moved_ || list.indexes.data() != moved_->indexes.data() ||
        list.count() != moved_->count() || !moved_->positions.empty())
        return nullptr;
    return value(moved_->first);
}

Operand SparseSource::values_at(const IndexSpan& list) const {
    const index_t count = list.count();
    if (!moved_ && !repeats()) moved();
    if (const void* const place = values_in_place(list); place != nullptr)
        return compact_leaf(std::make_shared<CompactReader>(
            dtype_, count, MemoryView{place, pairs_.values.stride_bytes}));

    auto elements = std::make_unique<ElementBlock>(dtype_, count);
    if (moved_ && list.indexes.data() == moved_->indexes.data() && count == moved_->count())
        gather_pairs(dtype_, pairs_, moved_->positions, elements->data());
    else
        gather_pairs(dtype_, pairs_, positions_of(list), elements->data());
    return compact_leaf(std::make_shared<CompactReader>(dtype_, count, std::move(elements)));
}

void SparseSource::take_pieces(const Piecewise& pieces) {
    struct Part {
        BufferPtr<index_t> indexes;
        index_t count;
        std::unique_ptr<ElementBlock> values;
    };
    const index_t size = checked_size(pieces.shape(), what_);
    const std::size_t number = pieces.operands().size();
    std::vector<std::optional<SparseEvaluation>> evaluations(number);
    std::vector<std::unique_ptr<ElementBlock>> fills;
    for (std::size_t i = 0; i < number; ++i) {
        const Operand& piece = pieces.operands()[i];
        fills.push_back(std::make_unique<ElementBlock>(dtype_, 1));
        evaluations[i].emplace(piece, what_);
        Evaluation(evaluations[i]->fill()).read(0, 1, fills[i]->data());
        // The fill of the first sparse piece is that of all.
        if (piece_fill_ == nullptr && is_sparse(piece)) {
            piece_fill_ = std::make_unique<ElementBlock>(dtype_, 1);
            dtype_.descriptor().copy(fills[i]->data(), piece_fill_->data(), 1);
        }
    }
    const Shape strides = to_shape(Dimensions::row_major(pieces.shape()).strides());
    std::vector<Part> parts;
    std::vector<index_t> all;
    for (std::size_t i = 0; i < number; ++i) {
        const Operand& piece = pieces.operands()[i];
        index_t base = 0;
        for (std::size_t a = 0; a < strides.size(); ++a) base += pieces.begins()[i][a] * strides[a];
        const Dimensions box = Dimensions::strided(piece.dims.max_shape(), strides, base);
        const SparseEvaluation& pairs = *evaluations[i];
        Part part{};
        const bool same = dtype_.descriptor().same(fills[i]->data(), piece_fill_->data());
        const dimensions::AddressStream stream(box);
        if (same) {
            part.count = pairs.stored();
            part.indexes = allocate_uninitialized_buffer<index_t>(part.count);
            auto* const out = static_cast<index_t*>(part.indexes->writable_memory().data);
            const auto count = static_cast<std::size_t>(part.count);
            const auto* const in = static_cast<const index_t*>(pairs.indexes()->memory().data);
            if (count > 0) stream.gather({in, count}, {out, count});
            part.values = std::make_unique<ElementBlock>(dtype_, part.count);
            if (count > 0) Evaluation(pairs.values()).read(0, part.count, part.values->data());
        } else {
            part.count = piece.dims.size();
            if (part.count > kLargestDenseOfSparse)
                throw KindError(fmt::format(
                    "{}: a piece of {} elements differs from the fill of the others, and would be "
                    "stored; write to_dense",
                    pieces.what(), part.count));
            part.indexes = allocate_uninitialized_buffer<index_t>(part.count);
            stream.read(0, {static_cast<index_t*>(part.indexes->writable_memory().data),
                            static_cast<std::size_t>(part.count)});
            part.values = std::make_unique<ElementBlock>(dtype_, part.count);
            Evaluation(piece).read(0, part.count, part.values->data());
        }
        if (part.count > 0) parts.push_back(std::move(part));
    }

    for (const Part& part : parts) {
        const auto* const indexes = static_cast<const index_t*>(part.indexes->memory().data);
        all.insert(all.end(), indexes, indexes + part.count);
    }
    const auto count = static_cast<index_t>(all.size());
    piece_values_ = std::make_unique<ElementBlock>(dtype_, count);
    index_t place = 0;
    ElementBlock unsorted(dtype_, count);
    for (const Part& part : parts) {
        dtype_.descriptor().copy(part.values->data(), unsorted.at(place), part.count);
        place += part.count;
    }
    const std::vector<index_t> order = sorted_pair_order(what_, all, size);
    BufferPtr<index_t> sorted = allocate_uninitialized_buffer<index_t>(count);
    auto* const indexes = static_cast<index_t*>(sorted->writable_memory().data);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        indexes[i] = all[from];
        dtype_.descriptor().copy(unsorted.at(static_cast<index_t>(from)),
                                 piece_values_->at(static_cast<index_t>(i)), 1);
    }
    piece_indexes_ = {{indexes, all.size()}, std::move(sorted)};
    pairs_ = {piece_indexes_.indexes,
              {piece_values_->data(), dtype_.size_bytes()},
              piece_fill_->data(),
              0};
}

} // namespace purview::engine
