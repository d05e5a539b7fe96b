#include "expression/derivatives/overlapping_windows.hpp"

#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>

#include "expression/derivatives/numbers.hpp"
#include "expression/derivatives/zeros_around.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {
namespace {

/// Two axes of a view that move through one axis of what it sees: window `place`, element `tap` of it is
/// element step·place + gap·tap.
struct Window {
    std::size_t place;
    std::size_t tap;
    index_t step;
    index_t gap;
    index_t places; ///< how many windows there are
    index_t taps;   ///< how many elements each has

    index_t margin() const { return gap * (taps - 1); }
    index_t reach() const { return step * (places - 1) + margin() + 1; }
};

/// Two axes of a view of which one moves `ratio` times as far as the other, and the other beyond that.
struct Overlap {
    std::size_t wide;
    std::size_t narrow;
    index_t ratio;

    Window window(ShapeSpan extents, bool turned) const {
        const bool wide_is_tap = (extents[wide] < extents[narrow]) != turned;
        const std::size_t place = wide_is_tap ? narrow : wide;
        const std::size_t tap = wide_is_tap ? wide : narrow;
        return {place,          tap,         wide_is_tap ? 1 : ratio, wide_is_tap ? ratio : 1,
                extents[place], extents[tap]};
    }
};

/// Whether an operand has the same elements along an axis.
bool repeats(const Operand& x, std::size_t axis) {
    const LayerView outer = x.dims.layer(0);
    return outer.extents[axis] == 1 ||
           (outer.strides[axis] == 0 && outer.is_plain(static_cast<int>(axis)));
}

/// The factors of a product, seen at Y - dy.
class Correlated {
public:
    Correlated(const Operand& g, std::size_t lead, std::vector<Window> windows)
        : lead_(lead), windows_(std::move(windows)), free_(windows_.size(), true) {
        find_factors(g);
    }

    /// Nothing where a factor that is to be surrounded by zeros has an axis of taps.
    std::optional<Operand> run(const Operand& g) const {
        if (has_both_) return std::nullopt;
        Operand result = rebuilt(g);
        if (std::ranges::find(free_, true) == free_.end()) return result;
        // What all windows share is bounded by ones.
        const Numbers numbers(g.dtype());
        return numbers.binary(Op::scale, correlated(numbers.filled(1, g.dims.max_shape()), free_),
                              result);
    }

private:
    using OfEachWindow = std::vector<bool>;

    std::size_t axis(std::size_t of_view) const { return lead_ + of_view; }
    bool has_taps(const Operand& x) const {
        return std::ranges::any_of(windows_,
                                   [&](const Window& w) { return !repeats(x, axis(w.tap)); });
    }
    OfEachWindow places_of(const Operand& x) const {
        OfEachWindow has;
        for (const Window& w : windows_) has.push_back(!repeats(x, axis(w.place)));
        return has;
    }
    static bool any(const OfEachWindow& of) { return std::ranges::find(of, true) != of.end(); }
    /// A product of which the factors have to be seen one by one.
    const Elementwise* product(const Operand& x) const {
        const auto* const operation = node_as<Elementwise>(*x.node);
        const bool is = operation != nullptr &&
                        (operation->op() == Op::multiply || operation->op() == Op::scale) &&
                        has_taps(x) && any(places_of(x));
        return is ? operation : nullptr;
    }
    void find_factors(const Operand& x) {
        if (const Elementwise* const operation = product(x)) {
            for (std::size_t k = 0; k < 2; ++k)
                find_factors(seen_through(x.dims, operation->operand(k)));
            return;
        }
        const OfEachWindow has = places_of(x);
        for (std::size_t w = 0; w < has.size(); ++w)
            if (has[w]) free_[w] = false;
        has_both_ = has_both_ || (any(has) && has_taps(x));
    }
    Operand rebuilt(const Operand& x) const {
        if (const Elementwise* const operation = product(x))
            return elementwise<2>(operation->op(), operation->dtype(),
                                  {rebuilt(seen_through(x.dims, operation->operand(0))),
                                   rebuilt(seen_through(x.dims, operation->operand(1)))});
        return correlated(x, places_of(x));
    }

    /// `x`, with zeros around it along the places of some windows.
    Operand correlated(const Operand& x, const OfEachWindow& bounded) const {
        Shape shape = to_shape(x.dims.max_shape());
        std::vector<bool> kept; // what repeats is seen once, so that no more is written than x has
        for (std::size_t a = 0; a < shape.size(); ++a) kept.push_back(!repeats(x, a));
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            shape[axis(windows_[w].place)] = windows_[w].reach();
            if (bounded[w]) kept[axis(windows_[w].place)] = true;
        }
        Operand whole = x;
        for (std::size_t a = 0; a < shape.size(); ++a)
            if (!kept[a])
                whole.dims = dimensions::select(whole.dims, static_cast<index_t>(a), Range(0, 1));
        if (any(bounded)) whole = surrounded(std::move(whole), bounded);

