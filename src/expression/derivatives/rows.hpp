#pragma once

#include <purview/dimensions/select.hpp>
#include <purview/expression/loop.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1::derivatives {

// Rows of inputs and outputs of a loop, one for each step, along a first axis. Derivatives have that axis behind
// their leading ones outside of the loop.

/// [leading…, rows, …] as [rows, leading…, …], and back.
Operand rows_first(Operand x, std::size_t lead);
Operand rows_behind(Operand x, std::size_t lead);

/// A row of each, and some rows of each.
std::vector<Operand> each_row(std::span<const Operand> all, index_t row);
std::vector<Operand> each_range(std::span<const Operand> all, const Range& rows);
/// Rows, and others behind them.
Operand rows_and(const Operand& rows, const Operand& more);

/// How many segments are needed for so many steps, and how many steps each of them has.
Operand segments_taken(const Operand& count, index_t length);
Operand steps_of_segments(const Operand& count, index_t segments, index_t length);

/// Rows as `segments` of `length` rows, with zeros behind the last; and the first `rows` of these.
Operand segments_of(const Operand& rows, index_t segments, index_t length);
Operand steps_of(Operand segments, index_t rows);

/// Brings rows to the order of the steps, which take the last one first where a loop goes backwards, and back.
class RowOrder {
public:
    explicit RowOrder(const Loop& loop) : loop_(loop) {}
    Operand of_steps(const Operand& rows) const { return turned(rows); }
    Operand of_rows(const Operand& steps) const { return turned(steps); }

private:
    Operand turned(const Operand& rows) const;

    const Loop& loop_;
};

} // namespace purview::derivatives
