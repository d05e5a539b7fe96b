#pragma once

#include "dimension_oracle.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>

/// A random view of anything of one shape, for the real thing and for its naive twin.
struct RandomView {
    std::string name;
    std::function<purview::Dimensions(const purview::Dimensions&)> real;
    std::function<DimensionOracle(const DimensionOracle&)> naive;
};

struct RandomDimensions {
    std::string name;
    purview::Dimensions real;
    DimensionOracle naive;
};

class ViewGenerator {
public:
    using index_t = purview::index_t;
    using Coordinates = DimensionOracle::Coordinates;

    explicit ViewGenerator(unsigned seed) : random_(seed) {}

    index_t between(index_t least, index_t greatest) {
        return std::uniform_int_distribution<index_t>(least, greatest)(random_);
    }
    bool one_in(int n) { return between(1, n) == 1; }
    std::size_t axis_of(const Coordinates& shape) {
        return static_cast<std::size_t>(between(0, static_cast<index_t>(shape.size()) - 1));
    }

    Coordinates shape() {
        Coordinates shape(static_cast<std::size_t>(between(0, 6)));
        const index_t most = shape.size() <= 2 ? 12 : shape.size() <= 4 ? 5 : 3;
        for (index_t& extent : shape) extent = one_in(60) ? 0 : between(1, most);
        return shape;
    }

    Coordinates list(index_t extent) {
        Coordinates list(static_cast<std::size_t>(extent == 0  ? 0
                                                  : one_in(12) ? 0
                                                               : between(1, extent + 1)));
        for (index_t& index : list) index = between(0, extent - 1);
        return list;
    }

    /// Something to start from: any factory, the seed's raw form too.
    RandomDimensions source() {
        Coordinates extents = shape();
        const index_t base = between(-5, 5);
        Coordinates strides(extents.size());
        const index_t kind = between(0, 4);
        if (kind == 4) return raw(extents);
        std::string name;
        purview::Dimensions real;
        if (kind == 0) {
            name = "row_major";
            real = purview::Dimensions::row_major(extents);
        } else if (kind == 1) {
            name = "column_major";
            real = purview::Dimensions::column_major(extents);
        } else if (kind == 2) {
            name = "padded";
            Coordinates size = extents;
            for (index_t& s : size) s += between(0, 2);
            real = purview::Dimensions::padded(extents, size);
        } else {
            name = "strided";
            for (index_t& s : strides) s = one_in(3) ? between(-20, 20) : between(-4, 4);
            real = purview::Dimensions::strided(extents, strides, base);
        }
        std::copy(real.strides().begin(), real.strides().end(), strides.begin());
        auto naive = DimensionOracle::make(extents, [&](const Coordinates& g) {
            index_t address = real.base();
            for (std::size_t a = 0; a < g.size(); ++a) address += strides[a] * g[a];
            return address;
        });
        return {name + text(extents) + text(strides), real, naive};
    }

    /// A view of `shape`; rank and count stay testable.
    RandomView view(const Coordinates& shape) {
        for (;;) {
            RandomView chosen = propose(shape);
            if (!chosen.name.empty()) return chosen;
        }
    }

    static std::string text(const Coordinates& values) { return purview::to_string(values); }

private:
    RandomDimensions raw(const Coordinates& extents) {
        std::vector<purview::AxisShape> shape;
        Coordinates strides, offsets, periods;
        std::vector<Coordinates> lists;
        for (std::size_t a = 0; a < extents.size(); ++a) {
            strides.push_back(between(-4, 4));
            offsets.push_back(between(-9, 9));
            Coordinates entries(static_cast<std::size_t>(between(1, 5)));
            periods.push_back(static_cast<index_t>(entries.size()));
            if (one_in(2)) {
                std::iota(entries.begin(), entries.end(), index_t{0});
                shape.emplace_back(periods.back());
            } else {
                for (index_t& entry : entries) entry = between(0, 6);
                shape.emplace_back(purview::make_index_sequence(entries));
            }
            lists.push_back(entries);
        }
        auto naive = DimensionOracle::make(extents, [&](const Coordinates& g) {
            index_t address = 3;
            for (std::size_t a = 0; a < g.size(); ++a) {
                index_t u = (g[a] + offsets[a]) % periods[a];
                if (u < 0) u += periods[a];
                address += strides[a] * lists[a][static_cast<std::size_t>(u)];
            }
            return address;
        });
        return {"raw" + text(extents) + text(periods) + text(offsets) + text(strides),
                purview::Dimensions::raw(shape, strides, offsets, extents, 3), naive};
    }

