#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace purview::inline v0_1::engine {

/// The ways in which work is done. Which one it is, is decided before an element is read; `explain`
/// tells it. Those up to `prepared` can be forbidden; the others can do everything.
enum class Way : std::uint8_t {
    // Of reductions:
    flat,          ///< element-wise operations over memory in order, to one result
    product,       ///< a sum of products: by BLAS, by small kernels, pair by pair
    gathered_rows, ///< rows are added as they are gathered
    windows,       ///< the elements of a window are operands of one expression
    line_windows,  ///< lines of windows are folded first, then windows of these
    outer_axes,    ///< few elements of outer axes are operands of one expression
    last_axis,     ///< few elements of the last axis are
    rows,          ///< rows are added to rows
    cells,         ///< blocks are computed, and their cells folded
    // Of assignments:
    copied,      ///< memory to memory
    elementwise, ///< operations over memory in order, stored one after the other
    boxes,       ///< computed box by box, in which no axis wraps round
    // Of sorts:
    network, ///< short parts side by side
    // Of reductions and assignments:
    chunks, ///< cell by cell, in which what is read of arrays of chunks lies in memory
    // Of stages of computations:
    // Of loops in computations:
    time_tiles, ///< several steps for each time that memory is read
    prepared,   ///< as planned for an earlier call, at the addresses and numbers of this one

    groups,    ///< a reduction: the elements of one result, then those of the next
    stored,    ///< what sparse operands store alone, and the fills at once
    complex,   ///< a reduction by the kernels of complex numbers
    computed,  ///< an assignment: into strided memory
    in_order,  ///< into memory, one element after the other
    temporary, ///< into memory of its own first, as source and destination overlap
    written,   ///< in blocks, which the destination's writer stores
    lanes,     ///< a scan: one lane after the other
    columns,   ///< a scan: rows are combined with rows
    digits,    ///< a sort: by counts of digits, or of small integers
    scattered  ///< to the places that indexes say, one after the other
};

/// A set of ways.
class Ways {
public:
    constexpr Ways() noexcept = default;
    constexpr Ways(std::initializer_list<Way> ways) noexcept {
        for (const Way way : ways) bits_ |= bit(way);
    }
    static constexpr Ways all() noexcept {
        Ways ways;
        ways.bits_ = (bit(Way::scattered) << 1) - 1;
        return ways;
    }
    /// Those that cannot be forbidden.
    static constexpr Ways plain() noexcept {
        Ways ways = all();
        ways.bits_ &= ~(bit(Way::groups) - 1);
        return ways;
    }
    /// Those that a text names, as PURVIEW_WAYS does, and the plain ones: "plain" (these alone),
    /// "rows,cells", "-product,-windows" (all but these). Throws `Error` naming a word that is none.
    static Ways parse(std::string_view text);

    constexpr bool has(Way way) const noexcept { return (bits_ & bit(way)) != 0; }
    constexpr Ways with(Way way) const noexcept {
        Ways more = *this;
        more.bits_ |= bit(way);
        return more;
    }
    constexpr Ways with(Ways others) const noexcept {
        Ways more = *this;
        more.bits_ |= others.bits_;
        return more;
    }
    constexpr Ways without(Way way) const noexcept {
        Ways fewer = *this;
        fewer.bits_ &= ~bit(way);
        return fewer;
    }
    friend constexpr bool operator==(Ways, Ways) noexcept = default;

private:
    static constexpr std::uint32_t bit(Way way) noexcept {
        return std::uint32_t{1} << static_cast<std::uint32_t>(way);
    }

    std::uint32_t bits_ = 0;
};

/// The ways that work may take: all, but for what the variable PURVIEW_WAYS of the environment says
/// when the first work is done.
Ways allowed_ways();
/// For tests. The plain ways are always allowed.
void set_ways(Ways ways);

/// In builds with assertions, the ways that work on this thread has taken since the set was
/// last emptied; empty in others.
Ways& ways_taken() noexcept;
inline void count_way([[maybe_unused]] Way way) noexcept {
#ifndef NDEBUG
    ways_taken() = ways_taken().with(way);
#endif
}

/// The same where the way has used others for its parts: `before` was the set when it began.
inline void count_way_alone([[maybe_unused]] Ways before, [[maybe_unused]] Way way) noexcept {
#ifndef NDEBUG
    ways_taken() = before.with(way);
#endif
}

} // namespace purview::engine
