// Defines purview/evaluation/reducer.hpp.

#include <purview/evaluation/reducer.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/buffers.hpp"
#include "engine/sparse/stored_cells.hpp"
#include "engine/sparse/stored_parts.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <span>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

bool is_nan(DType dtype, const std::byte* element) {
    if (dtype == float32)
        return *reinterpret_cast<const float*>(element) != *reinterpret_cast<const float*>(element);
    return *reinterpret_cast<const double*>(element) != *reinterpret_cast<const double*>(element);
}

/// Folds groups, of which some elements are stored.
class StoredFold {
public:
    StoredFold(const BlockReducer& reducer, bool skips_nan, const StoredParts& parts)
        : reducer_(reducer),
          skips_nan_(skips_nan),
          parts_(parts),
          fill_(static_cast<const std::byte*>(parts.pairs.fill)) {}

    /// Of the entries [first, end), which belong to the group that begins at a stored index.
    void operator()(index_t first, index_t end, index_t begin, std::byte* state) const {
        if (!reducer_.keeps_order()) {
            fold(state, first, end, 0);
            return repeat(state, 0, parts_.size - (end - first));
        }
        const auto index_at = [&](index_t entry) {
            return parts_.pairs.indexes[static_cast<std::size_t>(entry)] - begin;
        };
        index_t at = 0;
        while (first < end) {
            const index_t index = index_at(first);
            repeat(state, at, index - at);
            index_t run = 1;
            while (first + run < end && index_at(first + run) == index + run) ++run;
            fold(state, first, first + run, index);
            first += run;
            at = index + run;
        }
        repeat(state, at, parts_.size - at);
    }

private:
    const std::byte* value(index_t entry) const {
        return static_cast<const std::byte*>(parts_.pairs.values.data) + entry * bytes_;
    }
    /// Of entries, the first of which has a place.
    void fold(std::byte* state, index_t first, index_t end, index_t place) const {
        if (!skips_nan_ && first < end)
            return reducer_.fold_block(state, value(first), end - first, place);
        while (first < end) {
            index_t run = 0;
            while (first + run < end && !is_nan(reducer_.element(), value(first + run))) ++run;
            if (run > 0) reducer_.fold_block(state, value(first), run, place);
            first += run + 1;
            place += run + 1;
        }
    }
    void repeat(std::byte* state, index_t place, index_t times) const {
        if (times == 0 || (skips_nan_ && is_nan(reducer_.element(), fill_))) return;
        if (!reducer_.takes_places()) return reducer_.repeat(state, fill_, times);
        for (; times > 0; --times) reducer_.fold_block(state, fill_, 1, place++);
    }

    const BlockReducer& reducer_;
    bool skips_nan_;
    const StoredParts& parts_;
    const std::byte* fill_;
    index_t bytes_ = reducer_.element().size_bytes();
};

} // namespace

void reduce_sparse_groups(const BlockReducer& reducer, bool skips_nan, const Operand& given,
                          index_t groups, void* out) {
    count_way(Way::stored);
    const WatchedOperation watched(reducer.name());
    const Operand source =
        groups == 1 && !reducer.keeps_order() ? in_order_of_addresses(given) : given;
    const StoredParts parts(source, groups, reducer.name());
    const StoredFold fold(reducer, skips_nan, parts);
    const auto bytes = static_cast<std::size_t>(reducer.state_bytes());
    boost::container::small_vector<std::max_align_t, 8> states(
        2 * ((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)));
    auto* const state = reinterpret_cast<std::byte*>(states.data());
    auto* const of_fills = reinterpret_cast<std::byte*>(states.data() + states.size() / 2);
    if (parts.cells->size() < groups) {
        reducer.clear(of_fills, 1);
        fold(0, 0, 0, of_fills);
    }
    const index_t each = reducer.results_of(1) * reducer.result().size_bytes();
    auto* to = static_cast<std::byte*>(out);
    std::size_t part = 0;
    const index_t* const cells = data_of(parts.cells);
    for (index_t group = 0; group < groups; ++group, to += each) {
        if (part + 1 < parts.first.size() && cells[part] == group) {
            reducer.clear(state, 1);
            fold(parts.first[part], parts.first[part + 1], group * parts.size + parts.pairs.offset,
                 state);
            ++part;
            reducer.finish(state, 1, parts.size, to);
        } else {
            reducer.finish(of_fills, 1, parts.size, to);
        }
    }
}

} // namespace purview
