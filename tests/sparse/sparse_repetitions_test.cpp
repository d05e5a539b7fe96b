#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <string>
#include <utility>

namespace sparse_repetitions_test {

// Views that repeat what is stored.

namespace {

using namespace oracle;

/// One of the views, the same for a sparse tensor and its dense twin.
template <typename T>
void random_step(Random& random, pv::Tensor<T>& x, pv::Tensor<T>& twin) {
    const auto both = [&](const auto& view) {
        x = view(x);
        twin = view(twin);
    };
    const auto rank = static_cast<std::size_t>(x.rank());
    const auto extents = x.shape();
    Coordinates shape(extents.begin(), extents.end());
    Coordinates numbers(rank);
    switch (random.between(0, 5)) {
    case 0: { // repeated as a whole, along new axes too
        for (auto& extent : shape) extent *= random.between(1, 3);
        if (rank < 4 && random.one_in(3)) shape.insert(shape.begin(), random.between(1, 3));
        return both([&](const auto& t) { return pv::Tensor<T>(pv::broadcast(t, shape)); });
    }
    case 1: { // an axis between two others
        if (rank > 3) return;
        const pv::index_t axis = random.between(0, std::ssize(shape));
        shape.insert(shape.begin() + axis, random.between(1, 4));
        return both([&](const auto& t) {
            return pv::Tensor<T>(pv::broadcast(pv::insert_axis(t, axis), shape));
        });
    }
    case 2:
        for (auto& number : numbers) number = random.between(-5, 5);
        return both([&](const auto& t) { return pv::Tensor<T>(t | pv::rotate(numbers)); });
    case 3: {
        const Coordinates axes = random.permutation(rank);
        return both([&](const auto& t) { return pv::Tensor<T>(pv::transpose(t, axes)); });
    }
    case 4: {
        if (rank == 0) return;
        const auto axis = static_cast<pv::index_t>(random.axis_of(shape));
        return both([&](const auto& t) { return pv::Tensor<T>(pv::flip(t, {axis})); });
    }
    default: {
        if (rank == 0) return;
        const pv::index_t begin = random.between(0, shape[0] / 2);
        const pv::index_t end = random.between(begin, shape[0]);
        const pv::index_t step = random.between(1, 2);
        both([&](const auto& t) { return pv::Tensor<T>(t(pv::range(begin, end, step))); });
    }
    }
}

template <typename T>
void random_repetitions(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(0, 3)));
    for (auto& extent : shape) extent = random.between(1, 4);
    pv::Tensor<T> x = random_sparse<T>(random, shape, random_fill<T>(random)).real;
    pv::Tensor<T> twin = pv::to_dense(x);
    for (pv::index_t steps = random.between(1, 5); steps > 0; --steps) random_step(random, x, twin);
    const auto realised = pv::clone(x);
    const auto pairs = pv::sparse_pairs(realised);
    pv::check_sparse_indexes("test", pairs->indexes(), x.size());
    REQUIRE(same_values(pv::to_vector(realised), pv::to_vector(twin)));
    const auto mapped = [](const T& v) { return std::pair(v, 1).first; };
    REQUIRE(same_values(pv::to_vector(pv::clone(pv::emap(mapped, x))), pv::to_vector(twin)));
}

} // namespace

TEST_CASE("views repeat what is stored along any axes") {
    for (unsigned seed = 0; seed < oracle::rounds(400U); ++seed) {
        random_repetitions<double>(seed);
        random_repetitions<bool>(seed + 1000);
        random_repetitions<std::string>(seed + 2000);
    }
}

TEST_CASE("what is repeated too often to be stored is a KindError, soon") {
    const auto x = pv::sparse_tensor<double>({1, 3}, {1}, {2.});
    const auto repeated = pv::broadcast(x, {pv::index_t{1} << 40, 3});
    CHECK_THROWS_AS(pv::clone(repeated), pv::KindError);
    const auto nothing = pv::broadcast(pv::sparse_zeros<double>({1, 3}), {pv::index_t{1} << 40, 3});
    CHECK(pv::sparse_pairs(pv::clone(nothing))->stored() == 0);
}

} // namespace sparse_repetitions_test
