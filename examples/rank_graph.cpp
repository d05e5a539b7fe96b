// Ranks the members of a karate club by whom they know: power iteration on a sparse matrix.

#include "check.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>

#include <cmath>
#include <iostream>
#include <string>

namespace pv = purview;
using pv::index_t;

int main() {
    const std::string data_dir = PURVIEW_EXAMPLE_DATA_DIR;
    // [rank]
    const pv::CsrMatrix<double> links = pv::load_mtx(data_dir + "/karate.mtx");
    const index_t n = links.rows();
    const auto degrees = pv::matmul(links, pv::ones({n}));
    auto rank = pv::full({n}, 1.0 / static_cast<double>(n));
    for (int step = 0; step < 100; ++step)
        rank =
            (pv::matmul(links, rank / degrees) * 0.85 + 0.15 / static_cast<double>(n)) | pv::clone;
    // [/rank]

    const auto first = pv::argsort(rank, pv::descending);
    for (index_t place = 0; place < 5; ++place)
        std::cout << "member " << first.read(place) + 1 << ": " << rank.read(first.read(place))
                  << '\n';

    check(links.stored() == 2 * 78, "78 friendships, each both ways");
    check(pv::sum(degrees) == 2.0 * 78, "degrees");
    check(std::abs(pv::sum(rank) - 1) < 1e-12, "ranks are shares");
    check(first.read(0) == 33 && first.read(1) == 0, "the president, then the instructor");
    check(std::abs(rank.read(33) - 0.10092) < 1e-4, "the rank that others compute");

    // The same by columns, and friends of friends.
    check(pv::all_of(pv::matmul(pv::to_csc(links), pv::ones({n})) == degrees), "by columns");
    const auto paths = pv::matmul(links, links);
    check(pv::sum(paths.values()) == pv::sum(pv::sq(degrees)), "paths of two steps");

    // Through a file that SciPy reads, and back.
    pv::save_npz("karate.npz", links);
    const pv::CsrMatrix<double> again = pv::load_npz("karate.npz");
    check(pv::all_of(again.indices() == links.indices()), "the same matrix");
    return exit_status();
}
