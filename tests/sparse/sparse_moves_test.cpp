#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <algorithm>

namespace sparse_moves_test {

// Realised views of more entries than are sorted at once.

namespace {

using namespace oracle;

template <typename T>
struct Placed {
    Coordinates place;
    T value;
};

pv::index_t row_major(const Coordinates& shape, const Coordinates& place) {
    pv::index_t index = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) index = index * shape[a] + place[a];
    return index;
}

/// A view of a tensor, and what it does to the places of entries.
template <typename T>
void random_step(Random& random, pv::Tensor<T>& x, Coordinates& shape,
                 std::vector<Placed<T>>& entries) {
    const std::size_t axis = random.axis_of(shape);
    const pv::index_t extent = shape[axis];
    switch (random.between(0, 3)) {
    case 0: {
        const Coordinates axes = random.permutation(shape.size());
        const auto permuted = [&](const Coordinates& from) {
            Coordinates to(from.size());
            for (std::size_t a = 0; a < to.size(); ++a)
                to[a] = from[static_cast<std::size_t>(axes[a])];
            return to;
        };
        x = pv::transpose(x, axes);
        shape = permuted(shape);
        for (auto& entry : entries) entry.place = permuted(entry.place);
        return;
    }
    case 1: {
        Coordinates amounts(shape.size());
        amounts[axis] = random.between(-2 * extent, 2 * extent);
        x = x | pv::rotate(amounts);
        for (auto& entry : entries)
            entry.place[axis] = ((entry.place[axis] + amounts[axis]) % extent + extent) % extent;
        return;
    }
    case 2: {
        x = pv::flip(x, Coordinates{static_cast<pv::index_t>(axis)});
        for (auto& entry : entries) entry.place[axis] = extent - 1 - entry.place[axis];
        return;
    }
    default: {
        const pv::index_t begin = random.between(0, extent / 20);
        const pv::index_t end = random.between(extent - extent / 20, extent);
        const pv::index_t step = random.one_in(4) ? 2 : 1;
        const auto a = static_cast<pv::index_t>(axis);
        x = pv::swap_axes(pv::swap_axes(x, 0, a)(pv::range(begin, end, step)), 0, a);
        std::erase_if(entries, [&](const Placed<T>& entry) {
            const pv::index_t at = entry.place[axis];
            return at < begin || at >= end || (at - begin) % step != 0;
        });
        for (auto& entry : entries) entry.place[axis] = (entry.place[axis] - begin) / step;
        shape[axis] = std::max<pv::index_t>(0, (end - begin + step - 1) / step);
    }
    }
}

template <typename T>
void random_moves(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    const pv::index_t most = shape.size() == 1   ? pv::index_t{1} << 40
                             : shape.size() == 2 ? 1 << 20
                                                 : 1 << 12;
    pv::index_t size = 1;
    for (pv::index_t& extent : shape) size *= extent = random.between(most / 64, most);
    const pv::index_t stored = random.between(10, random.one_in(3) ? 60'000 : 3'000);
    std::vector<pv::index_t> indexes;
    std::vector<T> values;
    std::vector<Placed<T>> entries;
    for (pv::index_t k = 0; k < stored; ++k) {
        const pv::index_t apart = size / stored;
        indexes.push_back(k * apart + random.between(0, apart - 1));
        values.push_back(static_cast<T>(random.between(1, 100))); // no value comes to the fill
        Coordinates place(shape.size());
        pv::index_t rest = indexes.back();
        for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) place[a] = rest % shape[a];
        entries.push_back({place, values.back()});
    }
    pv::Tensor<T> x = pv::sparse_tensor<T>(shape, indexes, values);
    for (pv::index_t steps = random.between(1, 4); steps > 0; --steps)
        random_step(random, x, shape, entries);
    std::ranges::sort(entries, {}, [&](const auto& e) { return row_major(shape, e.place); });

    const auto check = [&](const pv::Tensor<T>& realised, T more) {
        const auto pairs = pv::sparse_pairs(realised);
        REQUIRE(pairs->stored() == std::ssize(entries));
        bool same_places = true;
        bool same_elements = true;
        for (std::size_t p = 0; p < entries.size(); ++p) {
            same_places &= pairs->indexes()[p] == row_major(shape, entries[p].place);
            same_elements &= pairs->values()[p] == static_cast<T>(entries[p].value + more);
        }
        REQUIRE(same_places);
        REQUIRE(same_elements);
    };
    check(pv::clone(x), T{});
    if constexpr (!std::same_as<T, bool>) // by positions
        check(pv::clone(pv::emap([](T v) { return static_cast<T>(v + 1); }, x)), T{1});
}

} // namespace

TEST_CASE("realised views of many entries agree with their places") {
    for (unsigned seed = 0; seed < oracle::rounds(40U); ++seed) {
        random_moves<double>(seed);
        random_moves<float>(seed + 100);
        random_moves<std::int16_t>(seed + 200);
        random_moves<bool>(seed + 300);
    }
}

} // namespace sparse_moves_test
