#pragma once

#include <support/random_source.hpp>
#include <support/wrapping.hpp>

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/tensor/views.hpp>

#include <cstdint>
#include <string>

namespace oracle {

/// Applies one random lazy operation, with scalars, with other tensors broadcast, or with itself.
template <typename T>
void random_operation(Random& random, Twin<T>& x) {
    const auto done = [&](const std::string& name, pv::Tensor<T> real, Oracle<T> naive) {
        x.real = std::move(real);
        x.naive = std::move(naive);
        x.name += " | " + name;
    };
    const auto partner = [&] {
        Coordinates shape = random.broadcastable(x.naive.shape);
        if (x.naive.size() < 60)
            for (std::size_t a = 0; a < shape.size(); ++a) // x grows
                if (x.naive.shape[a + x.naive.rank() - shape.size()] == 1)
                    shape[a] = random.between(1, 3);
        return random_source<T>(random, shape);
    };
    const T scalar = random.element<T>();
    switch (random.between(0, 11)) {
    case 0: {
        const Twin<T> y = partner();
        return done("+ " + y.name, x.real + y.real, map(x.naive, y.naive, add<T>));
    }
    case 1: {
        const Twin<T> y = partner();
        return done(y.name + " -", y.real - x.real, map(y.naive, x.naive, subtract<T>));
    }
    case 2: {
        const Twin<T> y = partner();
        return done("* " + y.name, x.real * y.real, map(x.naive, y.naive, multiply<T>));
    }
    case 3:
        return done("- scalar", x.real - scalar,
                    map(x.naive, [&](T a) { return subtract<T>(a, scalar); }));
    case 4: {
        const Twin<T> y = partner();
        if (random.one_in(2))
            return done("minimum " + y.name, pv::minimum(x.real, y.real),
                        map(x.naive, y.naive, least<T>));
        return done("maximum " + y.name, pv::maximum(y.real, x.real),
                    map(y.naive, x.naive, greatest<T>));
    }
    case 5: return done("negative", -x.real, map(x.naive, [](T a) { return negative(a); }));
    case 6: return done("abs", pv::abs(x.real), map(x.naive, [](T a) { return magnitude(a); }));
    case 7: {
        const Twin<T> y = partner();
        return done("where < " + y.name, pv::where(x.real < y.real, x.real, y.real),
                    where(map(x.naive, y.naive, [](T a, T b) { return a < b; }), x.naive, y.naive));
    }
    case 8:
        return done("where == scalar", pv::where(!(x.real == scalar), scalar, x.real),
                    map(x.naive, [&](T a) { return a == scalar ? a : scalar; }));
    case 9:
        return done("emap", pv::emap([](T a) { return add<T>(a, T{3}); }, x.real),
                    map(x.naive, [](T a) { return add<T>(a, T{3}); }));
    case 10: {
        // A view of itself beside itself.
        Coordinates axes;
        for (std::size_t a = 0; a < x.naive.rank(); ++a)
            if (random.one_in(2)) axes.push_back(static_cast<index_t>(a));
        return done("+ flip" + text(axes), x.real + pv::flip(x.real, axes),
                    map(x.naive, x.naive.flip(axes), add<T>));
    }
    default:
        return done("there and back", pv::unchecked_cast<T>(pv::unchecked_cast<float>(x.real)),
                    map(x.naive, [](T a) { return converted<T>(static_cast<float>(a)); }));
    }
}

// Each is compiled once, in random_cases.cpp.
extern template void random_operation(Random&, Twin<std::int32_t>&);
extern template void random_operation(Random&, Twin<std::int64_t>&);
extern template void random_operation(Random&, Twin<std::uint8_t>&);
extern template void random_operation(Random&, Twin<float>&);
extern template void random_operation(Random&, Twin<double>&);

} // namespace oracle
