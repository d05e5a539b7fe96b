/// Which elements, and in which order: indexes as tensors, and as compressed sets.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace pv = purview;
using Indexes = std::vector<std::int64_t>;

int main() {
    // [indexes]
    auto x = pv::tensor({3.0, 1.0, 4.0, 1.0, 5.0});
    auto order = pv::argsort(x);         // {1, 3, 0, 2, 4}: stable
    auto sorted = pv::take(x, order, 0); // a lazy gather
    auto large = pv::argfilter(x > 2);   // {0, 2, 4}
    auto [found, position] = pv::binary_search(sorted, 4.0);
    auto groups = pv::arggroup(x);   // the indexes of each value
    auto best = pv::arg_max_n(x, 2); // {4, 2}
    // [/indexes]
    check(pv::to_vector(order) == Indexes{1, 3, 0, 2, 4}, "order");
    check(pv::to_vector(large) == Indexes{0, 2, 4}, "large");
    check(found && position == 3, "found");
    check(groups.size() == 4, "groups");
    check(pv::to_vector(best) == Indexes{4, 2}, "best");

    // [as-of]
    auto trade = pv::tensor({10, 20, 30}); // when, ascending on both sides
    auto quote = pv::tensor({5, 12, 19});
    auto bid = pv::tensor({1.0, 1.5, 2.0});
    auto row = pv::as_of(trade, quote, {.tolerance = 6}); // {0, 2, -1}: the last quote before
    auto known = pv::where(row >= 0, pv::take(bid, pv::maximum(row, 0), 0), std::nan(""));
    // [/as-of]
    check(pv::to_vector(row) == Indexes{0, 2, -1}, "as_of");
    check(known.read(1) == 2 && std::isnan(known.read(2)), "known");

    // [join]
    auto sold = pv::tensor<std::string>({"pear", "fig", "apple", "fig"});
    auto article = pv::tensor<std::string>({"apple", "fig"});
    auto price = pv::tensor({0.5, 2.0});
    auto rows = pv::join(sold, article, pv::JoinKind::left); // left {0 1 2 3}, right {-1 1 0 1}
    auto paid = pv::where(rows.right >= 0, pv::take(price, pv::maximum(rows.right, 0), 0), 0.0);
    auto unknown = pv::join(sold, article, pv::JoinKind::anti).left; // {0}
    // [/join]
    check(pv::to_vector(rows.right) == Indexes{-1, 1, 0, 1}, "join");
    check(pv::to_vector(paid) == std::vector<double>{0, 2, 0.5, 2}, "paid");
    check(pv::to_vector(unknown) == Indexes{0}, "anti");

    // [sets]
    pv::IndexSet heavy = pv::index_set(x > 2); // compressed
    pv::IndexSet early = pv::IndexSet::interval(0, 3);
    auto both = x(heavy & early); // a view of elements 0 and 2
    bool third = (heavy | early).contains(1);
    auto rest = pv::to_vector(x(heavy.complement(0, 5)));
    // [/sets]
    check(pv::to_vector(both) == std::vector<double>{3, 4}, "both");
    check(third && rest == std::vector<double>{1, 1}, "sets");
    return exit_status();
}
