#include "engine/pairs/moved_entries.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/base/masks.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dtype/element_access.hpp>

#include "engine/pairs/counted_moves.hpp"
#include "engine/pairs/digit_view.hpp"
#include "engine/pairs/entry_sort.hpp"
#include "engine/pairs/listed_view.hpp"
#include "engine/places/buffers.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The positions [begin, end) of the pairs in the range of addresses that a view reads, and the
/// view, reduced.
struct PairsInView {
    index_t begin = 0;
    index_t end = 0;
    Dimensions reduced;
    bool only_shifts = true;

    PairsInView(const SparsePairs& pairs, const Dimensions& view) {
        if (view.size() == 0) return;
        reduced = view.is_contiguous() ? view : dimensions::reduce(view);
        only_shifts = reduced.is_contiguous();
        const AddressRange range = reduced.address_range(); // exact for a view of one layer
        begin = sparse_position(pairs.indexes, range.lowest + pairs.offset);
        end = sparse_position(pairs.indexes, range.highest + 1 + pairs.offset, begin);
    }
    index_t count() const noexcept { return end - begin; }
    std::span<const index_t> indexes_of(const SparsePairs& pairs) const {
        return pairs.indexes.subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(count()));
    }
};

/// The indexes of the pairs in a view that only shifts them.
BufferPtr<index_t> shifted_indexes(const SparsePairs& pairs, const PairsInView& seen) {
    BufferPtr<index_t> shifted = allocate_uninitialized_buffer<index_t>(seen.count());
    const index_t shift = seen.count() == 0 ? 0 : seen.reduced.base() + pairs.offset;
    index_t* to = data_of(shifted);
    for (const index_t index : seen.indexes_of(pairs)) *to++ = index - shift;
    return shifted;
}

/// To search for one element in ascending order costs about as much as to look at so many entries.
constexpr index_t kEntriesPerSearch = 16;

/// The inverse of a view: from addresses to indexes of a smaller view without repetition (by
/// division, if `divides`), and how the view repeats that one; or of a view that reads listed
/// coordinates. Moved entries of equal index / `run` are in ascending order, if the pairs are.
struct Inverse {
    Inverse(const PairsInView& seen, const char* what) : divides(digits.prepare(seen.reduced)) {
        if (!divides) {
            listed = ListedView::of(seen.reduced, seen.count(), what);
            return;
        }
        run = digits.ordered_run();
        searches_elements = run == seen.reduced.size() && run <= seen.count() / kEntriesPerSearch;
        repetition = digits.repetition();
        has_runs = !repetition && !searches_elements && are_few_runs(seen);
    }

    /// Whether the view shows ranges of addresses one after the other, such as rows, and fewer of them than entries.
    static bool are_few_runs(const PairsInView& seen) {
        constexpr index_t kEntriesPerRun = 2;
        const LayerView layer = seen.reduced.layer(0);
        if (layer.rank() == 0) return false;
        const index_t extent = layer.extents.back();
        AxisMap map;
        if (!layer.maps.empty()) map = layer.maps.back();
        if (layer.strides.back() * (map.period == 0 ? 1 : map.step) != 1) return false;
        const index_t in_row = map.period == 0 ? 1 : extent / map.period + 2;
        return seen.reduced.size() / extent <= seen.count() / (kEntriesPerRun * in_row);
    }

    /// The entries of a view that `takes_rows`.
    EntryRanges rows(const SparsePairs& pairs, const PairsInView& seen, const char* what) const {
        if (listed) return listed->rows(pairs, seen.begin, seen.end, what);
        EntryRanges ranges(what);
        index_t at = 0; // in the view
        index_t p = seen.begin;
        index_t behind = 0; // the last range, as indexes are stored
        const auto index = [&](index_t q) { return pairs.indexes[static_cast<std::size_t>(q)]; };
        const auto add = [&](index_t stored, index_t length) {
            if (stored < behind) // back by steps that double
                for (index_t step = 1; p > 0 && index(p - 1) >= stored; step *= 2)
                    p = std::max(index_t{0}, p - step);
            const index_t first = p = sparse_position(pairs.indexes, stored, p);
            behind = stored + length;
            p = sparse_position(pairs.indexes, behind, p);
            ranges.add(at, {first, p, at - stored});
            at += length;
        };
        dimensions::AddressStream(seen.reduced)
            .runs(0, seen.reduced.size(), [&](index_t address, index_t step, index_t length) {
                if (step == 1) return add(address + pairs.offset, length);
                for (index_t i = 0; i < length; ++i) add(address + pairs.offset + i * step, 1);
            });
        return ranges;
    }

