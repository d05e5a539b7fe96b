#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/rounds.hpp>
#include <support/writable_view.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace writes_test {

// Writes through random writable views, against a table that says which element of the root each
// element of the view is.

namespace {

using namespace oracle;

template <typename T>
void write_one_by_one(Random& random, WritableView<T>& w) {
    if (w.view.empty()) return;
    for (int i = 0; i < 5; ++i) {
        const index_t index = random.between(0, w.view.size() - 1);
        const T value = random.element<T>();
        w.view.begin()[index] = value;
        w.model[static_cast<std::size_t>(w.positions.values[static_cast<std::size_t>(index)])] =
            value;
    }
    if (w.view.rank() == 2) {
        const index_t i = random.between(0, w.view.extent(0) - 1);
        const index_t j = random.between(0, w.view.extent(1) - 1);
        const T value = random.element<T>();
        w.view(i - w.view.extent(0), j) = value;
        w.model[static_cast<std::size_t>(w.positions.at({i, j}))] = value;
    }
}

template <typename T>
void write(Random& random, WritableView<T>& w) {
    switch (random.between(0, 6)) {
    case 0: {
        const T value = random.element<T>();
        pv::fill(w.view, value);
        set(w, std::vector<T>(w.positions.values.size(), value));
        break;
    }
    case 1: {
        const auto source = random_source<T>(random, random.broadcastable(w.positions.shape));
        w.name += " copy of " + source.name;
        pv::copy(source.real, w.view);
        set(w, source.naive.expand(w.positions.shape).values);
        break;
    }
    case 2: write_one_by_one(random, w); break;
    case 3: {
        std::vector<T> values = current(w);
        std::ranges::sort(values);
        std::ranges::sort(w.view);
        set(w, values);
        break;
    }
    case 4: {
        std::vector<T> values = current(w);
        std::ranges::reverse(values);
        std::ranges::reverse(w.view);
        set(w, values);
        break;
    }
    case 5: { // a permutation of itself: overlaps everywhere
        Coordinates axes;
        for (int a = 0; a < w.view.rank(); ++a)
            if (random.one_in(2)) axes.push_back(a);
        Coordinates amounts(w.positions.rank());
        for (index_t& amount : amounts) amount = random.between(-3, 3);
        w.name += " copy of its flip" + text(axes) + " rotate" + text(amounts);
        const Oracle<T> before{w.positions.shape, current(w)};
        pv::copy(w.view | pv::flip(axes) | pv::rotate(amounts), w.view);
        set(w, before.flip(axes).rotate(amounts).values);
        break;
    }
    default: { // in equal count, from rank 1, of the root itself
        if (w.view.size() != w.root.size()) break;
        w.name += " copy of the root, flat";
        pv::copy(pv::reshape(w.root, {-1}), w.view);
        set(w, std::vector<T>(w.model));
        break;
    }
    }
}

template <typename T>
void run_writes(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + oracle::rounds(count); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        auto w = random_writable_view<T>(random);
        INFO(w.name);
        const std::set<index_t> distinct(w.positions.values.begin(), w.positions.values.end());
        const bool each_alone = distinct.size() == w.positions.values.size();
        REQUIRE(w.view.is_read_only() == !each_alone);
        if (!each_alone) {
            REQUIRE_THROWS_AS(pv::fill(w.view, T{}), pv::ReadOnlyError);
            REQUIRE_THROWS_AS(pv::copy(w.view, w.view), pv::ReadOnlyError);
            REQUIRE_THROWS_AS(*w.view.begin() = T{}, pv::ReadOnlyError);
        } else {
            for (int i = 0; i < 3; ++i) write(random, w);
            expect_same(random, w.view, Oracle<T>{w.positions.shape, current(w)});
        }
        INFO(w.name);
        REQUIRE(same_values(pv::to_vector(w.root), w.model));
    }
}

} // namespace

TEST_CASE("writes through views reach the root: float64") { run_writes<double>(0, 3000); }
TEST_CASE("writes through views reach the root: int16") { run_writes<std::int16_t>(50'000, 3000); }
TEST_CASE("writes through views reach the root: string") { run_writes<std::string>(90'000, 1500); }

} // namespace writes_test