    RandomView propose(const Coordinates& shape) {
        namespace pd = purview::dimensions;
        using purview::Dimensions;
        const std::size_t rank = shape.size();
        const index_t size = DimensionOracle::count(shape);
        switch (between(0, 11)) {
        case 0: {
            Coordinates axes(rank);
            std::iota(axes.begin(), axes.end(), index_t{0});
            std::shuffle(axes.begin(), axes.end(), random_);
            return {"transpose" + text(axes),
                    [axes](const Dimensions& d) { return pd::transpose(d, axes); },
                    [axes](const DimensionOracle& o) { return o.transpose(axes); }};
        }
        case 1: return select(shape);
        case 2: {
            Coordinates to = shape;
            index_t left = 400 / std::max<index_t>(size, 1);
            for (index_t& extent : to) {
                const index_t times = one_in(2) ? between(1, 3) : 1;
                if (times > left || extent == 0) continue;
                extent *= times;
                left /= times;
            }
            if (rank < 7 && one_in(4) && left >= 2) to.insert(to.begin(), 2);
            return {"broadcast" + text(to),
                    [to](const Dimensions& d) { return pd::broadcast(d, to); },
                    [to](const DimensionOracle& o) { return o.tile(to); }};
        }
        case 3:
        case 4: {
            Coordinates amounts(rank);
            for (index_t& amount : amounts) amount = one_in(2) ? between(-12, 12) : 0;
            return {"rotate" + text(amounts),
                    [amounts](const Dimensions& d) { return pd::rotate(d, amounts); },
                    [amounts](const DimensionOracle& o) { return o.rotate(amounts); }};
        }
        case 5: return reshape(shape);
        case 6: {
            Coordinates axes;
            for (std::size_t a = 0; a < rank; ++a)
                if (one_in(2)) axes.push_back(static_cast<index_t>(a));
            return {"flip" + text(axes), [axes](const Dimensions& d) { return pd::flip(d, axes); },
                    [axes](const DimensionOracle& o) {
                        return o.view(o.shape, [&](Coordinates g) {
                            for (const index_t a : axes) {
                                const auto i = static_cast<std::size_t>(a);
                                g[i] = o.shape[i] - 1 - g[i];
                            }
                            return g;
                        });
                    }};
        }
        case 7: {
            Coordinates kept;
            for (const index_t extent : shape)
                if (extent != 1) kept.push_back(extent);
            return {"squeeze", [](const Dimensions& d) { return pd::squeeze(d); },
                    [kept](const DimensionOracle& o) { return o.reshape(kept); }};
        }
        case 8: {
            if (rank >= 8) return {};
            const index_t axis = between(0, static_cast<index_t>(rank));
            Coordinates to = shape;
            to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), 1);
            return {"new_axis " + std::to_string(axis),
                    [axis](const Dimensions& d) { return pd::new_axis(d, axis); },
                    [to](const DimensionOracle& o) { return o.reshape(to); }};
        }
        case 9: {
            if (rank < 2) return {};
            const std::size_t axis0 = axis_of(shape);
            const std::size_t axis1 = axis_of(shape);
            const index_t offset = between(-2, 2);
            if (axis0 == axis1) return {};
            return {"diagonal " + std::to_string(axis0) + std::to_string(axis1) + " " +
                        std::to_string(offset),
                    [=](const Dimensions& d) {
                        return pd::diagonal(d, static_cast<index_t>(axis0),
                                            static_cast<index_t>(axis1), offset);
                    },
                    [=](const DimensionOracle& o) { return o.diagonal(axis0, axis1, offset); }};
        }
        case 10: {
            if (rank == 0 || rank >= 8) return {};
            const std::size_t axis = axis_of(shape);
            if (shape[axis] == 0) return {};
            const index_t window = between(1, std::min<index_t>(shape[axis], 3));
            const index_t step = between(1, 3);
            if (size * window > 800) return {};
            return {"sliding_window " + std::to_string(axis) + " " + std::to_string(window) + " " +
                        std::to_string(step),
                    [=](const Dimensions& d) {
                        return pd::sliding_window(d, static_cast<index_t>(axis), window, step);
                    },
                    [=](const DimensionOracle& o) { return o.sliding_window(axis, window, step); }};
        }
        default: {
            if (rank == 0) return {};
            const index_t from = static_cast<index_t>(axis_of(shape));
            const index_t to = static_cast<index_t>(axis_of(shape));
            Coordinates axes;
            for (std::size_t a = 0; a < rank; ++a)
                if (static_cast<index_t>(a) != from) axes.push_back(static_cast<index_t>(a));
            axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(to), from);
            return {"move_axis " + std::to_string(from) + " " + std::to_string(to),
                    [=](const Dimensions& d) { return pd::move_axis(d, from, to); },
                    [=](const DimensionOracle& o) { return o.transpose(axes); }};
        }
        }
    }

    RandomView reshape(const Coordinates& shape) {
        index_t rest = DimensionOracle::count(shape);
        Coordinates to;
        if (rest == 0) {
            to = shape;
            std::shuffle(to.begin(), to.end(), random_);
        } else {
            while (rest > 1 && to.size() < 5) {
                index_t factor = between(1, rest);
                while (rest % factor != 0) --factor;
                to.push_back(factor);
                rest /= factor;
            }
            to.push_back(rest);
            std::shuffle(to.begin(), to.end(), random_);
        }
        Coordinates asked = to;
        if (!asked.empty() && DimensionOracle::count(shape) != 0 && one_in(3))
            asked[axis_of(asked)] = -1;
        return {"reshape" + text(asked),
                [asked](const purview::Dimensions& d) {
                    return purview::dimensions::reshape(d, asked);
                },
                [to](const DimensionOracle& o) { return o.reshape(to); }};
    }

    RandomView select(const Coordinates& shape) {
        std::vector<purview::IndexArgument> arguments;
        std::vector<std::function<DimensionOracle(const DimensionOracle&)>> steps;
        std::string name = "select(";
        std::size_t out = 0;
        index_t size = std::max<index_t>(DimensionOracle::count(shape), 1);
        const std::size_t named =
            static_cast<std::size_t>(between(0, static_cast<index_t>(shape.size())));
        for (std::size_t a = 0; a < named; ++a) {
            const index_t extent = shape[a];
            switch (between(0, 5)) {
            case 0: {
                if (extent == 0) {
                    arguments.emplace_back(purview::all);
                    ++out;
                    name += "all,";
                    break;
                }
                const index_t index = between(-extent, extent - 1);
                arguments.emplace_back(index);
                name += std::to_string(index) + ",";
                steps.push_back([out, index, extent](const DimensionOracle& o) {
                    return o.drop(out, index < 0 ? index + extent : index);
                });
                break;
            }
            case 1:
            case 2: {
                index_t begin = between(-extent - 2, extent + 2);
                index_t end = between(-extent - 2, extent + 2);
                index_t step = between(-3, 3);
                if (step == 0) step = 1;
                // Mostly something is left.
                if (!one_in(4)) {
                    begin =
                        step > 0 ? between(0, extent / 3) : between(extent - extent / 3, extent);
                    end = step > 0 ? between(extent - extent / 3, extent)
                                   : between(-extent - 1, -extent);
                }
                arguments.emplace_back(purview::range(begin, end, step));
                name += std::to_string(begin) + ":" + std::to_string(end) + ":" +
                        std::to_string(step) + ",";
                // By the definition in Python's language reference.
                const auto bound = [&](index_t b) {
                    if (b < 0) b += extent;
                    return step > 0 ? std::clamp<index_t>(b, 0, extent)
                                    : std::clamp<index_t>(b, -1, extent - 1);
                };
                Coordinates list;
                for (index_t i = bound(begin); step > 0 ? i < bound(end) : i > bound(end);
                     i += step)
                    list.push_back(i);
                steps.push_back(
                    [out, list](const DimensionOracle& o) { return o.pick(out, list); });
                ++out;
                break;
            }
            case 3: {
                Coordinates list = this->list(extent);
                if (size * static_cast<index_t>(list.size()) > 1500) list.resize(1);
                size *= std::max<index_t>(1, static_cast<index_t>(list.size()) /
                                                 std::max<index_t>(extent, 1));
                Coordinates asked = list;
                for (index_t& index : asked)
                    if (one_in(4)) index -= extent;
                arguments.emplace_back(purview::make_index_sequence(asked));
                name += text(asked) + ",";
                steps.push_back(
                    [out, list](const DimensionOracle& o) { return o.pick(out, list); });
                ++out;
                break;
            }
            case 4: {
                std::vector<unsigned char> mask(static_cast<std::size_t>(extent));
                Coordinates list;
                for (std::size_t i = 0; i < mask.size(); ++i) {
                    mask[i] = static_cast<unsigned char>(one_in(3) ? 0 : 1);
                    if (mask[i] != 0) list.push_back(static_cast<index_t>(i));
                }
                arguments.emplace_back(
                    purview::index_sequence_from_mask(std::span<const unsigned char>(mask)));
                name += "mask" + text(list) + ",";
                steps.push_back(
                    [out, list](const DimensionOracle& o) { return o.pick(out, list); });
                ++out;
                break;
            }
            default:
                arguments.emplace_back(purview::all);
                name += "all,";
                ++out;
                break;
            }
        }
        if (one_in(3)) {
            arguments.emplace_back(purview::ellipsis);
            name += "...";
        }
        return {name + ")",
                [arguments](const purview::Dimensions& d) {
                    return purview::dimensions::select(d, arguments);
                },
                [steps](DimensionOracle o) {
                    for (const auto& step : steps) o = step(o);
                    return o;
                }};
    }

    std::mt19937 random_;
};
