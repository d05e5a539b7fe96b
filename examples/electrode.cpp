/// The potential around an electrode and a grounded box, by conjugate gradients on a stencil, and its picture.

#include "check.hpp"

#include <purview/image/save_image.hpp>
#include <purview/linalg.hpp>
#include <purview/purview.hpp>

namespace pv = purview;
namespace la = pv::linalg;

int main() {
    // [poisson]
    const pv::index_t n = 256;
    auto x = pv::linspace(-1, 1, n), y = x(pv::all, pv::new_axis);
    auto electrode = pv::clone(pv::sq(x + 0.4) + pv::sq(y) < 0.02);   // held at 1
    auto box = pv::clone(pv::abs(x - 0.4) < 0.2 && pv::abs(y) < 0.5); // held at 0
    auto held = pv::clone(electrode || box);

    auto i = pv::arange(n)(pv::all, pv::new_axis), k = pv::arange(n);
    auto laplace = [&](auto u) { // less the Laplacian; the potential is 0 at the edge
        return 4. * u - pv::where(i > 0, pv::roll(u, 1, 0), 0.) -
               pv::where(i < n - 1, pv::roll(u, -1, 0), 0.) -
               pv::where(k > 0, pv::roll(u, 1, 1), 0.) -
               pv::where(k < n - 1, pv::roll(u, -1, 1), 0.);
    };
    auto given = pv::clone(pv::where(electrode, 1., 0.));
    // What is held is known: its equations are u = 0 for what is added to `given`.
    auto system = [&](auto u) { return pv::where(held, u, laplace(pv::where(held, 0., u))); };
    auto right = pv::clone(pv::where(held, 0., -laplace(given)));
    auto [rest, iterations, residual] = la::cg(system, right, {.tolerance = 1e-10});
    auto potential = pv::clone(given + rest);

    auto image = potential | pv::colorize(pv::gradients::viridis);
    pv::save_image("electrode.png", pv::clone(image));
    // [/poisson]

    check(residual < 1e-10, "the system is solved");
    check(pv::allclose(pv::where(held, potential, given), given), "what is held stays");
    check(pv::all_of(potential > -1e-9) && pv::all_of(potential < 1 + 1e-9),
          "the potential has its extremes where it is held");
    const auto inside = pv::clone(laplace(potential));
    check(double(pv::max(pv::abs(pv::where(held, 0., inside)))) < 1e-8,
          "elsewhere it is the mean of its neighbours");
    return exit_status();
}
