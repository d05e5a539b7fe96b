#include "counted.hpp"
#include "sparse_support.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace operation_counts_test {

// What docs/sparse.md says an operation costs, counted: an element counts its copies and what is done with it. There are
// 10^18 elements, so that what is not proportional to what is stored does not end.

namespace {

namespace pv = purview;
using pv::index_t;

using oracle::Counted;

constexpr index_t kExtent = 1'000'000'000;
constexpr long kStored = 1000;
constexpr long kUnion = kStored * 3 / 2;

using X = pv::MutableTensor<Counted>;

/// An entry in each of 500 rows twice; half of the places are those of another shift.
X some_entries(index_t shift) {
    std::vector<index_t> indexes;
    std::vector<Counted> values;
    for (index_t i = shift; i < shift + kStored; ++i) {
        indexes.push_back(i / 2 * 1'000 * kExtent + i * 7919);
        values.emplace_back(static_cast<double>(i));
    }
    return pv::sparse_tensor<Counted>({kExtent, kExtent}, std::move(indexes), std::move(values));
}

/// At most so many operations on elements, and copies of them.
struct Bound {
    const char* name;
    long operations;
    long copies;
    std::function<void(const X& x, const X& y)> run;
};

constexpr long kDoublings = 3 * 60; // for the fills of everything
constexpr long kRows = kStored / 2;

/// Each row with entries, backwards, and as many without.
pv::Tensor<index_t> some_rows() { return pv::flip(pv::arange(kStored)) * 500; }

std::vector<Bound> bounds() {
    const auto lazy = [](const char* name, auto f) {
        return Bound{name, 0, 8, [f](const X& x, const X& y) {
                         if constexpr (std::invocable<decltype(f), const X&>)
                             f(x);
                         else
                             f(x, y);
                     }};
    };
    const auto realised = [](const char* name, auto f) {
        return Bound{name, 0, 4 * kStored, [f](const X& x, const X&) { pv::clone(f(x)); }};
    };
    const auto add = [](const X& x, const X& y) { return x + y; };
    const auto turned = [](const X& x) { return pv::transpose(x) | pv::rotate({3, -5}); };
    const auto piece = [](const X& x) {
        return pv::flip(x)(pv::range(0, kExtent, 3), pv::range(9, kExtent));
    };
    return {
        lazy("transpose, rotate", turned),
        lazy("flip, slice", piece),
        lazy("reshape", [](const X& x) { return pv::reshape(x, {-1}); }),
        lazy("diagonal", [](const X& x) { return pv::diagonal(x); }),
        lazy("broadcast",
             [](const X& x) {
                 return pv::broadcast(x, {3, kExtent, kExtent});
             }),
        lazy("sliding_window", [](const X& x) { return pv::sliding_window(x, 1, 3, 1); }),
        lazy("+", add),
        lazy("where", [](const X& x, const X& y) { return pv::where(x < y, x, y); }),
        lazy("concat",
             [](const X& x, const X& y) {
                 return pv::concat({x, y}, 0);
             }),
        lazy("take", [](const X& x) { return pv::take(x, pv::arange(1000), 0); }),
        lazy("an element", [](const X& x) { return x(1'000, 2 * 7919); }),
        lazy("zeros",
             [](const X&) {
                 return pv::sparse_zeros<Counted>({kExtent, kExtent});
             }),

        realised("clone", [](const X& x) { return x; }),
        realised("transpose, rotate, realised", turned),
        realised("flip, slice, realised", piece),
        realised("reshape, realised", [](const X& x) { return pv::reshape(x, {-1}); }),
        {"concat, realised", 4, 10 * kStored,
         [](const X& x, const X&) {
             pv::clone(pv::concat({x, x | pv::rotate({0, 1})}, 1));
         }},
        realised("stack, realised", [](const X& x) { return pv::stack({x}, 0); }),
        realised("take, realised", [](const X& x) { return pv::take(x, some_rows(), 0); }),
        {"take of columns, realised", 0, 6 * kStored,
         [](const X& x, const X&) { pv::clone(pv::take(pv::transpose(x), some_rows(), 1)); }},
        realised("take of few rows, realised",
                 [](const X& x) { return pv::take(x, some_rows()(pv::range(0, 9)), 0); }),
        realised("take of all, realised",
                 [](const X& x) { return pv::take(x, some_rows() * kExtent); }),
        {"take of an operation, realised", 5 * kStored + 2, 8 * kStored,
         [](const X& x, const X&) {
             pv::clone(
                 pv::take(pv::emap([](const Counted& v) { return v * v; }, x), some_rows(), 0));
         }},
        {"twice, realised", 0, 6 * kStored,
         [](const X& x, const X&) {
             pv::clone(pv::broadcast(x, {2, kExtent, kExtent}));
         }},
        {"emap", 5 * kStored + 2, 6 * kStored,
         [](const X& x, const X&) {
             pv::clone(pv::emap([](const Counted& v) { return v * v; }, x));
         }},
        {"+, realised", 5 * kUnion + 2, 10 * kUnion,
         [](const X& x, const X& y) { pv::clone(x + y); }},
        {"comparison, realised", kUnion + 1, 6 * kUnion,
         [](const X& x, const X& y) { pv::clone(x < y); }},
        {"where, realised", 5 * kUnion + 2, 16 * kUnion,
         [](const X& x, const X& y) { pv::clone(pv::where(x < y, x, y)); }},
        {"argfilter", kStored + 1, 4 * kStored,
         [](const X& x, const X&) { pv::argfilter(x == Counted(5)); }},
        {"sum", kStored + kDoublings, 8 * kStored, [](const X& x, const X&) { pv::sum(x); }},
        {"min", kStored + kDoublings, 8 * kStored, [](const X& x, const X&) { pv::min(x); }},
        {"sum of rows", kStored + (kRows + 1) * kDoublings / 2, 8 * kStored + kRows * kDoublings,
         [](const X& x, const X&) { pv::sum(x, 1); }},
        {"sum of columns", kStored + (kStored + 1) * kDoublings / 2,
         8 * kStored + kStored * kDoublings, [](const X& x, const X&) { pv::sum(x, 0); }},
        {"prune", 4 * kStored, 6 * kStored, [](const X& x, const X&) { pv::prune(x); }},
        {"to_sparse", 4 * kStored + 1, 6 * kStored,
         [](const X& x, const X&) { pv::to_sparse(x, Counted(0)); }},
        {"copy", 8 * kStored, 12 * kStored, [](const X& x, const X& y) { pv::copy(x, y); }},
        {"coordinates", 0, 6 * kStored, [](const X&, const X&) { some_entries(0); }},
    };
}

} // namespace

TEST_CASE("operations cost what docs/sparse.md says") {
    for (const Bound& bound : bounds()) {
        const X x = some_entries(0);
        const X y = some_entries(kStored / 2);
        Counted::operations = 0;
        Counted::copies = 0;
        bound.run(x, y);
        const long operations = Counted::operations;
        const long copies = Counted::copies;
        INFO(bound.name);
        CHECK(operations <= bound.operations);
        CHECK(copies <= bound.copies);
    }
}

} // namespace operation_counts_test
