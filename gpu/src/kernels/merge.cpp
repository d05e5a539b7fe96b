// Defines kernels/lowered.hpp.
#include "fold_order.hpp"
#include "lowered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr index_t kNarrow = (index_t{1} << 31) - 65536;
constexpr index_t kSmall =
    index_t{1} << 18; ///< elements below which more threads are better than more work for each

constexpr index_t size_of_stride(index_t stride) noexcept { return stride < 0 ? -stride : stride; }

class Merging {
public:
    explicit Merging(Lowered& x) : x_(x) {}

    void run(bool keep_order) {
        if (!keep_order) order();
        std::size_t to = 0; // axes [0, to) are done
        for (std::size_t a = 0; a < x_.rank(); ++a) {
            if (x_.extents[a] == 1) {
                each([&](Use& use, AxisUse* axes) {
                    const AxisUse& axis = axes[a];
                    use.outer.base += axis.map < 0 ? 0 : axis.stride * map(axis)(0);
                });
                continue;
            }
            if (to > 0 && joins(to - 1, a)) {
                each([&](Use&, AxisUse* axes) { axes[to - 1].stride = axes[a].stride; });
                x_.extents[to - 1] *= x_.extents[a];
                continue;
            }
            each([&](Use&, AxisUse* axes) { axes[to] = axes[a]; });
            x_.extents[to++] = x_.extents[a];
        }
        if (to == 0 && !x_.extents.empty()) { // one element
            each([&](Use&, AxisUse* axes) { axes[0] = {1, 0, -1}; });
            x_.extents[to++] = 1;
        }
        x_.extents.resize(to);
        each([&](Use& use, AxisUse* axes) {
            use.outer.rank = static_cast<std::uint32_t>(to);
            for (std::size_t a = 0; a < to; ++a) axes[a].extent = x_.extents[a];
        });
    }

private:
    const AxisMap& map(const AxisUse& axis) const {
        return x_.maps[static_cast<std::size_t>(axis.map)].map;
    }
    template <typename F>
    void each(F&& f) {
        for (Use& use : x_.uses)
            if (use.frame == 0) f(use, x_.axes.data() + use.outer.first_axis);
    }
    bool joins(std::size_t a, std::size_t b) {
        bool all = true;
        each([&](Use&, AxisUse* axes) {
            all &= axes[a].map < 0 && axes[b].map < 0 &&
                   axes[a].stride == axes[b].stride * x_.extents[b];
        });
        return all;
    }
    /// Sorts the axes so that the destination's strides fall.
    void order() {
        const AxisUse* to = x_.axes.data() + x_.uses[0].outer.first_axis;
        const auto key = [&](std::size_t a) {
            return x_.extents[a] == 1 ? kNarrow * kNarrow : size_of_stride(to[a].stride);
        };
        bool sorted = true;
        for (std::size_t a = 1; a < x_.rank(); ++a) sorted &= key(a - 1) >= key(a);
        if (sorted) return;
        InlineVector<std::size_t, 8> by(x_.rank());
        std::iota(by.begin(), by.end(), std::size_t{0});
        std::sort(by.begin(), by.end(), [&](auto a, auto b) { // stable: by number where equal
            return key(a) != key(b) ? key(a) > key(b) : a < b;
        });
        const auto permute = [&](auto* first) {
            const std::vector old(first, first + x_.rank());
            for (std::size_t a = 0; a < x_.rank(); ++a) first[a] = old[by[a]];
        };
        permute(x_.extents.data());
        each([&](Use&, AxisUse* axes) { permute(axes); });
    }

    Lowered& x_;
};

bool is_wide(const Lowered& x) {
    bool wide = x.size >= kNarrow;
    for (const Use& use : x.uses) {
        if (use.source == Use::buffer)
            wide |= static_cast<index_t>(use.place.bytes / bytes_of(use.type)) >= kNarrow;
        wide |= size_of_stride(use.outer.base) >= kNarrow;
        for (std::size_t a = 0; a < use.outer.rank; ++a) {
            const AxisUse& axis = x.axis(use, a);
            wide |= size_of_stride(axis.stride) > kNarrow / std::max<index_t>(axis.extent, 1);
            if (axis.map >= 0) {
                const AxisMap& map = x.maps[static_cast<std::size_t>(axis.map)].map;
                wide |=
                    map.period >= kNarrow || (map.table != nullptr && map.table->max() >= kNarrow);
            }
        }
    }
    return wide;
}

/// The axis along which operands are contiguous that are not so along the last one; those go through
/// local memory.
void find_staged(Lowered& x) {
    const std::size_t last = x.rank() - 1;
    x.staged = 0;
    for (std::size_t u = 1; u < x.uses.size(); ++u) {
        const Use& use = x.uses[u];
        if (use.frame != 0 || x.axis(use, last).map >= 0) continue;
        if (x.axis(use, last).stride == 0 || x.axis(use, last).stride == 1) continue;
        if (std::popcount(x.staged) == 4) break; // local memory is 32 KiB at least
        for (std::size_t a = 0; a < last; ++a)
            if (x.is_line(use, a) && x.extents[a] >= 8 && (x.staged == 0 || x.tile_axis == a)) {
                x.tile_axis = static_cast<std::uint8_t>(a);
                x.staged |= std::uint64_t{1} << u;
            }
    }
    std::uint32_t widest = 1;
    for (std::size_t u = 1; u < x.uses.size(); ++u)
        if (x.staged >> u & 1) widest = std::max(widest, bytes_of(x.uses[u].type));
    x.side = widest <= 4 && std::popcount(x.staged) <= 2 ? 64 : 32;
}

