#include "engine/boxes/chunk_walk.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/graph.hpp>

#include "base/explained_call.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/in_order.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

index_t bytes_of(const Chunks& chunks) { return bytes_of_elements(chunks.element_count(), chunks); }

/// Pieces of pieces are read through the cache from so many on.
constexpr int kDeepest = 16;

index_t product(ShapeSpan extents) {
    index_t product = 1;
    for (const index_t extent : extents) product *= extent;
    return product;
}

/// While this thread does the work of a cell, nothing in that is cut into cells again.
struct InCell {
    InCell() { now = true; }
    InCell(const InCell&) = delete;
    InCell& operator=(const InCell&) = delete;
    ~InCell() { now = false; }
    static thread_local constinit bool now;
};
thread_local constinit bool InCell::now = false;

/// A box of what follows an array, if no axis is mapped.
std::optional<FollowedAxes> part_of(FollowedAxes followed, const Box& box) {
    for (std::size_t r = 0; r < followed.axes.size(); ++r) {
        const FollowedAxis& axis = followed.axes[r];
        if (!axis.is_plain()) return std::nullopt;
        if (axis.axis != FollowedAxis::kNone)
            followed.begin[static_cast<std::size_t>(axis.axis)] += axis.at(box.begin[r]);
    }
    return followed;
}

} // namespace

ChunkWalk::ChunkWalk(const Operand& source, const DestinationChunks* destination,
                     CellGrid::Small small, int depth)
    : source_(source), values_(source) {
    if (InCell::now) return;
    if (source.dims.size() > 0) {
        find_pieces(destination, small, depth);
        if (!pieces_.empty()) return;
        find_arrays();
    }
    const Array* lead = nullptr;
    for (const Array& array : arrays_)
        if (lead == nullptr || bytes_of(*array.chunks) > bytes_of(*lead->chunks)) lead = &array;
    if (destination != nullptr)
        grid_.emplace(source.dims.max_shape(), destination->followed,
                      destination->chunks.written_chunks(), CellGrid::Small::apart);
    else if (lead != nullptr)
        grid_.emplace(source.dims.max_shape(), lead->followed, *lead->chunks, small);
    else if (depth > 0)
        grid_.emplace(source.dims.max_shape());
}

ChunkWalk::~ChunkWalk() = default;

CellGrid::Small small_chunks_now() {
    constexpr index_t kRoom = index_t{1} << 24;
    return memory_left() < kRoom ? CellGrid::Small::apart : CellGrid::Small::joined;
}

void ChunkWalk::find_pieces(const DestinationChunks* destination, CellGrid::Small small,
                            int depth) {
    if (depth == kDeepest) return;
    for (PartOfOperand& part : split_at_pieces(values_)) {
        std::optional<DestinationChunks> chunks;
        if (destination != nullptr) {
            auto followed = part_of(destination->followed, part.box);
            if (!followed) return pieces_.clear();
            chunks.emplace(DestinationChunks{destination->chunks, *std::move(followed)});
        }
        Piece& piece = pieces_.emplace_back(std::make_unique<const PartOfOperand>(std::move(part)));
        if (chunks)
            piece.destination = std::make_unique<const DestinationChunks>(*std::move(chunks));
        piece.walk.reset(
            new ChunkWalk(piece.part->operand, piece.destination.get(), small, depth + 1));
    }
}

void ChunkWalk::find_arrays() {
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Value& value = values_[id];
        const Leaf* const leaf = value.leaf();
        if (leaf == nullptr || !leaf->reads(Below::blocks)) continue;
        const Chunks& chunks = *leaf->reader().chunks();
        if (auto followed = followed_axes(*value.view, chunks.grid().shape))
            arrays_.push_back({id, &chunks, *std::move(followed)});
    }
    for (const Node* const node : nodes_below(std::span(&source_, 1)))
        if (const auto* const leaf = node_as<Leaf>(*node))
            thread_safe_ = thread_safe_ && leaf->is_thread_safe();
}

