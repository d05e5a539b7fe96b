#include "engine/sparse/gather.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/masks.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/pairs/entry_ranges.hpp"
#include "engine/pairs/moved_entries.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/places/gathered_places.hpp"

#include <libdivide.h>

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::size_t kNoAxis = GatherAxesPlan::kNone;

/// Neighbouring axes of the source that are read in the same way: one digit of an entry's index.
struct GatheredDigit {
    index_t extent;
    GatherAxesPlan::Read read; ///< here, `twin` is the number of a digit
    std::optional<libdivide::divider<std::uint64_t>> divider;

    bool is_free() const noexcept { return read.group == kNoAxis && read.twin == kNoAxis; }
};

/// The axes of the source, without those of size 1, as digits.
std::vector<GatheredDigit> digits_of(const GatherAxesPlan& plan, ShapeSpan source) {
    std::vector<GatheredDigit> digits;
    std::vector<std::size_t> digit_of(source.size(), kNoAxis);
    const auto is_twin = [&](std::size_t axis) {
        return std::ranges::any_of(
            plan.reads(), [&](const GatherAxesPlan::Read& read) { return read.twin == axis; });
    };
    std::size_t last = kNoAxis; // axis
    for (std::size_t axis = 0; axis < source.size(); ++axis) {
        if (source[axis] == 1) continue;
        GatherAxesPlan::Read read = plan.reads()[axis];
        const bool follows =
            last != kNoAxis && digits.back().read.group == read.group &&
            digits.back().read.stride == read.stride * source[axis] &&
            (read.group != kNoAxis ||
             (digits.back().is_free() && read.twin == kNoAxis && !is_twin(last) && !is_twin(axis)));
        last = axis;
        if (follows) {
            digits.back().extent *= source[axis];
            digits.back().read.stride = read.stride;
            continue;
        }
        if (read.twin != kNoAxis) read.twin = digit_of[read.twin];
        digit_of[axis] = digits.size();
        digits.push_back({source[axis], read, std::nullopt});
    }
    for (GatheredDigit& digit : digits)
        if (digit.extent > 1) digit.divider.emplace(static_cast<std::uint64_t>(digit.extent));
    return digits;
}

/// Joins the entries of a source with the indexes of a gather to the entries of the result.
class GatherJoin {
public:
    GatherJoin(const GatherAxesPlan& plan, const SparsePairs& source, ShapeSpan shape,
               const AddressRange& asked, const std::vector<Dimensions>& views, const char* what)
        : plan_(plan),
          source_(source),
          asked_(asked),
          what_(what),
          digits_(digits_of(plan, shape)),
          coordinates_(digits_.size()) {
        for (std::size_t g = 0; g < plan.groups().size(); ++g) {
            groups_.push_back({plan.keys_of(g, asked, views, what)});
            for (const std::size_t axis : plan.groups()[g].axes)
                groups_.back().places *= plan.node().shape()[axis];
        }
    }

    OwnPairs run() {
        OwnPairs own;
        own.fill = default_element(dtype());
        dtype().descriptor().copy(source_.fill, own.fill->data(), 1);
        if (source_.stored() == 0)
            take_values(own, {make_indexes(own, 0), 0});
        else if (takes_rows())
            take_rows(own);
        else
            take_elements(own);
        return own;
    }

private:
    /// A group of linked axes, and the range of its places that have the current key.
    struct Group {
        KeyedPlaces keys;
        index_t places = 1; ///< number of places in the result
        index_t begin = 0;
        index_t end = 0;
        index_t key = -1; ///< the key of the places [begin, end)
        index_t next = 0; ///< the key of an entry, while it is put together
    };

    DType dtype() const noexcept { return plan_.node().dtype(); }
    index_t index(index_t position) const noexcept {
        return source_.indexes[static_cast<std::size_t>(position)] - source_.offset;
    }
    index_t position_of(index_t index, index_t from) const noexcept {
        return sparse_position(source_.indexes, index + source_.offset, from);
    }

    // --- rows of the source ----------------------------------------------------------------------

