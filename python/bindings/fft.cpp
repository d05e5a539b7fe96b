// Fourier transforms, by purview::fft: what purview/fft.py is made of.

#include "fft.hpp"

#include "computing.hpp"
#include "options.hpp"

#include <purview/fft/fft.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>
#include <vector>

namespace purview_python {
namespace {

constexpr Named<pv::Fourier> kTransforms[] = {{"fft", pv::Fourier::forward},
                                              {"ifft", pv::Fourier::inverse},
                                              {"rfft", pv::Fourier::of_real},
                                              {"irfft", pv::Fourier::to_real}};
constexpr Named<pv::FftNorm> kNorms[] = {{"backward", pv::FftNorm::backward},
                                         {"ortho", pv::FftNorm::ortho},
                                         {"forward", pv::FftNorm::forward}};

/// Along axes, the last of which gets a length, in memory.
nb::object transformed(const char* what, std::string_view transform, nb::handle x,
                       const std::vector<pv::index_t>& axes, std::optional<pv::index_t> length,
                       std::string_view norm) {
    const Array array = number_array(x);
    const pv::FftOptions options{.norm = named(what, "norm", norm, kNorms), .length = length};
    const pv::Fourier kind = named("fft", "transform", transform, kTransforms);
    const pv::index_t work = steps(array.size(), 10);
    const pv::Operand result = computing(
        work, [&] { return pv::fourier_operand(what, array.operand(), axes, kind, options); });
    return object_of(result.node->reads(pv::Below::symbol) ? Array(result) : owned(result));
}

} // namespace

void bind_fft(nb::module_& module) {
    module.def("_fourier", &transformed, nb::arg("what"), nb::arg("transform"), nb::arg("x"),
               nb::arg("axes"), nb::arg("length").none(), nb::arg("norm"));
}

} // namespace purview_python
