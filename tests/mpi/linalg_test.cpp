// Distributed matrices are not solved: the error names the function, and what gathers them.
#include "mpi/ranks.hpp"
#include "support/catch.hpp"

#include <purview/linalg.hpp>
#include <purview/purview.hpp>

namespace pm = purview::mpi;
namespace pv = purview;
namespace la = purview::linalg;

TEST_CASE("Functions of distributed matrices are refused by name, before a rank waits") {
    const auto whole = pv::clone(pv::random_normal({6, 6}, 1) + 9. * pv::eye(6));
    const auto b = pv::ones({6});
    const pm::Grid grid(oracle::world());
    const auto x = pm::distribute(whole, pm::blocks({6, 6}, grid));
    const auto a = x.global();
    const auto refused = [](const std::string& what, const auto& call) {
        const std::string text = oracle::thrown<pm::DistributionError>(call);
        INFO(text);
        CHECK(text.starts_with(what + ": "));
        CHECK(text.find("purview::mpi::all_gather(x)") != std::string::npos);
    };
    refused("solve", [&] { la::solve(a, b); });
    refused("solve", [&] { la::solve(2. * a, b); });
    refused("inv", [&] { la::inv(a); });
    refused("det", [&] { la::det(a); });
    refused("svd", [&] { la::svd(a); });
    refused("eigh", [&] { la::eigh(a); });
    refused("pinv", [&] { la::pinv(a); });
    refused("matrix_rank", [&] { la::matrix_rank(a); });
    refused("lstsq", [&] { la::lstsq(a, b); });
    refused("cholesky_solve", [&] { la::cholesky_solve(a, b); });
    refused("matrix_power", [&] { la::matrix_power(a, 2); });
    refused("cg", [&] { la::cg(a, b); });
    CHECK(pv::equals(la::solve(pm::all_gather(x), b), la::solve(whole, b)));
}
