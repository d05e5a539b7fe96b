#include "hostile/allocation_cases.hpp"
#include "hostile/check.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>
#include <support/temporary.hpp>

#include <functional>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace pv = purview;
using hostile::check;

namespace {

/// Something with operator<< of its own.
struct Point {
    double x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Point& p) {
        return out << "a point that needs more than a short string: " << p.x << ", " << p.y;
    }
};

/// Prints to a stream that the user has made: either all is written, or somebody says that it is not.
template <typename X>
std::function<void()> prints(X x) {
    std::ostringstream first;
    first << x;
    return [x = std::move(x), expected = first.str()] {
        std::ostringstream out;
        out << x;
        if (out.bad()) throw std::bad_alloc();
        check(out.str() == expected, "what is printed is whole");
    };
}

hostile::AllocationCases cases(const temporary::Folder& folder) {
    hostile::AllocationCases add;
    const auto t = pv::clone(pv::reshape(pv::arange<double>(0., 60.), {3, 4, 5}));
    const auto big = pv::clone(pv::arange<double>(0., 600'000.));
    add("clone", [=] { check(pv::clone(t * 2. + t)(2, 3, 4) == 177., "clone"); });
    add("large clone", [=] { check(pv::clone(big + 1.)(599'999) == 600'000., "large clone"); });
    add("views", [=] {
        const auto v = pv::transpose(t(pv::range(1, 3), pv::all, pv::indexes({4, 0})), {2, 0, 1});
        check(v(0, 1, 3) == 59. && pv::sum(v) == pv::sum(pv::clone(v)), "views");
    });
    add("reductions", [=] {
        const auto s = pv::clone(pv::sum(t, {0, 2}));
        check(s.size() == 4 && s(0) == 330., "reductions");
        check(pv::max(pv::clone(pv::argmax(t, {2}))) == 4, "argmax");
    });
    add("sorts", [=] {
        check(pv::sort(pv::clone(pv::flip(big)))(7) == 7., "sort");
        check(pv::argfilter(t > 58.).size() == 1, "argfilter");
    });
    add("gathers", [=] {
        const auto list = pv::tensor<pv::index_t>({2, 0});
        check(pv::sum(pv::take(t, list, 0)) == pv::sum(t(2, pv::all)) + pv::sum(t(0, pv::all)),
              "take");
    });
    add("tables", [=] {
        const auto keys = pv::tensor({"one", "a longer key than the short ones", "one"});
        const auto [found, sums] = pv::group_by_reduce(keys, pv::tensor({1., 2., 4.}), pv::sum);
        check(found.size() == 2 && pv::max(sums) == 5., "group_by_reduce");
        const auto [numbers, means] =
            pv::group_by_reduce(pv::tensor({7, 3, 7}), pv::tensor({1., 2., 4.}), pv::mean);
        check(numbers.size() == 2 && pv::max(means) == 2.5, "means of groups");
        check(pv::unique(keys).size() == 2 && pv::sort(keys)(1) == "one", "unique, sort");
        check(pv::isin(keys, pv::tensor({"one"}))(2), "isin");
        check(pv::searchsorted(big, pv::tensor({5.5}))(0) == 6, "searchsorted");
    });
    add("windows", [=] {
        const auto few = big(pv::range(0, 500));
        check(pv::sum(pv::fixed_rolling_window(few, 3, pv::median)) > 0, "rolling medians");
        check(pv::cumsum(big)(2) == 3. && pv::convolve1d(big, pv::tensor({1., 1.}))(1) == 1.,
              "scans and convolutions");
        check(pv::clone(pv::concat({big, big})).size() == 1'200'000, "concat");
    });
    add("dims", [=] {
        const pv::Dim i("i");
        const pv::Dim j("j");
        const pv::Dim k("k");
        const auto x = pv::order(t(i, j, k) * t(i, j, k), k, j, i);
        check(pv::clone(x)(4, 3, 2) == 59. * 59., "dims");
    });
    add("print numbers", prints(pv::AnyTensor(t)));
    add("print many", prints(pv::AnyTensor(big)));
    add("print objects", prints(pv::AnyTensor(pv::tensor({Point{1, 2}, Point{3, 4}}))));
    add("print strings", prints(pv::AnyTensor(pv::tensor(std::vector<std::string>{
                             "one", "a longer one than the short ones"}))));
    add("print a description", prints(t.description()));
    add("explain", [text = pv::explain(t * 2. + Point{}.x), t] {
        check(pv::explain(t * 2. + Point{}.x) == text, "explain is whole");
    });
    const auto same = pv::tensor({Point{1, 2}, Point{3, 4}}) == Point{1, 2};
    add("explain objects", [text = pv::explain(same), same] {
        check(text.find("a point that needs more") != std::string::npos, "constants are printed");
        check(pv::explain(same) == text, "explain is whole");
    });
    const std::string npy = folder / "x.npy";
    add("npy", [=] {
        pv::save_npy(npy, t);
        check(pv::sum(pv::load_npy<double>(npy)) == 1770., "npy");
    });
    const pv::CooMatrix<double> coo(20, 30, pv::tensor<pv::index_t>({1, 0, 19}),
                                    pv::tensor<pv::index_t>({2, 0, 29}), pv::tensor({5., 4., 1.}));
    const std::string npz = folder / "x.npz";
    add("npz", [=] {
        pv::save_npz(npz, coo, pv::Compression::deflated);
        check(pv::load_npz_coo(npz).stored() == 3, "npz");
    });
    const std::string mtx = folder / "x.mtx";
    add("mtx", [=] {
        pv::save_mtx(mtx, coo);
        check(pv::load_mtx(mtx).stored() == 3, "mtx");
    });
    add("sparse", [=] {
        const auto s = pv::to_sparse(pv::tensor({0., 0., 3., 0.}));
        check(pv::sum(pv::clone(s * 2. + s)) == 9., "sparse");
        check(pv::matmul(pv::to_csr(coo), pv::full({30}, 1.))(19) == 1., "sparse product");
    });
    add("index sets", [] {
        const auto a = pv::IndexSet::interval(5, 300'000);
        const pv::IndexSet b{1, 7, 70'000, pv::index_t{1} << 40};
        check((a | b).size() == 299'997 && (a & b).size() == 2 && (a - b).size() == 299'993 &&
                  (a ^ b).size() == 299'995,
              "set algebra");
        check(pv::IndexSet::deserialize((a | b).serialize()) == (a | b), "serialised");
        check(b.select(2) == 70'000 && a.complement(0, 10).size() == 5, "positions");
    });
    return add;
}

} // namespace

int main() {
    const temporary::Folder folder;
    cases(folder).fail_all(1000);
}