        const Dimensions plain = Dimensions::row_major(whole.dims.max_shape());
        Shape strides = to_shape(plain.strides());
        for (std::size_t a = 0; a < shape.size(); ++a)
            if (!kept[a]) strides[a] = 0;
        index_t base = 0;
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            if (!bounded[w]) continue;
            const index_t stride = plain.strides()[axis(windows_[w].place)];
            strides[axis(windows_[w].tap)] = -windows_[w].gap * stride;
            base += windows_[w].margin() * stride;
        }
        return seen_through(Dimensions::strided(shape, strides, base), whole);
    }

    /// With zeros between places that step further than an element, and as many around them as a
    /// window reaches.
    Operand surrounded(Operand x, const OfEachWindow& bounded) const {
        for (std::size_t w = 0; w < windows_.size(); ++w)
            if (bounded[w] && windows_[w].step > 1) x = spread(x, windows_[w]);
        Shape begin(x.dims.max_shape().size(), 0);
        Shape whole = to_shape(x.dims.max_shape());
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            if (!bounded[w]) continue;
            begin[axis(windows_[w].place)] = windows_[w].margin();
            whole[axis(windows_[w].place)] += 2 * windows_[w].margin();
        }
        return zeros_around(x, begin, whole);
    }
    Operand spread(Operand x, const Window& window) const {
        const auto place = static_cast<std::ptrdiff_t>(axis(window.place));
        Shape split = to_shape(x.dims.max_shape());
        split.insert(split.begin() + place + 1, 1);
        x.dims = dimensions::reshape(x.dims, split);
        Shape whole = split;
        whole[axis(window.place) + 1] = window.step;
        x = zeros_around(x, Shape(whole.size(), 0), whole);
        whole.erase(whole.begin() + place);
        whole[axis(window.place)] = window.step * window.places;
        x.dims = dimensions::select(dimensions::reshape(x.dims, whole), place,
                                    Range(0, window.step * (window.places - 1) + 1));
        return x;
    }

    std::size_t lead_;
    std::vector<Window> windows_;
    OfEachWindow free_;     ///< whether no factor has its places
    bool has_both_ = false; ///< whether a factor has places, and taps too
};

} // namespace

std::optional<Correlation> correlation(const Operand& g, std::size_t lead, const LayerView& view) {
    Correlation result{g, dimensions::Layer(view)};
    dimensions::Layer& layer = result.layer;
    if (!layer.maps.empty()) return std::nullopt;
    Shape reversed;
    std::vector<std::size_t> axes; // the widest first
    for (std::size_t a = 0; a < layer.extents.size(); ++a) {
        if (layer.extents[a] == 1 || layer.strides[a] == 0) continue;
        axes.push_back(a);
        if (layer.strides[a] > 0) continue;
        reversed.push_back(static_cast<index_t>(lead + a));
        layer.base += (layer.extents[a] - 1) * layer.strides[a];
        layer.strides[a] = -layer.strides[a];
    }
    const auto stride = [&](std::size_t a) { return layer.strides[a]; };
    std::ranges::stable_sort(axes, std::ranges::greater(), stride);
    result.g.dims = dimensions::flip(g.dims, reversed);

    std::vector<Overlap> overlaps;
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
        const Overlap axis{axes[i], axes[i + 1], stride(axes[i]) / stride(axes[i + 1])};
        if (stride(axis.wide) % stride(axis.narrow) != 0 ||
            layer.extents[axis.narrow] <= axis.ratio)
            continue;
        overlaps.push_back(axis);
        ++i;
    }
    // Usually the shorter axis is that of taps; which one is can be seen by the factors alone.
    for (std::size_t turned = 0; !overlaps.empty() && turned >> overlaps.size() == 0; ++turned) {
        std::vector<Window> windows;
        for (std::size_t w = 0; w < overlaps.size(); ++w)
            windows.push_back(overlaps[w].window(layer.extents, (turned >> w & 1U) != 0));
        const std::optional<Operand> seen = Correlated(result.g, lead, windows).run(result.g);
        if (!seen) continue;
        result.g = *seen;
        for (const Window& w : windows) {
            layer.extents[w.place] = w.reach();
            layer.strides[w.place] = std::min(stride(w.place), stride(w.tap));
            layer.strides[w.tap] = 0;
        }
        return result;
    }
    return std::nullopt;
}

} // namespace purview::derivatives
