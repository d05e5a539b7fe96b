/// The principal components of observations that lie in a Zarr array, larger than the memory that is allowed, and their
/// spectrum.

#include "check.hpp"

#include <purview/fft/fft.hpp>
#include <purview/linalg.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <iostream>
#include <numbers>

namespace pv = purview;
namespace la = pv::linalg;

int main() {
    const pv::index_t rows = 20'000, n = 128;
    const auto angle = [&](double frequency) {
        return pv::arange(n) * (2 * std::numbers::pi * frequency / static_cast<double>(n));
    };
    // Each observation is a mixture of three waves, and noise.
    const auto weights = pv::clone(pv::random_normal({rows, 3}, 1) * pv::tensor({9., 4., 2.}));
    const auto waves =
        pv::clone(pv::stack(pv::sin(angle(3)), pv::cos(angle(7)), pv::sin(angle(20))));
    pv::save_zarr(
        "observations",
        pv::clone(pv::matmul(weights, waves) + 0.1 * pv::random_normal({rows, n}, 2) + 5.),
        {.chunks = {1000, n}, .overwrite = true});

    // [pca]
    pv::set_memory_limit(8 << 20); // the observations have 20 MB
    auto observations = pv::open_zarr<double>("observations");
    pv::reset_chunk_statistics();
    auto [components, variances, mean, steps, rest] =
        la::pca(observations, 3, {.randomised = true});
    auto read = pv::chunk_statistics().chunks_read; // each of the 20 chunks three times
    auto spectrum = pv::abs(pv::rfft(components));
    auto frequencies = pv::argmax(spectrum, 1); // 3, 7 and 20
    // [/pca]
    pv::set_memory_limit(1 << 30);

    std::cout << read << " readings, variances " << variances << ", frequencies " << frequencies
              << '\n';
    check(read == 60, "each chunk is read three times");
    check(pv::all_of(frequencies == pv::tensor<pv::index_t>({3, 7, 20})), "the waves are found");
    const auto expected = pv::tensor({81., 16., 4.}) * (static_cast<double>(n) / 2);
    check(pv::allclose(variances, expected, {.relative = 0.05}), "with their variances");
    check(pv::allclose(mean, pv::full({n}, 5.), {.absolute = 0.2}), "around their mean");
    return exit_status();
}
