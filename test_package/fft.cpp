// A program that links purview::fft from outside: a transform and its inverse.
#include <purview/fft/fft.hpp>
#include <purview/purview.hpp>

namespace pv = purview;

int main() {
    const auto x = pv::tensor({1., 2., 4., 8.});
    const auto spectrum = pv::rfft(x);
    return spectrum.size() == 3 && pv::allclose(pv::irfft(spectrum), x) ? 0 : 1;
}
