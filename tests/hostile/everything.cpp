#include "hostile/everything.hpp"

#include "hostile/check.hpp"

#include <purview/chrono.hpp>
#include <purview/purview.hpp>
#include <purview/sparse.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <vector>

namespace pv = purview;

namespace hostile {
namespace {

constexpr pv::index_t kCount = 400'000; ///< worth several threads

void folds_and_clones() {
    const auto x = pv::clone(pv::arange<double>(0., double{kCount}));
    check(pv::sum(x) == double{kCount} * (kCount - 1) / 2, "sum");
    const auto y = pv::clone(pv::sqrt(x * x) + 1.);
    check(y(kCount - 1) == double{kCount} && y(0) == 1., "clone");
    check(pv::max(y) == double{kCount} && pv::argmax(y) == kCount - 1, "extremes");
    check(pv::count_true(x < 1000.) == 1000, "counts");
}

void sorts() {
    const auto x = pv::clone(pv::flip(pv::arange<std::int64_t>(0, kCount)));
    const auto sorted = pv::sort(x);
    for (pv::index_t i = 0; i < kCount; i += 997) check(sorted(i) == i, "sort");
    const auto order = pv::argsort(x);
    check(order(0) == kCount - 1 && order(kCount - 1) == 0, "argsort");
    const auto every = pv::argfilter(x % 2 == 0);
    check(every.size() == kCount / 2, "argfilter");
}

void products() {
    const auto a = pv::clone(pv::reshape(pv::arange<double>(0., 256. * 256.), {256, 256}));
    const auto ones = pv::full({256, 256}, 1.);
    const auto product = pv::matmul(a, ones);
    check(product(0, 5) == 255. * 256. / 2, "matmul");
}

void small_ones() {
    const auto t = pv::tensor({{0., 1., 2.}, {3., 4., 5.}});
    const auto view = pv::clone(pv::transpose(t, {1, 0}) * 2. + 1.);
    check(view(2, 1) == 11., "small clone");
    check(pv::sum(pv::take(t, pv::tensor<pv::index_t>({1, 0}), 0)) == 15., "take");
    const pv::Dim i("i");
    const pv::Dim j("j");
    check(pv::order(t(i, j) * t(i, j), j, i)(2, 1) == 25., "dims");
    std::ostringstream text;
    text << t;
    check(!text.str().empty() && !pv::explain(t * 2).empty(), "text");
}

void sets_and_sparse() {
    const pv::IndexSet none;
    const auto set = pv::IndexSet::interval(5, 70'000) | none;
    check(set.size() == 69'995 && set.select(0) == 5, "index sets");
    const auto s = pv::to_sparse(pv::tensor({0., 0., 3., 0.}));
    check(pv::sum(s * 2.) == 6., "sparse");
    const pv::CooMatrix<double> coo(2, 3, pv::tensor<pv::index_t>({1, 0}),
                                    pv::tensor<pv::index_t>({2, 0}), pv::tensor({5., 4.}));
    check(pv::matmul(pv::to_csr(coo), pv::tensor({1., 1., 2.}))(1) == 10., "matrices");
}

void times() {
    using namespace std::chrono;
    const auto day = sys_days(year(2024) / 2 / 29);
    const auto days = pv::tensor({day, day + std::chrono::days(1)});
    check(pv::month_of(days)(1) == 3, "time");
}

} // namespace

void evaluate_everything() {
    folds_and_clones();
    sorts();
    products();
    small_ones();
    sets_and_sparse();
    times();
}

} // namespace hostile
