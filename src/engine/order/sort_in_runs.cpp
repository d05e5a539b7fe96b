// Defines evaluation/long_sorts.hpp.

#include "evaluation/long_sorts.hpp"

#include <purview/dimensions/reshape.hpp>

#include "base/explained_call.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/chunk_walk.hpp"
#include "engine/boxes/in_order.hpp"
#include "engine/order/run_store.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/realise/stored_slabs.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Boxes of a shape, each of whose elements follow each other in row-major order, as do the boxes.
class RowMajorParts {
public:
    /// Of at most so many elements; they end with cells as far as these are shorter.
    RowMajorParts(const Operand& source, index_t most) : shape_(source.dims.max_shape()) {
        index_t behind = 1; // elements for each coordinate along the axis
        axis_ = shape_.size() - 1;
        while (axis_ > 0 && behind * shape_[axis_] <= most) behind *= shape_[axis_--];
        length_ = std::clamp<index_t>(most / behind, 1, shape_[axis_]);
        const ChunkWalk walk(source, nullptr, small_chunks_now());
        if (walk && walk.pieces().empty()) {
            const Shape cell = walk.largest_cell();
            if (cell[axis_] < length_) length_ -= length_ % cell[axis_];
            wanted_ = (cell[axis_] + length_ - 1) / length_;
            row_ = axis_ > 0 ? shape_[axis_] : cell[axis_];
            for (std::size_t a = 0; a < shape_.size(); ++a) {
                cell_ *= cell[a];
                if (a < axis_) wanted_ *= cell[a];
                if (a != axis_) row_ *= a < axis_ ? cell[a] : shape_[a];
            }
        }
        along_ = (shape_[axis_] + length_ - 1) / length_;
        for (std::size_t a = 0; a < axis_; ++a) before_ *= shape_[a];
    }

    index_t count() const noexcept { return before_ * along_; }
    /// How many parts want the same cell, which is read again where it is not kept meanwhile.
    index_t wanted() const noexcept { return wanted_; }
    /// Whether cells go to a file first, so that chunks are not read again and again: where a row of cells has no room.
    bool by_way_of_file(index_t element, index_t room) const noexcept {
        return wanted_ > 2 && row_ * element > room / 2 && 2 * cell_ * element <= room;
    }
    SlabGrid grid() const {
        std::vector<Shape> ends(shape_.size());
        for (std::size_t a = 0; a < shape_.size(); ++a) {
            const index_t length = a < axis_ ? 1 : a == axis_ ? length_ : shape_[a];
            for (index_t end = 0; end < shape_[a];)
                ends[a].push_back(end = std::min(end + length, shape_[a]));
        }
        return SlabGrid(std::move(ends));
    }
    Box box(index_t number) const {
        Box box{Shape(shape_.size(), 0), to_shape(shape_)};
        box.begin[axis_] = number % along_ * length_;
        box.end[axis_] = std::min(box.begin[axis_] + length_, shape_[axis_]);
        index_t lead = number / along_;
        for (std::size_t a = axis_; a-- > 0; lead /= shape_[a]) {
            box.begin[a] = lead % shape_[a];
            box.end[a] = box.begin[a] + 1;
        }
        return box;
    }

private:
    ShapeSpan shape_;
    std::size_t axis_ = 0;
    index_t length_ = 1;
    index_t along_ = 1;
    index_t before_ = 1;
    index_t wanted_ = 1;
    index_t cell_ = 1; ///< elements
    index_t row_ = 0;  ///< elements of cells that lie beside each other
};

void store_runs(const Operand& source, const RunPlan& plan, const RowMajorParts& parts,
                const SlabsInFile* stored, RunBlocks& blocks, RunStore& runs) {
    index_t first = 0;
    in_order(parts.count(), 1, [&](index_t i) {
        const Operand part{source.node, part_of(source.dims, parts.box(i))};
        const index_t count = part.dims.size();
        RunBlock& block = blocks.current();
        Operand place = block.operand(count);
        place.dims = dimensions::reshape(place.dims, part.dims.max_shape());
        if (stored != nullptr)
            assign_dense(LoadedSlab(stored->stored, i).operand(), place);
        else
            assign_dense(part, place);
        if (plan.with_indexes)
            std::iota(block.indexes().begin(), block.indexes().begin() + count, first);
        block.sort(count);
        runs.begin_run();
        runs.append(block, count);
        blocks.advance();
        first += count;
    });
    runs.finish();
}

/// What is done, in words.
std::string described(const RunPlan& plan, const Operand& source, const RowMajorParts& parts,
                      bool stored) {
    const index_t runs = parts.count();
    index_t times = 1;
    for (index_t left = runs; left > plan.fan_in; left = (left + plan.fan_in - 1) / plan.fan_in)
        ++times;
    const std::string again =
        parts.wanted() == 1 || stored
            ? ""
            : fmt::format(", each up to {} times where a row of them has no room", parts.wanted());
    return fmt::format(
        "{}: {} runs of up to {} elements are sorted and merged, by way of a temporary "
        "file; chunks read: {}{}, bytes written to the file and read: {}, {} time{}{}",
        plan.what, runs, plan.most, chunks_of(std::span(&source, 1)), again, plan.file_bytes(),
        times, times == 1 ? "" : "s",
        stored ? fmt::format(", and before that {}", plan.size * plan.dtype.size_bytes()) : "");
}