    DigitView digits;
    bool divides;
    index_t run = 1;
    std::optional<RepeatedEntries> repetition;
    /// Whether the view's elements are searched for, because they ascend, and far more is stored
    /// between them, as beside a column or a diagonal.
    bool searches_elements = false;
    std::optional<ListedView> listed; ///< where divisions alone do not invert the view
    bool has_runs = false;

    bool takes_rows() const noexcept { return has_runs || (listed && listed->takes_rows()); }
};

/// Calls `add(index, position)` for the elements of a view that are stored, which ascend.
template <typename Add>
void search_elements(const SparsePairs& pairs, const PairsInView& seen, Add add) {
    const dimensions::AddressStream stream(seen.reduced);
    std::array<index_t, 1024> addresses;
    index_t p = seen.begin;
    for (index_t begin = 0; begin < seen.reduced.size(); begin += std::ssize(addresses)) {
        const index_t count = std::min(std::ssize(addresses), seen.reduced.size() - begin);
        stream.read(begin, std::span(addresses).first(static_cast<std::size_t>(count)));
        for (index_t i = 0; i < count; ++i) {
            const index_t stored = addresses[static_cast<std::size_t>(i)] + pairs.offset;
            p = sparse_position(pairs.indexes, stored, p);
            if (p == seen.end) return;
            if (pairs.indexes[static_cast<std::size_t>(p)] == stored) add(begin + i, p);
        }
    }
}

/// Moves pairs to their indexes in a view, without its repetition; `payload(p)` is the payload of
/// the pair at position p.
template <typename Payload>
Entries moved_by(const SparsePairs& pairs, const PairsInView& seen, Inverse& by, const char* what,
                 Payload payload) {
    Entries moved(by.listed || by.searches_elements ? 0 : seen.count(), what);
    const auto add = [&](index_t index, index_t p, bool keep = true) {
        moved.add_if(keep, index, payload(p));
    };
    const auto address = [&](index_t p) {
        return pairs.indexes[static_cast<std::size_t>(p)] - pairs.offset;
    };
    if (by.searches_elements) {
        search_elements(pairs, seen, add);
        return moved;
    }
    if (by.divides) {
        Run run; // usually that of the previous address too
        for (index_t p = seen.begin; p < seen.end; ++p) {
            if (!run.holds(address(p))) run = by.digits.run_at(address(p));
            if (const index_t index = run(address(p)); index >= 0) add(index, p);
        }
        return moved;
    }
    if (by.listed) {
        by.listed->each(pairs, seen.begin, seen.end, add);
        return moved;
    }
    const dimensions::InverseMap inverse(seen.reduced);
    for (index_t p = seen.begin; p < seen.end; ++p)
        for (const index_t index : inverse(address(p))) add(index, p);
    return moved;
}

/// Repeats entries, which are ascending: their indexes in the smaller view are `indexes` minus
/// `shift`.
template <typename T>
MovedValues<T> repeated_values(const RepeatedEntries& repetition, std::span<const index_t> indexes,
                               index_t shift, const T* values, const char* what) {
    const index_t count = repetition.count(indexes, shift, what);
    MovedValues<T> moved{allocate_uninitialized_buffer<index_t>(count),
                         allocate_uninitialized_buffer<T>(count)};
    repetition.write(indexes, shift, reinterpret_cast<const std::byte*>(values), sizeof(T),
                     data_of(moved.indexes), reinterpret_cast<std::byte*>(data_of(moved.values)));
    return moved;
}

