#pragma once

#include <support/oracle.hpp>
#include <support/random_choice.hpp>

#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

namespace pv = purview;

/// Extents around the sizes at which reductions change their form.
inline Coordinates random_extents(Random& random) {
    static constexpr index_t kExtents[] = {1,  2,  3,  4,   5,   8,   9,   16,  33,
                                           63, 64, 65, 100, 128, 130, 257, 1100};
    for (;;) {
        Coordinates shape(static_cast<std::size_t>(random.between(1, 4)));
        for (index_t& extent : shape)
            extent = kExtents[random.between(0, std::ssize(kExtents) - 1)];
        if (count_of(shape) <= 40'000) return shape;
    }
}

/// A tensor in a random layout: transposed, sliced, turned round; and its twin.
template <typename T>
struct Layout {
    pv::Tensor<T> real;
    Oracle<T> naive;
    std::string name;
};

template <typename T>
Layout<T> random_layout(Random& random) {
    Coordinates shape = random_extents(random);
    std::vector<T> values;
    for (index_t i = count_of(shape); i > 0; --i) {
        const index_t value = random.between(-50, 50);
        if constexpr (std::floating_point<T>)
            values.push_back(static_cast<T>(value) / T{7});
        else
            values.push_back(static_cast<T>(value));
    }
    Layout<T> x{pv::reshape(pv::tensor(std::vector<T>(values)), shape),
                {shape, values},
                "shape " + text(shape)};
    for (index_t steps = random.between(0, 2); steps > 0; --steps) {
        const std::size_t rank = x.naive.rank();
        if (random.one_in(2)) {
            const Coordinates axes = random.permutation(rank);
            x.real = pv::transpose(x.real, axes);
            x.naive = x.naive.transpose(axes);
            x.name += " | transpose" + text(axes);
        } else if (random.one_in(2)) {
            const std::size_t axis = random.axis_of(x.naive.shape);
            const index_t extent = x.naive.shape[axis];
            const index_t step = random.between(1, 2);
            const index_t begin = random.between(0, extent / 4);
            const Coordinates list = slice_indexes(extent, begin, extent, step);
            std::vector<pv::TensorIndex> arguments(axis, pv::TensorIndex(pv::all));
            arguments.emplace_back(pv::range(begin, extent, step));
            x.real = pv::Tensor<T>(pv::select_operand(x.real.operand(), arguments));
            x.naive = x.naive.pick(axis, list);
            x.name += " | slice of axis " + std::to_string(axis);
        } else {
            const Coordinates axes{static_cast<index_t>(random.axis_of(x.naive.shape))};
            x.real = pv::flip(x.real, axes);
            x.naive = x.naive.flip(axes);
            x.name += " | flip" + text(axes);
        }
    }
    return x;
}

// Each is compiled once, in oracle.cpp.
extern template Layout<bool> random_layout(Random&);
extern template Layout<std::int8_t> random_layout(Random&);
extern template Layout<std::int16_t> random_layout(Random&);
extern template Layout<std::int32_t> random_layout(Random&);
extern template Layout<std::int64_t> random_layout(Random&);
extern template Layout<std::uint8_t> random_layout(Random&);
extern template Layout<std::uint16_t> random_layout(Random&);
extern template Layout<std::uint32_t> random_layout(Random&);
extern template Layout<std::uint64_t> random_layout(Random&);
extern template Layout<float> random_layout(Random&);
extern template Layout<double> random_layout(Random&);

inline Coordinates random_axes(Random& random, std::size_t rank) {
    Coordinates axes;
    for (const index_t axis : random.permutation(rank))
        if (random.one_in(2)) axes.push_back(axis);
    return axes;
}

} // namespace oracle
