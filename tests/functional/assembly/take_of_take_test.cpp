#include <support/catch.hpp>

#include <purview/purview.hpp>

namespace take_of_take_test {

namespace pv = purview;

TEST_CASE("take of take: errors of both, writing through both, sums") {
    const auto x = pv::clone(pv::reshape(pv::arange(24.), {2, 3, 4}));
    const auto rows = pv::tensor({2, 0});
    const auto columns = pv::tensor({3, -1, 0});
    const auto both = pv::take(pv::take(x, rows, 1), columns, 2);
    CHECK(pv::equals(both, pv::take(pv::clone(pv::take(x, rows, 1)), columns, 2)));
    CHECK(pv::sum(both) == pv::sum(pv::clone(both)));
    const auto read = [](const auto& taken) { (void)pv::clone(taken); };
    CHECK_THROWS_WITH(read(pv::take(pv::take(x, pv::tensor({3}), 1), columns, 2)),
                      "take: index 3 is out of range for axis 1 of size 3");
    CHECK_THROWS_WITH(read(pv::take(pv::take(x, rows, 1), pv::tensor({4}), 2)),
                      "take: index 4 is out of range for axis 2 of size 4");
    // Axes 1 and 2 of the inner one are those of its indexes, and its axis 3 is axis 2 of x.
    const auto places = pv::take(x, pv::tensor({{0, 1}, {1, 2}}), 1);
    CHECK_THROWS_WITH(read(pv::take(places, pv::tensor({7}), 3)),
                      "take: index 7 is out of range for axis 3 of size 4");
    CHECK_THROWS_WITH(read(pv::take(places, pv::tensor({2}), 2)),
                      "take: index 2 is out of range for axis 2 of size 2");
    pv::assign(pv::take(pv::take(x, rows, 1), pv::tensor({1, 2}), 2), -1.);
    CHECK(pv::sum(x == -1.) == 8);
    CHECK(x(0, 1, 1) == 5);
}

} // namespace take_of_take_test