/// Bytes of the widest element.
std::uint32_t widest_of(const Lowered& x) {
    std::uint32_t widest = 1;
    for (const Use& use : x.uses)
        if (use.source == Use::buffer && use.frame == 0)
            widest = std::max(widest, bytes_of(use.type));
    return widest;
}

/// Whether vectors of `v` elements along `axis` have addresses that are multiples of theirs, the first one `from` elements on.
bool is_aligned(const Lowered& x, const Use& use, std::size_t axis, index_t v, index_t from = 0) {
    const index_t bytes = (use.outer.base + from) * bytes_of(use.type) + use.place.misalignment;
    bool aligned = bytes % (v * bytes_of(use.type)) == 0;
    for (std::size_t a = 0; a < x.rank(); ++a)
        aligned &= a == axis || (x.axis(use, a).map < 0 && x.axis(use, a).stride % v == 0);
    return aligned;
}

/// How many elements a load has, so that all contiguous operands are loaded by whole vectors. Small elements in reverse are loaded so
/// too, and turned.
std::uint8_t vector_of(Lowered& x) {
    const std::size_t last = x.rank() - 1;
    const std::uint32_t widest = widest_of(x);
    const index_t v = 16 / widest;
    int lines = 0;
    for (std::size_t u = 0; u < x.uses.size(); ++u) {
        const Use& use = x.uses[u];
        if (x.is_line(use, last)) {
            ++lines;
            if (!is_aligned(x, use, last, v)) return 1;
        }
    }
    if (!x.is_line(x.uses[0], last)) return 1;
    for (std::size_t u = 1; u < x.uses.size() && widest <= 2; ++u) {
        const Use& use = x.uses[u];
        if (use.source == Use::buffer && use.frame == 0 && use.inner_layers == 0 &&
            x.axis(use, last).map < 0 && x.axis(use, last).stride == -1 &&
            is_aligned(x, use, last, v, 1 - v)) {
            ++lines;
            x.reversed |= std::uint64_t{1} << u;
        }
    }
    return static_cast<std::uint8_t>(lines > 1 ? v : std::min<index_t>(v, 4));
}

/// Elements of 1 and 2 bytes go through local memory by words of 4 bytes, where all that is contiguous is so by whole words.
void widen_tiles(Lowered& x) {
    const std::size_t last = x.rank() - 1;
    const std::size_t along = x.tile_axis;
    const index_t v = 4 / static_cast<index_t>(widest_of(x));
    bool widens = v > 1 && std::popcount(x.staged) <= 2 && x.extents[last] % v == 0 &&
                  x.extents[along] % v == 0 && x.is_line(x.uses[0], last);
    for (std::size_t u = 0; u < x.uses.size() && widens; ++u) {
        if (x.is_staged(u))
            widens = is_aligned(x, x.uses[u], along, v);
        else if (x.is_line(x.uses[u], last))
            widens = is_aligned(x, x.uses[u], last, v);
    }
    if (!widens) return;
    x.vector = static_cast<std::uint8_t>(v);
    x.side = static_cast<std::uint8_t>(32 * v);
}

/// Notes uses of a buffer that are a few rows and elements apart, as stencils have them. A thread takes several rows then, so that one
/// load serves the results above and below it.
void find_near(Lowered& x) {
    constexpr index_t kNear = 8;
    const std::size_t last = x.rank() - 1;
    const auto is_strided = [&](const Use& use) {
        bool strided = x.is_line(use, last);
        for (std::size_t a = 0; a < last; ++a) strided &= x.axis(use, a).map < 0;
        return strided && size_of_stride(x.axis(use, last - 1).stride) > 2 * kNear;
    };
    bool shares = false;
    for (std::size_t u = 2; u < x.uses.size(); ++u) {
        Use& use = x.uses[u];
        if (!is_strided(use)) continue;
        for (std::size_t w = 1; w < u && use.near == 0; ++w) {
            const Use& other = x.uses[w];
            if (other.near != 0 || other.type != use.type || !is_strided(other) ||
                other.place.handle != use.place.handle)
                continue;
            bool same = true;
            for (std::size_t a = 0; a < last; ++a)
                same &= x.axis(use, a).stride == x.axis(other, a).stride;
            const index_t stride = x.axis(use, last - 1).stride;
            const index_t apart = use.outer.base - other.outer.base;
            index_t rows = apart / stride;
            index_t elements = apart % stride;
            if (size_of_stride(elements) > kNear) { // the row before, or after
                const index_t step = (elements < 0) == (stride < 0) ? 1 : -1;
                rows += step;
                elements -= step * stride;
            }
            if (!same || size_of_stride(rows) > kNear || size_of_stride(elements) > kNear) continue;
            use.near = static_cast<std::uint16_t>(w);
            use.near_rows = static_cast<std::int8_t>(rows);
            use.near_elements = static_cast<std::int8_t>(elements);
            shares |= rows != 0;
        }
    }
    if (shares) {
        x.rows = widest_of(x) <= 4 && x.uses.size() <= 12 ? 8 : 4;
        x.unroll = 1;
        return;
    }
    for (Use& use : x.uses) use.near = 0;
}