/// Longer runs, of as many as pieces can be taken from at once.
std::unique_ptr<RunStore> longer_runs(const RunStore& runs, const RunPlan& plan,
                                      RunBlocks& blocks) {
    auto longer = std::make_unique<RunStore>(plan);
    for (std::size_t first = 0; first < runs.count();) {
        const std::size_t last =
            std::min(first + static_cast<std::size_t>(plan.fan_in), runs.count());
        longer->begin_run();
        runs.merge(first, last, blocks, /*last_time=*/true,
                   [&](RunBlock& block, const RunStore::Piece& piece) {
                       longer->append(block, piece.count);
                   });
        first = last;
    }
    longer->finish();
    return longer;
}

/// The results of a sort, piece by piece, in the shape of the source.
template <typename OfPiece>
Operand results_in_order(const char* what, const Operand& source, DType dtype, SortOrder order,
                         bool with_indexes, OfPiece of_piece) {
    LongSort sort(what, source, order, with_indexes);
    AppendedResults results(what, source, dtype, source.dims.size());
    sort.take_pieces([&](const SortedPiece& piece) {
        if (sort.keeps_pieces())
            results.append_kept(of_piece(piece));
        else
            results.append(of_piece(piece));
    });
    return results.in_shape(source.dims.max_shape());
}

} // namespace

class LongSort::Runs {
public:
    Runs(const char* what, const Operand& source, SortOrder order, bool with_indexes)
        : plan_(what, source.dtype(), order, with_indexes, source.dims.size()) {
        const RowMajorParts parts(source, plan_.most);
        const bool by_file = parts.by_way_of_file(source.dtype().size_bytes(), memory_left());
        explained_as([&] { return described(plan_, source, parts, by_file); });
        std::optional<SlabsInFile> stored; // what runs are made of
        if (by_file) stored.emplace(what, source, small_chunks_now(), parts.grid());
        blocks_.emplace(plan_);
        store_ = std::make_unique<RunStore>(plan_);
        store_runs(source, plan_, parts, stored ? &*stored : nullptr, *blocks_, *store_);
        stored.reset();
        while (static_cast<index_t>(store_->count()) > plan_.fan_in)
            store_ = longer_runs(*store_, plan_, *blocks_);
    }

    bool keeps_pieces() const { return plan_.blocks > 1; }

    void for_each_piece(FunctionRef<void(const SortedPiece&)> found, bool last_time) {
        index_t first = 0;
        store_->merge(0, store_->count(), *blocks_, last_time,
                      [&](RunBlock& block, const RunStore::Piece& piece) {
                          found({first, block.operand(piece.count),
                                 plan_.with_indexes ? block.indexes().data() : nullptr,
                                 first - piece.before, piece.equal});
                          first += piece.count;
                      });
    }

private:
    RunPlan plan_;
    std::optional<RunBlocks> blocks_;
    std::unique_ptr<RunStore> store_; ///< which may write blocks until it goes
};

LongSort::LongSort(const char* what, const Operand& source, SortOrder order, bool with_indexes) {
    const WatchedOperation watched(what);
    if (source.dims.size() > 0) runs_ = std::make_unique<Runs>(what, source, order, with_indexes);
}
LongSort::~LongSort() = default;

bool LongSort::keeps_pieces() const { return runs_ != nullptr && runs_->keeps_pieces(); }

void LongSort::for_each_piece(FunctionRef<void(const SortedPiece&)> found) const {
    if (runs_ != nullptr) runs_->for_each_piece(found, false);
}
void LongSort::take_pieces(FunctionRef<void(const SortedPiece&)> found) {
    if (runs_ != nullptr) runs_->for_each_piece(found, true);
}

bool is_sorted_in_runs(const Operand& source) {
    Shape axes(static_cast<std::size_t>(source.dims.rank()), 0);
    std::iota(axes.begin(), axes.end(), index_t{0});
    return source.dtype().is_builtin() && !slabs_have_room(source, axes);
}

Operand sorted_in_runs(const char* what, const Operand& source, SortOrder order) {
    return results_in_order(what, source, source.dtype(), order, false,
                            [](const SortedPiece& piece) { return piece.elements; });
}

Operand argsorted_in_runs(const char* what, const Operand& source, SortOrder order) {
    return results_in_order(what, source, int64, order, true, [](const SortedPiece& piece) {
        const index_t count = piece.elements.dims.size();
        return memory_operand(int64, const_cast<std::int64_t*>(piece.indexes),
                              ShapeSpan(&count, 1));
    });
}

} // namespace purview
