// Functions of matrices on what lies on a device: refused by name, with the way out; what is made of operations alone is computed.
#include "devices.hpp"

#include <purview/linalg.hpp>

namespace {
using namespace gpu_tests;
namespace la = purview::linalg;

TEST_CASE("Matrices on a device are not solved there: the error names the function and to_host") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto here = pv::clone(pv::random_normal({6, 6}, 1) + 9. * pv::eye(6));
        const auto vector = pv::random_normal({6}, 2) | pv::clone;
        const auto a = gpu::to_device(here, d);
        const auto b = gpu::to_device(vector, d);
        const auto refused = [](const std::string& what, const auto& call) {
            const std::string text = oracle::device_error(call);
            INFO(text);
            CHECK(text.starts_with(what + ": "));
            CHECK(text.find("gpu::to_host(x)") != std::string::npos);
        };
        refused("solve", [&] { la::solve(a, b); });
        refused("solve", [&] { la::solve(here, b); });
        refused("solve_triangular", [&] { la::solve_triangular(a, vector); });
        refused("cholesky_solve", [&] { la::cholesky_solve(a, vector); });
        refused("inv", [&] { la::inv(a); });
        refused("inv", [&] { la::inv(2. * a); });
        refused("det", [&] { la::det(a); });
        refused("slogdet", [&] { la::slogdet(a); });
        refused("cholesky", [&] { la::cholesky(a); });
        refused("qr", [&] { la::qr(a); });
        refused("lu", [&] { la::lu(a); });
        refused("svd", [&] { la::svd(a); });
        refused("svdvals", [&] { la::svdvals(a); });
        refused("eigh", [&] { la::eigh(a); });
        refused("eigvalsh", [&] { la::eigvalsh(a); });
        refused("eig", [&] { la::eig(a); });
        refused("eigvals", [&] { la::eigvals(a); });
        refused("expm", [&] { la::expm(a); });
        refused("pinv", [&] { la::pinv(a); });
        refused("matrix_rank", [&] { la::matrix_rank(a); });
        refused("cond", [&] { la::cond(a); });
        refused("lstsq", [&] { la::lstsq(a, vector); });
        refused("lstsq", [&] { la::lstsq(here, b); });
        refused("matrix_power", [&] { la::matrix_power(a, 2); });
        refused("cg", [&] { la::cg(a, vector); });
        refused("gmres", [&] { la::gmres(here, b); });
        refused("minres", [&] { la::minres([&](auto u) { return b * u; }, vector); });
        refused("jacobi", [&] { la::jacobi(a); });
        const pv::Dim i("i"), k("k");
        refused("solve", [&] { la::solve(a(i, k), b(i), i, k); });
        refused("pinv", [&] { la::pinv(a(i, k), i, k); });
        const auto c = pv::computation([](auto x, auto y) { return la::solve(x, y); },
                                       pv::spec<double>({6, 6}), pv::spec<double>({6}));
        refused("solve", [&] { c(a, b); });
        CHECK(pv::equals(la::solve(gpu::to_host(a), gpu::to_host(b)), la::solve(here, vector)));
        CHECK(pv::allclose(gpu::to_host(la::trace(a)), la::trace(here)));
    });
}

} // namespace
