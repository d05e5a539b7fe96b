#include "engine/loops/padded_states.hpp"

#include "engine/loops/tiling.hpp"
#include "evaluation/loops/placed_states.hpp"
#include "expression/stored_leaf.hpp"

#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Copies a few elements: most often one.
void copy_some(std::byte* to, const std::byte* from, index_t count, index_t element_bytes) {
    if (count == 1 && element_bytes == 8)
        std::memcpy(to, from, 8);
    else if (count == 1 && element_bytes == 4)
        std::memcpy(to, from, 4);
    else
        std::memcpy(to, from, static_cast<std::size_t>(count * element_bytes));
}

} // namespace

PaddedStates::PaddedStates(const LoopRule& rule, const StateChains& chains, const StepBoxes& boxes)
    : chains_(chains),
      margins_(boxes.margins),
      strides_(to_shape(margins_.memory().strides())),
      places_(rule.states + rule.inputs + rule.outputs()) {
    const auto add = [&](std::size_t number, DType dtype, std::size_t count) {
        element_bytes_.push_back(dtype.size_bytes());
        for (std::size_t p = 0; p < count; ++p) places_[number].push_back(new_memory(dtype));
    };
    for (std::size_t i = 0; i < rule.states; ++i) {
        const bool is_overwritten = chains.is_computed(i) && may_overwrite(chains, boxes, i);
        add(i, rule.step->placeholders[i]->dtype(),
            chains.is_computed(i) ? chains.length(i) + (is_overwritten ? 0 : 1) : 0);
    }
    for (std::size_t i = rule.states; i < rule.states + rule.inputs; ++i)
        add(i, rule.step->placeholders[i]->dtype(), boxes.are_inputs_padded[i] ? 1 : 0);
    for (std::size_t i = rule.states; i < rule.step->outputs.size(); ++i)
        add(rule.inputs + i, rule.step->outputs[i].dtype(), boxes.are_outputs_padded[i] ? 1 : 0);
}

PaddedStates::Memory PaddedStates::new_memory(DType dtype) const {
    Operand all = new_stored_memory(kLoop, dtype, margins_.memory(), /*initialized=*/false);
    std::byte* const first = line_of(all);
    return {std::move(all), first};
}

std::byte* PaddedStates::after(std::size_t state, index_t taken) const {
    const std::size_t head = chains_.head(state);
    const std::vector<Memory>& places = places_[head];
    const auto lag = static_cast<index_t>(chains_.lag(state));
    const index_t count = std::ssize(places);
    return places[static_cast<std::size_t>((taken - lag + count) % count)].first;
}

/// Calls `f(at, line, count)` for lines of the last axis: their first element in memory, and in row-major order, and how
/// many there are.
template <typename F>
void PaddedStates::for_each_line(Interval rows, Interval columns, const F& f) const {
    const std::size_t last = margins_.shape.size() - 1;
    Shape begin(last + 1, 0), end = margins_.shape;
    begin[0] = rows.begin;
    end[0] = rows.end;
    if (last > 0) {
        begin[1] = columns.begin;
        end[1] = columns.end;
    }
    for (std::size_t a = 0; a <= last; ++a)
        if (begin[a] >= end[a]) return;
    const Dimensions plain = Dimensions::row_major(margins_.shape);
    Shape at = begin;
    for (;;) {
        index_t line = 0;
        for (std::size_t a = 0; a <= last; ++a) line += at[a] * plain.strides()[a];
        f(margins_.address(at), line, end[last] - begin[last]);
        std::size_t a = last;
        for (; a > 0; --a) {
            if (++at[a - 1] < end[a - 1]) break;
            at[a - 1] = begin[a - 1];
        }
        if (a == 0) return;
    }
}

void PaddedStates::copy_in(std::byte* memory, index_t bytes, const std::byte* from, Interval rows,
                           Interval columns) const {
    for_each_line(rows, columns, [&](index_t at, index_t line, index_t count) {
        std::memcpy(memory + at * bytes, from + line * bytes,
                    static_cast<std::size_t>(count * bytes));
    });
}

void PaddedStates::copy_out(const std::byte* memory, index_t bytes, std::byte* to, Interval rows,
                            Interval columns) const {
    for_each_line(rows, columns, [&](index_t at, index_t line, index_t count) {
        std::memcpy(to + line * bytes, memory + at * bytes,
                    static_cast<std::size_t>(count * bytes));
    });
}

void PaddedStates::copy_in(std::size_t state, index_t taken, const std::byte* from, Interval rows,
                           Interval columns) const {
    copy_in(after(state, taken), element_bytes_[state], from, rows, columns);
}
void PaddedStates::copy_out(std::size_t state, index_t taken, std::byte* to, Interval rows,
                            Interval columns) const {
    copy_out(after(state, taken), element_bytes_[state], to, rows, columns);
}
void PaddedStates::copy_in(std::size_t number, const std::byte* from) const {
    copy_in(row(number), element_bytes_[number], from, all_rows(), all_columns());
}
void PaddedStates::copy_out(std::size_t number, std::byte* to) const {
    copy_out(row(number), element_bytes_[number], to, all_rows(), all_columns());
}

void PaddedStates::fill_last(std::size_t state, index_t taken, Interval rows,
                             Interval columns) const {
    const std::size_t last = margins_.shape.size() - 1;
    const index_t reach = margins_.reach[last];
    if (reach == 0) return;
    std::byte* const memory = after(state, taken);
    const index_t bytes = element_bytes_[state];
    const index_t extent = margins_.shape[last];
    // What was computed of lines, if these are the columns.
    const Interval all{0, extent};
    const Interval computed = last == 1 ? columns : last == 0 ? rows : all;
    const Interval low{std::max<index_t>(computed.begin, 0), std::min(computed.end, reach)};
    const Interval high{std::max(computed.begin, extent - reach), std::min(computed.end, extent)};
    const Interval first{0, 1};
    for_each_line(last == 0 ? first : rows, last == 1 ? first : columns,
                  [&](index_t at, index_t, index_t) {
                      std::byte* const line = memory + at * bytes;
                      if (low.begin < low.end)
                          copy_some(line + (extent + low.begin) * bytes, line + low.begin * bytes,
                                    low.end - low.begin, bytes);
                      if (high.begin < high.end)
                          copy_some(line + (high.begin - extent) * bytes, line + high.begin * bytes,
                                    high.end - high.begin, bytes);
                  });
}

void PaddedStates::fill(std::size_t number, std::byte* memory) const {
    const index_t bytes = element_bytes_[number];
    // Axis by axis, from the last one on: the corners are those of margins that are filled already.
    for (std::size_t a = margins_.shape.size(); a-- > 0;) {
        const index_t reach = margins_.reach[a];
        if (reach == 0) continue;
        const index_t extent = margins_.shape[a];
        const index_t count = reach * strides_[a]; // with the margins of the axes behind
        index_t slabs = 1;
        for (std::size_t b = 0; b < a; ++b) slabs *= margins_.extents[b];
        const index_t slab = strides_[a] * margins_.extents[a];
        for (index_t i = 0; i < slabs; ++i) {
            std::byte* const first = memory + (i * slab + margins_.before[a] * strides_[a]) * bytes;
            copy_some(first + extent * strides_[a] * bytes, first, count, bytes);
            copy_some(first - count * bytes, first + (extent - reach) * strides_[a] * bytes, count,
                      bytes);
        }
    }
}

} // namespace purview::engine