/// How many chunks are read for groups of so many cells, if none is kept from one to the next: for
/// each axis of the array, the sum over the groups along the axes that follow it.
index_t ChunkWalk::reads_of(const Array& array, ShapeSpan cells_of_group) const {
    const std::size_t rank = grid_->rank();
    const auto group_end = [&](std::size_t r, index_t at) {
        return std::min(at + cells_of_group[r], grid_->counts()[r]);
    };
    const auto pieces = [&](const Region& region, std::size_t k) {
        return static_cast<double>(count_pieces(region.axes()[k], array.chunks->grid().chunk[k]));
    };
    // Along one axis of the view at a time, the others at their first group: regions are products.
    const Shape first(rank, 0);
    Shape last;
    for (std::size_t r = 0; r < rank; ++r) last.push_back(group_end(r, 0));
    const Region at_first(array.followed, grid_->box(first, last));
    double reads = 1;
    for (std::size_t k = 0; k < at_first.axes().size(); ++k) reads *= pieces(at_first, k);
    for (std::size_t r = 0; r < rank; ++r) {
        const int axis = array.followed.axes[r].axis;
        Shape from = first;
        Shape to = last;
        double sum = 0;
        for (; from[r] < grid_->counts()[r]; from[r] = to[r]) {
            to[r] = group_end(r, from[r]);
            sum += axis == FollowedAxis::kNone
                       ? 1
                       : pieces(Region(array.followed, grid_->box(from, to)),
                                static_cast<std::size_t>(axis));
        }
        reads *= axis == FollowedAxis::kNone
                     ? sum
                     : sum / pieces(at_first, static_cast<std::size_t>(axis));
    }
    constexpr double kMost = 1e15;
    return static_cast<index_t>(std::min(reads + 0.5, kMost));
}

/// The bytes of the regions that are put together for a group: not less than those of any group.
index_t ChunkWalk::bytes_of_group(const Groups& groups) const {
    Box box = grid_->largest();
    for (std::size_t r = 0; r < grid_->rank(); ++r) {
        const index_t extent = source_.dims.max_shape()[r];
        const index_t cell = box.end[r] - box.begin[r];
        const index_t most = groups.cells[r] < extent / cell ? groups.cells[r] * cell : extent;
        box.begin[r] = std::min(box.begin[r], extent - most);
        box.end[r] = box.begin[r] + most;
    }
    index_t sum = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
        if (groups.shared[i])
            sum += Region(arrays_[i].followed, box).bytes_put_together(*arrays_[i].chunks);
    return sum;
}

/// Doubles groups along one axis after the other, as long as that reads fewer chunks and `room` has
/// place for the regions.
void ChunkWalk::grow(Groups& groups, index_t room) const {
    const auto reads = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            if (groups.shared[i]) sum += static_cast<double>(reads_of(arrays_[i], groups.cells));
        return sum;
    };
    for (double fewest = reads();;) {
        Shape best;
        const Shape now = groups.cells;
        for (std::size_t r = 0; r < grid_->rank(); ++r) {
            groups.cells = now;
            groups.cells[r] = std::min(2 * now[r], grid_->counts()[r]);
            if (groups.cells[r] == now[r] || bytes_of_group(groups) > room) continue;
            if (const double then = reads(); then < fewest) {
                fewest = then;
                best = groups.cells;
            }
        }
        groups.cells = best.empty() ? now : best;
        if (best.empty()) return;
    }
}