/// Where entries are written to, given how many there are.
struct EntryPlaces {
    index_t* indexes;
    void* payloads;
};
using AllocateEntries = FunctionRef<EntryPlaces(index_t)>;

/// Writes the entries of a view, without its repetition, in its order: their indexes, and as payloads what `payload`
/// gives for the position of each. Compiled once for each width, as the types of values make no difference.
template <typename Bits, typename Payload>
void write_entries(const SparsePairs& pairs, const PairsInView& seen, Inverse& by, const char* what,
                   Payload payload, AllocateEntries allocate) {
    if (by.divides && !by.searches_elements && CountedMoves::fit(by.digits, by.run, seen.count())) {
        CountedMoves entries(pairs, seen.begin, seen.end, by.digits, by.run);
        const EntryPlaces to = allocate(entries.count());
        return entries.write(to.indexes, static_cast<Bits*>(to.payloads), payload);
    }
    Entries entries = moved_by(pairs, seen, by, what, payload);
    const EntryPlaces to = allocate(entries.count());
    sort_entries(entries, by.run, to.indexes, static_cast<std::byte*>(to.payloads), sizeof(Bits));
}

/// The same with the bits of the values as payloads.
template <typename Bits>
void write_values(const SparsePairs& pairs, const PairsInView& seen, Inverse& by, const char* what,
                  AllocateEntries allocate) {
    const auto* const values = static_cast<const std::byte*>(pairs.values.data);
    write_entries<BitsOf<Bits>>(
        pairs, seen, by, what,
        [=, stride = pairs.values.stride_bytes](index_t p) -> BitsOf<Bits> {
            return load_element<Bits>(values + p * stride);
        },
        allocate);
}

/// The entries that `write(allocate)` writes, repeated as the view does.
template <typename T, typename Write>
MovedValues<T> moved_entries(const Inverse& by, const char* what, Write write) {
    MovedValues<T> moved;
    write([&](index_t count) {
        moved = {allocate_uninitialized_buffer<index_t>(count),
                 allocate_uninitialized_buffer<T>(count)};
        return EntryPlaces{data_of(moved.indexes), data_of(moved.values)};
    });
    if (!by.repetition) return moved;
    return repeated_values<T>(
        *by.repetition, {data_of(moved.indexes), static_cast<std::size_t>(moved.indexes->size())},
        0, data_of(moved.values), what);
}

/// The values of the pairs from position `begin` on, if they are contiguous, aligned, and no bools;
/// else null.
template <typename T>
const T* values_side_by_side(const SparsePairs& pairs, index_t begin) {
    const auto* const values =
        static_cast<const std::byte*>(pairs.values.data) + begin * pairs.values.stride_bytes;
    // Any byte but 0 is true, and has to be converted to 1.
    if (std::same_as<T, bool> || pairs.values.stride_bytes != static_cast<index_t>(sizeof(T)) ||
        reinterpret_cast<std::uintptr_t>(values) % alignof(T) != 0)
        return nullptr;
    return reinterpret_cast<const T*>(values);
}

template <typename T>
MovedValues<T> moved_rows(const SparsePairs& pairs, const EntryRanges& rows) {
    const index_t count = rows.count();
    MovedValues<T> moved{allocate_uninitialized_buffer<index_t>(count),
                         allocate_uninitialized_buffer<T>(count)};
    rows.write_indexes(pairs, data_of(moved.indexes));
    T* const elements = data_of(moved.values);
    if (const T* const values = values_side_by_side<T>(pairs, 0)) {
        rows.write_values(reinterpret_cast<const std::byte*>(values), sizeof(T),
                          reinterpret_cast<std::byte*>(elements));
    } else {
        std::vector<index_t> positions(static_cast<std::size_t>(count));
        rows.write_positions(positions.data());
        const auto* const any = static_cast<const std::byte*>(pairs.values.data);
        std::ranges::transform(positions, elements, [&](index_t p) {
            return load_element<T>(any + p * pairs.values.stride_bytes);
        });
    }
    return moved;
}

} // namespace