    /// Whether the first digit alone is the key of its group, so that entries come in the order of
    /// keys: the entries of one key are a row.
    bool has_rows() const {
        return !digits_.empty() && digits_[0].read.group != kNoAxis &&
               std::ranges::count(digits_, digits_[0].read.group,
                                  [](const GatheredDigit& digit) { return digit.read.group; }) == 1;
    }
    /// The number of elements of a row: the extent of all digits but the first.
    index_t width() const {
        index_t width = 1;
        for (std::size_t d = 1; d < digits_.size(); ++d) width *= digits_[d].extent;
        return width;
    }
    /// Calls `f(row, begin, end)` for each row that has entries and is read, with the positions of
    /// these entries, after setting the places of its group. Entries and keys are skipped by steps
    /// that double (a galloping search).
    template <typename F>
    void each_row(F&& f) {
        Group& group = groups_[digits_[0].read.group];
        const index_t width = this->width();
        const libdivide::divider<std::uint64_t> divider(static_cast<std::uint64_t>(width));
        const index_t stored = source_.stored();
        index_t k = 0;
        for (index_t p = 0; p < stored;) {
            const auto row = static_cast<index_t>(static_cast<std::uint64_t>(index(p)) / divider);
            k = group.keys.first_from(row, k);
            if (k == group.keys.count()) return;
            if (const index_t next = group.keys.key(k); next != row) {
                p = position_of(next * width, p);
                continue;
            }
            const index_t end = position_of((row + 1) * width, p);
            group.begin = k;
            group.end = k = group.keys.first_from(row + 1, k);
            f(row, p, end);
            p = end;
        }
    }

    /// Whether the result consists of whole rows of the source, one after the other.
    bool takes_rows() const {
        return has_rows() && groups_.size() == 1 &&
               (digits_.size() == 1 ||
                (digits_.size() == 2 && digits_[1].is_free() && digits_[1].read.stride == 1)) &&
               groups_[0].places * width() == element_count(plan_.node().shape());
    }

    void take_rows(OwnPairs& own) {
        const index_t width = this->width();
        EntryRanges rows(what_);
        each_row([&](index_t row, index_t begin, index_t end) {
            const Group& group = groups_[0];
            for (index_t k = group.begin; k < group.end; ++k) {
                const index_t place = group.keys.place(k);
                rows.add(place, {begin, end, place - row * width - source_.offset});
            }
        });
        rows.put_in_order();
        rows.write_indexes(source_, make_indexes(own, rows.count()));
        if (dtype().is_builtin() && dtype() != boolean &&
            source_.values.stride_bytes == dtype().size_bytes()) {
            auto elements = std::make_unique<ElementBlock>(dtype(), rows.count());
            rows.write_values(static_cast<const std::byte*>(source_.values.data),
                              static_cast<std::size_t>(dtype().size_bytes()),
                              static_cast<std::byte*>(elements->data()));
            own.values =
                std::make_shared<CompactReader>(dtype(), rows.count(), std::move(elements));
            return;
        }
        std::vector<index_t> positions(static_cast<std::size_t>(rows.count()));
        rows.write_positions(positions.data());
        take_values(own, positions);
    }

    // --- single elements -------------------------------------------------------------------------

    void take_elements(OwnPairs& own) {
        Entries entries(has_rows() ? 0 : source_.stored(), what_);
        entries_ = &entries;
        if (has_rows()) {
            const index_t width = this->width();
            each_row([&](index_t row, index_t begin, index_t end) {
                for (index_t p = begin; p < end; ++p) visit(p, index(p) - row * width, 1);
            });
        } else {
            for (index_t p = 0; p < source_.stored(); ++p) visit(p, index(p), 0);
        }
        const index_t count = entries.count();
        index_t* const indexes = make_indexes(own, count);
        const index_t run = plan_.ordered_run();
        if (!dtype().is_builtin()) {
            std::vector<index_t> positions(static_cast<std::size_t>(count));
            sort_entries(entries, run, indexes, reinterpret_cast<std::byte*>(positions.data()),
                         sizeof(index_t));
            return take_values(own, positions);
        }
        // Values are the payloads, so that they are sorted with the indexes.
        auto elements = std::make_unique<ElementBlock>(dtype(), count);
        visit_dtype(dtype(), what_, [&]<typename T>(std::type_identity<T>) {
            using Bits = std::conditional_t<std::same_as<T, bool>, bool, BitsOf<T>>;
            const auto* const values = static_cast<const std::byte*>(source_.values.data);
            for (Entry& entry : entries.all())
                entry.payload = static_cast<std::uint64_t>(load_element<Bits>(
                    values + static_cast<index_t>(entry.payload) * source_.values.stride_bytes));
        });
        sort_entries(entries, run, indexes, static_cast<std::byte*>(elements->data()),
                     static_cast<int>(dtype().size_bytes()));
        own.values = std::make_shared<CompactReader>(dtype(), count, std::move(elements));
    }