ChunkWalk::Groups ChunkWalk::choose_groups(Needs needs) const {
    const Shape one(grid_->rank(), 1);
    Groups groups{one, {}, {}, 0, needs.bytes + needs.waiting, 0, most_threads(needs), 1};
    index_t chunk_bytes = 0; // of the largest chunk that regions are put together from
    for (const Array& array : arrays_) {
        const Chunks& chunks = *array.chunks;
        const bool shared = reads_of(array, one) > reads_of(array, grid_->counts());
        groups.shared.push_back(shared);
        if (shared)
            chunk_bytes =
                std::max(chunk_bytes, bytes_of_elements(chunks.elements_per_chunk(), chunks));
        else
            groups.cell_bytes += bytes_to_load(chunks, Region(array.followed, grid_->largest()));
    }
    // What is held may be counted already.
    const index_t limit = std::min(memory_limit() - needs.held, memory_left());
    grow(groups, limit - 2 * std::max(groups.cell_bytes, chunk_bytes));
    groups.group_bytes = bytes_of_group(groups);
    if (product(groups.cells) == 1) { // nothing is shared
        groups.cell_bytes += groups.group_bytes + chunk_bytes;
        groups.group_bytes = 0;
        groups.shared.assign(arrays_.size(), false);
    }
    for (const Array& array : arrays_) {
        const index_t reads = reads_of(array, groups.cells);
        groups.chunks += reads;
        // Several views of one array want its chunks in the same cell.
        const auto views = std::count_if(arrays_.begin(), arrays_.end(), [&](const Array& other) {
            return other.chunks->store() == array.chunks->store();
        });
        groups.once.push_back(views == 1 && reads == reads_of(array, grid_->counts()) &&
                              bytes_of(*array.chunks) > limit);
    }
    groups.threads = static_cast<int>(
        std::clamp<index_t>((limit - groups.group_bytes) / std::max<index_t>(groups.cell_bytes, 1),
                            1, groups.most_threads));
    return groups;
}

int ChunkWalk::most_threads(Needs needs) const {
    return thread_safe_ && !needs.one_thread ? threads() : 1;
}

/// The cells of one group after the other.
class ChunkWalk::GroupRun {
    /// How many cells before it is read a chunk is announced.
    static constexpr index_t kAhead = 8;

public:
    GroupRun(const ChunkWalk& walk, const Groups& groups, const char* what, Work work)
        : walk_(walk), groups_(groups), what_(what), work_(work), operand_(walk.values_) {
        for (std::size_t r = 0; r < walk.grid_->rank(); ++r) {
            const index_t cells = groups.cells[r];
            counts_.push_back((walk.grid_->counts()[r] + cells - 1) / cells);
        }
    }

    void run() {
        const index_t cells = product(groups_.cells);
        if (cells == 1)
            return in_order(walk_.grid_->count(), groups_.threads, [&](index_t number) {
                if (number == 0)
                    for (index_t next = 0; next < kAhead; ++next) announce_cell(next);
                announce_cell(number + kAhead);
                run_cell(number, walk_.grid_->place_of(number), {}, {});
            });
        in_order(product(counts_), 1, [&](index_t group) { run_group(group); });
    }

private:
    void run_group(index_t group) const {
        const std::size_t rank = counts_.size();
        Shape first(rank, 0);
        Shape last(rank, 0);
        Shape extents(rank, 0);
        for (std::size_t r = rank; r-- > 0; group /= counts_[r]) {
            first[r] = group % counts_[r] * groups_.cells[r];
            last[r] = std::min(first[r] + groups_.cells[r], walk_.grid_->counts()[r]);
            extents[r] = last[r] - first[r];
        }
        const Box box = walk_.grid_->box(first, last);
        for (std::size_t i = 0; i < walk_.arrays_.size(); ++i)
            if (groups_.shared[i])
                announce(*walk_.arrays_[i].chunks, Region(walk_.arrays_[i].followed, box));
        std::vector<std::unique_ptr<LoadedRegion>> shared;
        for (std::size_t i = 0; i < walk_.arrays_.size(); ++i)
            shared.push_back(groups_.shared[i] ? load(i, box, groups_.most_threads) : nullptr);
        in_order(product(extents), groups_.threads, [&](index_t at) {
            Shape place(rank, 0);
            index_t number = 0;
            for (std::size_t r = rank; r-- > 0; at /= extents[r])
                place[r] = first[r] + at % extents[r];
            for (std::size_t r = 0; r < rank; ++r)
                number = number * walk_.grid_->counts()[r] + place[r];
            run_cell(number, place, box.begin, shared);
        });
    }

    void announce_cell(index_t number) const {
        if (number >= walk_.grid_->count()) return;
        const Box box = walk_.grid_->box_of(walk_.grid_->place_of(number));
        for (const Array& array : walk_.arrays_)
            announce(*array.chunks, Region(array.followed, box));
    }