MovedEntries move_entries(const SparsePairs& pairs, const Dimensions& view, const char* what) {
    const PairsInView seen(pairs, view);
    MovedEntries moved;
    if (seen.count() == 0) return moved;
    if (seen.only_shifts) {
        moved.first = seen.begin;
        moved.indexes = seen.reduced.base() + pairs.offset == 0
                            ? IndexSpan{seen.indexes_of(pairs), nullptr}
                            : taken(shifted_indexes(pairs, seen), seen.count());
        return moved;
    }
    Inverse by(seen, what);
    if (by.takes_rows()) {
        const EntryRanges rows = by.rows(pairs, seen, what);
        const index_t count = rows.count();
        BufferPtr<index_t> indexes = allocate_uninitialized_buffer<index_t>(count);
        BufferPtr<index_t> positions = allocate_uninitialized_buffer<index_t>(count);
        rows.write_indexes(pairs, data_of(indexes));
        rows.write_positions(data_of(positions));
        moved.indexes = taken(std::move(indexes), count);
        moved.positions = taken(std::move(positions), count);
        return moved;
    }
    MovedValues<index_t> found = moved_entries<index_t>(by, what, [&](AllocateEntries allocate) {
        write_entries<std::uint64_t>(
            pairs, seen, by, what, [](index_t p) { return static_cast<std::uint64_t>(p); },
            allocate);
    });
    const index_t count = found.indexes->size();
    moved.indexes = taken(std::move(found.indexes), count);
    moved.positions = taken(std::move(found.values), count);
    return moved;
}

template <typename T>
MovedValues<T> move_values(const SparsePairs& pairs, const Dimensions& view, const char* what) {
    const PairsInView seen(pairs, view);
    if (seen.count() == 0 || seen.only_shifts) {
        MovedValues<T> moved{shifted_indexes(pairs, seen),
                             allocate_uninitialized_buffer<T>(seen.count())};
        T* const elements = data_of(moved.values);
        const auto* const values = static_cast<const std::byte*>(pairs.values.data) +
                                   seen.begin * pairs.values.stride_bytes;
        for (index_t i = 0; i < seen.count(); ++i)
            elements[i] = load_element<T>(values + i * pairs.values.stride_bytes);
        return moved;
    }
    Inverse by(seen, what);
    if (by.takes_rows()) return moved_rows<T>(pairs, by.rows(pairs, seen, what));
    if (by.repetition && by.digits.only_shifts())
        if (const T* const values = values_side_by_side<T>(pairs, seen.begin))
            return repeated_values(*by.repetition, seen.indexes_of(pairs),
                                   by.digits.lowest() + pairs.offset, values, what);
    // Any byte but 0 is true.
    using Bits = std::conditional_t<std::same_as<T, bool>, bool, BitsOf<T>>;
    return moved_entries<T>(by, what, [&](AllocateEntries allocate) {
        write_values<Bits>(pairs, seen, by, what, allocate);
    });
}

const char* describe_moves(const SparsePairs& pairs, const Dimensions& view) {
    const PairsInView seen(pairs, view);
    if (view.size() == 0 || seen.only_shifts) return "those in the view are copied as they are";
    const Inverse by(seen, "explain");
    if (by.searches_elements) return "each element of the view is searched for";
    if (by.takes_rows()) return "rows are found by a search, and copied as a whole";
    if (by.divides) return "indexes are computed by divisions";
    return by.listed ? "indexes are looked up in the lists"
                     : "each is searched for in the layers of the view";
}

#define PURVIEW_DEFINE_MOVE_VALUES(T) \
 template MovedValues<T> move_values(const SparsePairs&, const Dimensions&, const char*);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_MOVE_VALUES)
#undef PURVIEW_DEFINE_MOVE_VALUES

} // namespace purview::engine
