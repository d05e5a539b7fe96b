#include "hostile/allocation_failures.hpp"
#include "hostile/check.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>
#include <support/temporary.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace pv = purview;
using hostile::Allocator;
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

struct Case {
    std::string name;
    std::function<void()> run; ///< checks its results
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

/// Everything is evaluated on one thread, so that requests come in one order.
std::vector<Case> cases(const temporary::Folder& folder) {
    std::vector<Case> all;
    const auto add = [&](std::string name, std::function<void()> run) {
        all.push_back({std::move(name), std::move(run)});
    };
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
    return all;
}

/// Lets every request of a case fail in turn.
std::size_t run(const Case& test, Allocator allocator) {
    test.run(); // so that what is remembered is there
    hostile::fail_allocation(allocator, 0);
    test.run();
    const std::size_t requests = hostile::stop_failing().count;
    for (std::size_t k = 1; k <= requests; ++k) {
        bool thrown = false;
        hostile::fail_allocation(allocator, k);
        try {
            test.run();
        } catch (const std::exception&) {
            thrown = true;
        }
        const auto [count, failed] = hostile::stop_failing();
        if (thrown && !failed) {
            std::fprintf(stderr, "%s: request %zu\n", test.name.c_str(), k);
            check(false, "an exception without a failure");
        }
        test.run(); // nothing is left half done
    }
    return requests;
}

} // namespace

int main() {
    pv::set_threads(1);
    pv::set_recycled_memory_limit(0); // so that memory is asked for
    const temporary::Folder folder;
    std::size_t requests = 0;
    for (const Case& test : cases(folder))
        for (const Allocator allocator : {Allocator::heap, Allocator::mapping})
            requests += run(test, allocator);
    std::printf("%zu requests have failed\n", requests);
    check(requests > 500, "there was something to fail");
}
