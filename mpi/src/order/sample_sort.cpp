#include "order/sample_sort.hpp"

#include "distributions/axis_parts.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "order/bisected.hpp"
#include "order/merged_runs.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// Where the parts of ranks begin in a lane that is in blocks; and its end.
std::vector<index_t> part_begins(const Distribution& d) {
    std::vector<index_t> begins{0};
    for (int rank = 0; rank < d.communicator().size(); ++rank) {
        index_t size = 1;
        for (const index_t extent : d.local_shape(rank)) size *= extent;
        begins.push_back(begins.back() + size);
    }
    return begins;
}

Distribution even_blocks(const Distribution& d, std::size_t axis) {
    Shape extents(axis + 1, 1);
    extents[axis] = d.communicator().size();
    return blocks(AxisValues(d.shape()), Grid(d.communicator(), AxisValues(extents)));
}

/// Sorts one lane whose elements several ranks have.
template <typename T>
class SampleSort {
public:
    SampleSort(Ranks& ranks, const char* what, const AnyDistributed& x, std::size_t axis,
               SortOrder order, Sorted wanted)
        : ranks_(ranks),
          what_(what),
          x_(x),
          parts_(x.distribution().state().axes[axis]),
          place_(x.distribution().state().places_of(ranks.rank())[axis]),
          to_(parts_.is_blocks() ? x.distribution() : even_blocks(x.distribution(), axis)),
          order_(order),
          wanted_(wanted),
          // Equal integers are not announced apart, and blocks follow each other as their indexes do.
          indexed_(wanted == Sorted::indexes || (std::floating_point<T> && !parts_.is_blocks())) {}

    AnyDistributed run() {
        collective(ranks_, what_, [&] {
            begins_ = part_begins(x_.distribution());
            to_begins_ = part_begins(to_);
            sort_own();
        });
        exchange();
        collective(ranks_, what_, [&] { merge(); });
        return AnyDistributed(wanted_ == Sorted::elements ? own_.values : own_.indexes, to_);
    }

private:
    using Value = Stored<T>;

    /// Memory for elements and indexes.
    struct Memory {
        Operand values;
        Operand indexes;
        Entries<Value> entries;
    };

    Memory memory_of_shape(ShapeSpan shape) const {
        Memory memory;
        memory.values = new_elements(what_, x_.dtype(), shape);
        memory.entries.values = reinterpret_cast<Value*>(memory_of(memory.values));
        if (!indexed_) return memory;
        memory.indexes = new_elements(what_, int64, shape);
        memory.entries.indexes = reinterpret_cast<std::int64_t*>(memory_of(memory.indexes));
        return memory;
    }

    bool descending() const noexcept { return order_ == SortOrder::descending; }

    void sort_own() {
        const Shape own = x_.distribution().local_shape();
        own_ = memory_of_shape(own);
        received_ = memory_of_shape(to_.local_shape());
        count_ = own_.values.dims.size();
        if (count_ == 0) return;
        if (!indexed_) {
            sort_groups(x_.local_operand(), 1, order_, own_.values);
            return;
        }
        const Entries<Value> out = own_.entries;
        argsort_groups(x_.local_operand(), 1, order_, out.indexes);
        const Tensor<T> held = in_memory<T>(what_, x_.local_operand());
        const auto* const elements = reinterpret_cast<const Value*>(as_span(held).data());
        if (parts_.is_blocks()) {
            const index_t first = parts_.global_of(place_, 0);
            gather_own(elements, [first](index_t local) { return first + local; });
        } else {
            gather_own(elements, [&](index_t local) { return parts_.global_of(place_, local); });
        }
    }

    /// Reads the elements at the indexes in this rank's part, which become those in the whole.
    template <typename ToGlobal>
    void gather_own(const Value* elements, const ToGlobal& to_global) const {
        constexpr double kNanosecondsEach = 6;
        constexpr index_t kAhead = 32; // as elements are read here and there
        parallel_ranges(count_, 4096, static_cast<double>(count_) * kNanosecondsEach,
                        [&](index_t begin, index_t end) {
                            Value* const values = own_.entries.values;
                            std::int64_t* const indexes = own_.entries.indexes;
                            for (index_t i = begin; i < end; ++i) {
                                __builtin_prefetch(elements +
                                                   indexes[std::min(i + kAhead, end - 1)]);
                                const index_t local = indexes[i];
                                values[i] = elements[local];
                                indexes[i] = to_global(local);
                            }
                        });
    }

    /// What tells the i-th of this rank's sorted elements from its equals, in the order in which these come.
    std::uint64_t number(index_t i) const noexcept {
        return static_cast<std::uint64_t>(
            indexed_ ? own_.entries.indexes[i]
                     : begins_[static_cast<std::size_t>(ranks_.rank())] + i);
    }

