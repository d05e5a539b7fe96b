#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <purview/purview.hpp>

#include <atomic>
#include <cmath>
#include <vector>

namespace lazy_graphs_test {

// Random graphs, in which nodes read earlier ones several times, through gathers and pieces: evaluated lazily as a whole, and
// node by node.

namespace {

namespace pv = purview;
using oracle::Random;
using pv::index_t;
using Field = pv::Tensor<double>;

std::atomic<index_t> calls = 0;

Field counted(const Field& x) {
    return pv::emap(
        [](double v) {
            ++calls;
            return v / (1 + std::abs(v));
        },
        x);
}

/// One of many steps from two fields of n elements to another.
Field step(int kind, const Field& x, const Field& y, const pv::Tensor<index_t>& at, index_t shift) {
    const index_t n = x.size();
    switch (kind) {
    case 0: return counted(x * 0.5 + y);
    case 1: return counted(pv::take(x, at)) - y;
    case 2: return counted(pv::take(x + y, at));
    case 3: return counted(pv::roll(x, shift, 0) + y);
    case 4: return counted(pv::concat(x(pv::range(shift, n)), y(pv::range(0, shift))));
    case 5:
        return counted((x(pv::range(0, n - shift)) * 2.) | pv::pad(pv::PadWidths{{shift, 0}})) + y;
    case 6: return counted(pv::where(x > y, y, x | pv::flip({0})));
    case 7: return counted(pv::take(x, pv::unchecked_cast<index_t>(pv::abs(y) * 8.) % n));
    case 8:
        return counted(pv::take(pv::concat(x, y), at + pv::unchecked_cast<index_t>(y > 0.) * n));
    default:
        return counted((x | pv::reshape({-1, 2}) | pv::transpose({1, 0}) | pv::reshape({-1})) - y);
    }
}

} // namespace

TEST_CASE("A random graph of lazy steps gives what its steps give one by one, in O(steps)") {
    for (std::uint32_t seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const index_t n = 2 * random.between(1, 40);
        auto start = pv::zeros<double>({n});
        for (auto element : start) element = static_cast<double>(random.between(-64, 64)) / 64;
        std::vector<Field> lazy{start};
        std::vector<Field> eager{start};
        const index_t steps = random.between(2, 40);
        for (index_t k = 0; k < steps; ++k) {
            auto at = pv::zeros<index_t>({n});
            for (auto element : at) element = random.between(0, n - 1);
            const auto recent = [&] {
                return static_cast<std::size_t>(random.between(std::max<index_t>(0, k - 3), k));
            };
            const auto kind = static_cast<int>(random.between(0, 9));
            const std::size_t x = recent();
            const std::size_t y = recent();
            const index_t shift = random.between(0, n - 1);
            lazy.push_back(step(kind, lazy[x], lazy[y], at, shift));
            eager.push_back(pv::clone(step(kind, eager[x], eager[y], at, shift)));
        }
        INFO("seed " << seed << ", " << steps << " steps of " << n << " elements");
        calls = 0;
        const auto realised = pv::clone(lazy.back());
        CHECK(calls <= 8 * steps * n);
        CHECK(pv::equals(realised, eager.back()));
        const index_t one = random.between(0, n - 1);
        CHECK(double(lazy.back()(one)) == double(eager.back()(one)));
        CHECK(pv::sum(lazy.back()) == pv::sum(eager.back()));
    }
}

} // namespace lazy_graphs_test