    std::unique_ptr<LoadedRegion> load(std::size_t array, const Box& box, int threads) const {
        const Array& each = walk_.arrays_[array];
        const Region region(each.followed, box);
        // Of a chunk that is cut by the end of the view, somebody may want the rest next.
        const bool once = groups_.once[array] && reads_whole_chunks(*each.chunks, region);
        return std::make_unique<LoadedRegion>(*each.chunks, region,
                                              LoadedRegion::How{what_, threads, once});
    }

    void run_cell(index_t number, const Shape& place, ShapeSpan group_begin,
                  std::span<const std::unique_ptr<LoadedRegion>> shared) const {
        const Box box = walk_.grid_->box_of(place);
        std::vector<std::unique_ptr<LoadedRegion>> own(walk_.arrays_.size());
        const int inside = walk_.grid_->count() < groups_.most_threads ? groups_.most_threads : 1;
        std::vector<CellOperand::Replacement> arrays;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const ValueId value = walk_.arrays_[i].value;
            if (!shared.empty() && shared[i] != nullptr) {
                const Operand whole = shared[i]->operand();
                Box within = box;
                for (std::size_t r = 0; r < within.begin.size(); ++r) {
                    within.begin[r] -= group_begin[r];
                    within.end[r] -= group_begin[r];
                }
                arrays.push_back({value, {whole.node, part_of(whole.dims, within)}});
            } else {
                own[i] = load(i, box, inside);
                arrays.push_back({value, own[i]->operand()});
            }
        }
        const Operand operand = operand_.in(box, arrays);
        const InCell not_again;
        work_({number, place, box, operand});
    }

    const ChunkWalk& walk_;
    const Groups& groups_;
    const char* what_;
    Work work_;
    CellOperand operand_;
    Shape counts_; ///< of groups along each axis
};

void ChunkWalk::run(const char* what, Needs needs, Work work) const {
    explained_as([&] { return fmt::format("{}: {}", what, describe(needs)); });
    for (const Piece& piece : pieces_)
        piece.walk->run(what, needs, [&](const WalkedCell& cell) { work(piece.placed(cell)); });
    if (!pieces_.empty()) return;
    const Groups groups = choose_groups(needs);
    GroupRun(*this, groups, what, work).run();
}

ChunkWalk::Reads ChunkWalk::reads(Needs needs) const {
    Reads reads{0, 0};
    for (const Piece& piece : pieces_) {
        const Reads of_piece = piece.walk->reads(needs);
        reads.all += of_piece.all;
        reads.different += of_piece.different;
    }
    if (!pieces_.empty()) return reads;
    reads.all = choose_groups(needs).chunks;
    for (const Array& array : arrays_) reads.different += reads_of(array, grid_->counts());
    return reads;
}

index_t ChunkWalk::fewest_bytes() const {
    index_t bytes = 0;
    for (const Piece& piece : pieces_) bytes = std::max(bytes, piece.walk->fewest_bytes());
    // With no room left for groups.
    return pieces_.empty() ? choose_groups({.held = memory_limit()}).cell_bytes : bytes;
}

Shape ChunkWalk::largest_cell() const {
    return pieces_.empty() ? grid_->largest().extents() : pieces_.front().walk->largest_cell();
}

std::string ChunkWalk::describe(Needs needs) const {
    if (!pieces_.empty())
        return fmt::format("{}; this is the first of {} pieces",
                           pieces_.front().walk->describe(needs), pieces_.size());
    const Groups groups = choose_groups(needs);
    const index_t together = product(groups.cells);
    std::string text = fmt::format("in cells of up to {}, {} of them",
                                   to_string(grid_->largest().extents()), grid_->count());
    if (together > 1)
        text += fmt::format(", {} at a time, for which regions are put together", together);
    return text + fmt::format("; chunks read: {}, bytes held: {}", groups.chunks,
                              needs.held + groups.group_bytes + groups.threads * groups.cell_bytes);
}

} // namespace purview::engine