    /// Adds the entry at a position of the source. `rest` is the part of its index that holds the
    /// coordinates of the digits from `first` on.
    void visit(index_t position, index_t rest, std::size_t first) {
        for (std::size_t d = digits_.size(); d-- > first;) {
            if (d == first) {
                coordinates_[d] = rest;
                continue;
            }
            const auto quotient =
                static_cast<index_t>(static_cast<std::uint64_t>(rest) / *digits_[d].divider);
            coordinates_[d] = rest - quotient * digits_[d].extent;
            rest = quotient;
        }
        for (Group& group : groups_) group.next = 0;
        index_t index = 0;
        for (std::size_t d = first; d < digits_.size(); ++d) {
            const GatherAxesPlan::Read& read = digits_[d].read;
            if (read.twin != kNoAxis) {
                if (coordinates_[d] != coordinates_[read.twin]) return;
            } else {
                (read.group == kNoAxis ? index : groups_[read.group].next) +=
                    coordinates_[d] * read.stride;
            }
        }
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if ((first == 0 || g != digits_[0].read.group) && !find(groups_[g])) return;
        add(position, index, 0);
    }

    static bool find(Group& group) {
        if (group.next != group.key) { // else the previous entry had the same key
            group.key = group.next;
            group.begin = group.end = group.keys.find(group.key);
            while (group.end < group.keys.count() && group.keys.key(group.end) == group.key)
                ++group.end;
        }
        return group.begin < group.end;
    }

    /// The greatest offset in the result that the repeating axes behind number `repeated` make.
    index_t greatest_offset_after(std::size_t repeated) const {
        index_t reach = 0;
        for (std::size_t r = repeated + 1; r < plan_.repeated().size(); ++r) {
            const std::size_t axis = plan_.repeated()[r];
            reach += (plan_.node().shape()[axis] - 1) * plan_.strides()[axis];
        }
        return reach;
    }

    /// Adds an entry at all indexes that the places of its groups and the axes that repeat it give,
    /// from number `level` on.
    void add(index_t position, index_t index, std::size_t level) {
        if (level < groups_.size()) {
            const Group& group = groups_[level];
            for (index_t k = group.begin; k < group.end; ++k)
                add(position, index + group.keys.place(k), level + 1);
        } else if (const std::size_t repeated = level - groups_.size();
                   repeated < plan_.repeated().size()) {
            // Only the coordinates from which an index in `asked_` can be reached.
            const std::size_t axis = plan_.repeated()[repeated];
            const index_t stride = plan_.strides()[axis];
            const index_t extent = plan_.node().shape()[axis];
            const index_t low = asked_.lowest - index - greatest_offset_after(repeated);
            if (asked_.highest < index) return;
            const index_t end = std::min(extent, (asked_.highest - index) / stride + 1);
            for (index_t g = low <= 0 ? 0 : (low + stride - 1) / stride; g < end; ++g)
                add(position, index + g * stride, level + 1);
        } else if (index >= asked_.lowest && index <= asked_.highest) {
            entries_->add(index, static_cast<std::uint64_t>(position));
        }
    }

    // --- the result ------------------------------------------------------------------------------

    static index_t* make_indexes(OwnPairs& own, index_t count) {
        own.indexes = taken(allocate_uninitialized_buffer<index_t>(count), count);
        return data_of(own.indexes.own);
    }
    void take_values(OwnPairs& own, std::span<const index_t> positions) const {
        auto elements = std::make_unique<ElementBlock>(dtype(), std::ssize(positions));
        gather_pairs(dtype(), source_, positions, elements->data());
        own.values =
            std::make_shared<CompactReader>(dtype(), std::ssize(positions), std::move(elements));
    }

    const GatherAxesPlan& plan_;
    const SparsePairs& source_;
    const AddressRange& asked_;
    const char* what_;
    std::vector<GatheredDigit> digits_;
    std::vector<index_t> coordinates_; ///< of an entry, by digit
    std::vector<Group> groups_;
    Entries* entries_ = nullptr;
};

/// What a view of pairs shows.
OwnPairs moved_pairs(DType dtype, const SparsePairs& source, const Dimensions& view,
                     const char* what) {
    OwnPairs own;
    own.fill = default_element(dtype);
    dtype.descriptor().copy(source.fill, own.fill->data(), 1);
    visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        MovedValues<T> moved = move_values<T>(source, view, what);
        const index_t count = moved.indexes->size();
        own.indexes = taken(std::move(moved.indexes), count);
        own.values = std::move(moved.values);
    });
    return own;
}

} // namespace

OwnPairs gathered_pairs(const Gather& node, const SparsePairs& source, const AddressRange& asked,
                        const std::vector<Dimensions>& views, const char* what) {
    const Operand unrepeated_source = unrepeated(node.source());
    const GatherAxesPlan plan(node, unrepeated_source.dims.max_shape());
    if (node.dtype().is_builtin() && asked.lowest == 0 &&
        asked.highest == element_count(node.shape()) - 1)
        if (const std::optional<Dimensions> view = plan.as_view())
            return moved_pairs(node.dtype(), source, *view, what);
    return GatherJoin(plan, source, unrepeated_source.dims.max_shape(), asked, views, what).run();
}

} // namespace purview::engine
