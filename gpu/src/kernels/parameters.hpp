#pragma once

#include "lowered.hpp"

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::gpu::detail {

/// d's multiplier and shift: n / d = (mulhi(n, multiplier) + n) >> shift for n < 2^31 (Granlund and
/// Montgomery, "Division by Invariant Integers using Multiplication", 1994, fig. 4.1).
struct Magic {
    std::uint32_t multiplier;
    std::uint32_t shift;
};
constexpr Magic magic_of(index_t d) noexcept {
    if (d < 1) return {0, 0};
    std::uint32_t shift = 0;
    const auto n = static_cast<std::uint64_t>(d);
    while (shift < 32 && (std::uint64_t{1} << shift) < n) ++shift;
    const std::uint64_t m = (std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - n) / n + 1;
    return {static_cast<std::uint32_t>(m), shift};
}

/// Elements along the last axis that a group of a kernel of form `linear` or `rows` computes.
constexpr index_t segment_of(const Lowered& x) noexcept {
    return index_t{256} * x.vector * x.unroll;
}

/// What threads of several rows take, along the last axis but one.
inline index_t row_blocks_of(const Lowered& x) noexcept {
    return (x.extents[x.rank() - 2] + x.rows - 1) / x.rows;
}

/// A parameter of a kernel: its name is `letter`, then a number and perhaps another one.
struct Parameter {
    const char* type;
    char letter;
    std::uint32_t i;
    std::uint32_t j;
    std::uint64_t bits;
    std::uint32_t bytes;
    bool is_buffer;
    const IndexSequence* table; ///< not null: the buffer is a copy of that
};

inline constexpr std::uint32_t kNoNumber = UINT32_MAX;

/// How the stride of an axis is used: 0 and 1 need no parameter.
constexpr char class_of(const AxisUse& axis) noexcept {
    return axis.map >= 0 ? 'm' : axis.stride == 0 ? '0' : axis.stride == 1 ? '1' : 's';
}

/// Calls `see` with each parameter, in order: what declares them and what passes them agree. `flag`
/// is the buffer of the word that errors are told in.
template <typename F>
void each_parameter(const Lowered& x, std::uint64_t flag, F&& see) {
    const char* index = x.wide ? "i64" : "i32";
    const std::uint32_t index_bytes = x.wide ? 8 : 4;
    const auto buffer = [&](const char* type, char letter, std::size_t i, std::uint64_t handle,
                            const IndexSequence* table = nullptr) {
        see(Parameter{type, letter, static_cast<std::uint32_t>(i), kNoNumber, handle, 8, true,
                      table});
    };
    const auto number = [&](char letter, std::size_t i, index_t value, std::size_t j = kNoNumber) {
        see(Parameter{index, letter, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                      static_cast<std::uint64_t>(value), index_bytes, false, nullptr});
    };
    const auto bits = [&](const char* type, char letter, std::size_t i, std::uint64_t value,
                          std::uint32_t bytes) {
        see(Parameter{type, letter, static_cast<std::uint32_t>(i), kNoNumber, value, bytes, false,
                      nullptr});
    };
    const auto long_number = [&](char letter, std::size_t i, index_t value) {
        bits("i64", letter, i, static_cast<std::uint64_t>(value), 8);
    };

    if (x.checked) buffer("u32", 'e', 0, flag);
    long_number('n', 0, x.size);
    for (std::size_t a = 0; a < x.rank(); ++a) {
        number('x', a, x.extents[a]);
        if (x.wide || a == 0) continue;
        const Magic magic = magic_of(x.extents[a]);
        bits("u32", 'g', a, magic.multiplier, 4);
        bits("u32", 'h', a, magic.shift, 4);
    }
    if (x.form == Form::rows || x.form == Form::tiled) {
        const index_t last = x.extents.back();
        const index_t step = x.form == Form::tiled ? x.side : segment_of(x);
        bits("u32", 'z', 0, static_cast<std::uint64_t>((last + step - 1) / step), 4);
        if (x.form == Form::tiled)
            bits("u32", 'z', 1,
                 static_cast<std::uint64_t>((x.extents[x.tile_axis] + step - 1) / step), 4);
        else if (x.rows > 1)
            bits("u32", 'z', 1, static_cast<std::uint64_t>(row_blocks_of(x)), 4);
    }
    if (x.form == Form::fold) {
        const Folding& f = x.folding;
        number('G', 0, f.folded);
        number('G', 1, f.part);
        number('G', 2, f.restarts() ? f.row : f.folded);
        long_number('L', 0, f.results);
        long_number('L', 1, f.parts());
        long_number('L', 2, f.part_stride);
        bits(element_name(x.uses[0].type), 'I', 0, f.start, bytes_of(x.uses[0].type));
    }
    if (x.form == Form::scan) {
        const Scanning& s = x.scanning;
        number('N', 0, s.length);
        number('N', 1, s.inner);
        number('N', 2, s.part);
        number('N', 3, s.lanes);
        long_number('M', 0, s.parts());
        long_number('M', 1, s.units());
        bits("u32", 'M', 2, static_cast<std::uint64_t>(s.threads), 4);
        bits(element_name(x.uses[0].type), 'I', 0, s.start, bytes_of(x.uses[0].type));
        if (s.parts() > 1) buffer(element_name(x.uses[0].type), 'Q', 0, s.totals);
    }
    if (x.form == Form::softmax) {
        number('N', 0, x.softmax.length);
        number('N', 1, x.size / x.softmax.length);
    }
    const auto axis_maps = [&](const AxisUse* axes, std::size_t rank) {
        for (std::size_t a = 0; a < rank; ++a) {
            if (axes[a].map < 0) continue;
            const auto m = static_cast<std::size_t>(axes[a].map);
            const AxisMap& map = x.maps[m].map;
            if (map.period != 0) {
                long_number('P', m, map.period);
                if (!x.maps[m].wraps_once) long_number('S', m, map.step);
                long_number('F', m, map.phase);
            }
            if (map.table != nullptr) {
                buffer("i64", 'T', m, 0, map.table.get());
                long_number('A', m, map.scale);
                long_number('O', m, map.offset);
            }
        }
    };
    for (std::size_t u = 0; u < x.uses.size(); ++u) {
        const Use& use = x.uses[u];
        if (use.source == Use::buffer) {
            buffer(element_name(use.type), 'p', u, use.place.handle);
        } else {
            bits(value_name(use.type), 'C', u, use.first, bytes_of(use.type));
            bits(value_name(use.type), 'D', u, use.step, bytes_of(use.type));
        }
        number('b', u, use.outer.base);
        const AxisUse* axes = x.axes.data() + use.outer.first_axis;
        for (std::size_t a = 0; a < use.outer.rank; ++a)
            if (class_of(axes[a]) >= 'm') number('s', u, axes[a].stride, a);
        axis_maps(axes, use.outer.rank);
        for (std::size_t l = use.first_inner; l < use.first_inner + use.inner_layers; ++l) {
            const LayerUse& layer = x.layers[l];
            long_number('B', l, layer.base);
            for (std::size_t a = layer.first_axis; a < layer.first_axis + layer.rank; ++a) {
                long_number('E', a, x.axes[a].extent);
                long_number('R', a, x.axes[a].stride);
            }
            axis_maps(x.axes.data() + layer.first_axis, layer.rank);
        }
    }
    for (std::size_t k = 0; k < x.numbers.size(); ++k) long_number('y', k, x.numbers[k]);
    for (std::size_t k = 0; k < x.constants.size(); ++k)
        bits(element_name(x.constant_types[k]), 'K', k, x.constants[k],
             bytes_of(x.constant_types[k]));
}

} // namespace purview::gpu::detail