    /// How many of the sorted elements [first, last) are not yet at `word`, which `word_of(i)` ascends to.
    template <typename WordOf>
    static index_t count_before(index_t first, index_t last, std::uint64_t word,
                                const WordOf& word_of) {
        while (first < last) {
            const index_t middle = first + (last - first) / 2;
            if (word_of(middle) < word)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    /// Where this rank's sorted elements for each rank begin: exactly those that belong to its part of the result.
    std::vector<index_t> splits() {
        const index_t all = to_begins_.back();
        std::vector<index_t> targets; // where a part begins, that is not the first, nor behind all
        for (std::size_t rank = 1; rank + 1 < to_begins_.size(); ++rank)
            if (to_begins_[rank] < all) targets.push_back(to_begins_[rank]);
        const auto key = [&](index_t i) {
            return std::uint64_t{ordered_key(own_.entries.values[i], descending())};
        };
        const std::vector<Bisected> keys = bisected(
            ranks_, what_, sizeof(Value) * 8, targets,
            [&](std::size_t, std::uint64_t word) { return count_before(0, count_, word, key); });
        std::vector<index_t> firsts;
        std::vector<index_t> lasts; // of the equal ones
        for (std::size_t t = 0; t < targets.size(); ++t) {
            targets[t] -= keys[t].before;
            firsts.push_back(count_before(0, count_, keys[t].word, key));
            lasts.push_back(firsts.back());
            // The next key may be beyond all.
            if (firsts[t] < count_ && key(firsts[t]) == keys[t].word)
                lasts[t] = keys[t].word == ~std::uint64_t{0}
                               ? count_
                               : count_before(firsts[t], count_, keys[t].word + 1, key);
        }
        const auto number_of = [&](index_t i) { return number(i); };
        const std::vector<Bisected> numbers = bisected(
            ranks_, what_, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(all))),
            targets, [&](std::size_t t, std::uint64_t word) {
                return count_before(firsts[t], lasts[t], word, number_of) - firsts[t];
            });
        std::vector<index_t> result{0};
        std::size_t t = 0;
        for (std::size_t rank = 1; rank + 1 < to_begins_.size(); ++rank) {
            if (to_begins_[rank] >= all) {
                result.push_back(count_);
                continue;
            }
            result.push_back(count_before(firsts[t], lasts[t], numbers[t].word, number_of));
            ++t;
        }
        result.push_back(count_);
        return result;
    }

    /// Sends each rank how many elements it gets, then these.
    void exchange() {
        const std::vector<index_t> own_splits = splits();
        std::vector<Asked> announced;
        std::vector<Outgoing> out;
        const auto add = [&](auto& list, int rank, const Entries<Value>& at, index_t begin,
                             index_t count) {
            list.push_back({rank, at.values + begin, count * index_t{sizeof(Value)}});
            if (indexed_)
                list.push_back({rank, at.indexes + begin, count * index_t{sizeof(std::int64_t)}});
        };
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const auto r = static_cast<std::size_t>(rank);
            const index_t count = own_splits[r + 1] - own_splits[r];
            if (count == 0) continue;
            announced.push_back({rank, std::vector<std::byte>(sizeof(count))});
            std::memcpy(announced.back().bytes.data(), &count, sizeof(count));
            add(out, rank, own_.entries, own_splits[r], count);
        }
        std::vector<Incoming> in;
        index_t begin = 0;
        for (const Asked& from : ranks_.ask(what_, std::move(announced), Carries::nothing)) {
            index_t count = 0;
            std::memcpy(&count, from.bytes.data(), sizeof(count));
            runs_.push_back(begin);
            add(in, from.rank, received_.entries, begin, count);
            begin += count;
        }
        runs_.push_back(begin);
        PURVIEW_ASSERT(begin == received_.values.dims.size());
        ranks_.exchange(what_, out, in, Carries::elements);
    }

    void merge() {
        if (count_ != received_.values.dims.size()) {
            own_ = Memory();
            own_ = memory_of_shape(to_.local_shape());
        }
        // Both have the shape of the result, unless x was in blocks of the same size in another one.
        own_.values.dims = received_.values.dims;
        own_.indexes.dims = received_.indexes.dims;
        const Entries<Value> merged = MergedRuns<Value>(runs_, descending(), !parts_.is_blocks())
                                          .run(received_.entries, own_.entries);
        if (merged.values == received_.entries.values) std::swap(own_, received_);
        received_ = Memory();
    }

    Ranks& ranks_;
    const char* what_;
    const AnyDistributed& x_;
    const AxisParts& parts_;
    index_t place_;
    Distribution to_;
    SortOrder order_;
    Sorted wanted_;
    bool indexed_;
    std::vector<index_t> begins_;    ///< of parts of x, one after the other
    std::vector<index_t> to_begins_; ///< of parts of the result
    Memory own_;                     ///< of this rank, sorted; in the end the result
    Memory received_;
    index_t count_ = 0;
    std::vector<index_t> runs_;
};

} // namespace

AnyDistributed sample_sorted(Ranks& ranks, const char* what, const AnyDistributed& x,
                             std::size_t axis, SortOrder order, Sorted wanted) {
    return visit_dtype(x.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        return SampleSort<T>(ranks, what, x, axis, order, wanted).run();
    });
}

} // namespace purview