bool is_linear(const Lowered& x) {
    return x.rank() == 1 && std::ranges::all_of(x.uses, [&](const Use& use) {
               if (use.frame != 0) return false;
               const AxisUse& axis = x.axis(use, 0);
               return use.inner_layers == 0 && axis.map < 0 &&
                      (axis.stride == 0 || axis.stride == 1);
           });
}

void finish_fold(Lowered& x) {
    Folding& f = x.folding;
    f.kept = 0;
    f.results = f.folded = 1;
    for (std::size_t a = 0; a < x.rank(); ++a) {
        const bool kept = x.axis(x.uses[0], a).stride != 0;
        f.kept = static_cast<std::uint8_t>(f.kept + kept);
        (kept ? f.results : f.folded) *= x.extents[a];
    }
    f.start = start_of(f.reduction, x.uses[0].type);
}

} // namespace

void finish(Lowered& x, const LowerOptions& options) {
    if (x.extents.empty()) { // rank 0: as one axis of one element
        x.extents.push_back(1);
        for (Use& use : x.uses)
            if (use.frame == 0) {
                use.outer.first_axis = static_cast<std::uint32_t>(x.axes.size());
                use.outer.rank = 1;
                x.axes.push_back({1, 0, -1});
            }
    }
    Merging(x).run(options.folding != nullptr);
    for (Use& use : x.uses) {
        if (use.source != Use::buffer) continue;
        LayerUse& innermost =
            use.inner_layers == 0 ? use.outer : x.layers[use.first_inner + use.inner_layers - 1u];
        innermost.base += static_cast<index_t>(use.place.offset_bytes / bytes_of(use.type));
        use.is_written = use.place.handle == x.uses[0].place.handle;
    }
    x.wide |= is_wide(x);
    x.vector = 1;
    x.unroll = 1;
    x.rows = 1;
    x.staged = x.reversed = 0;
    const std::size_t last = x.rank() - 1;
    const index_t length = x.extents[last];
    const bool small = x.size < kSmall;
    if (options.folding != nullptr) {
        x.form = Form::fold;
        x.folding = *options.folding;
        finish_fold(x);
        return;
    }
    if (options.scanning != nullptr) {
        x.form = Form::scan;
        x.scanning = *options.scanning;
        x.scanning.lanes = x.size / x.scanning.length;
        x.scanning.start = start_of(x.scanning.reduction, x.uses[0].type);
        return;
    }
    if (options.softmax != nullptr) {
        x.form = Form::softmax;
        x.softmax = *options.softmax;
        return;
    }
    if (x.rank() == 1) {
        x.form = is_linear(x) ? Form::linear : Form::rows;
        if (!small) x.vector = vector_of(x);
        if (!small && x.form == Form::rows) x.unroll = x.vector > 1 ? 2 : 4;
        return;
    }
    if (length >= 8) find_staged(x);
    if (x.staged != 0) {
        x.form = Form::tiled;
        widen_tiles(x);
    } else if ((length >= 128 && !small) || (x.wide && length >= 32)) {
        x.form = Form::rows;
        x.vector = vector_of(x);
        x.unroll = x.vector > 1 ? 2 : 4;
        if (x.vector == 1) find_near(x);
    } else {
        x.form = Form::general;
        x.unroll = small ? 1 : 4;
    }
}

std::string why_slow(const Lowered& x) {
    if (x.size < kSmall || x.form == Form::tiled) return "";
    if (x.form == Form::general) return fmt::format("rows have {} elements", x.extents.back());
    if (x.vector > 1) return "";
    const std::size_t last = x.rank() - 1;
    for (std::size_t u = 0; u < x.uses.size(); ++u)
        if (x.is_line(x.uses[u], last) &&
            !is_aligned(x, x.uses[u], last, 16 / static_cast<index_t>(widest_of(x))))
            return "an operand does not begin at a multiple of 16 bytes, or its rows do not";
    return "no operand is contiguous along the last axis";
}

void Lowered::clear() {
    const auto empty = [](auto&... lists) { (lists.clear(), ...); };
    empty(extents, uses, axes, layers, maps, values, frames, constants, constant_types, numbers);
    wide = checked = false;
    cut = nullptr;
    why_cut = "";
}

const char* name_of(Form form) noexcept {
    constexpr const char* kNames[] = {"linear", "rows", "tiled",  "general",
                                      "fold",   "scan", "softmax"};
    return kNames[static_cast<std::size_t>(form)];
}

} // namespace purview::gpu::detail
