#include "lapack.hpp"

#include "evaluation/lapack.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/blas.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

template <typename F>
bool find(const std::string& name, F& function) {
    function = reinterpret_cast<F>(lapack_symbol(name.c_str()));
    return function != nullptr;
}

template <typename T>
std::pair<Lapack<T>, bool> found_functions() {
    const char letter = std::is_same_v<T, float>                 ? 's'
                        : std::is_same_v<T, double>              ? 'd'
                        : std::is_same_v<T, std::complex<float>> ? 'c'
                                                                 : 'z';
    const auto name = [&](const char* function) { return letter + std::string(function) + '_'; };
    Lapack<T> own{};
    const bool has_all = find(name("gemm"), own.gemm) && find(name("getrf"), own.getrf) &&
                         find(name("getrs"), own.getrs) && find(name("getri"), own.getri) &&
                         find(name("trtrs"), own.trtrs) && find(name("potrf"), own.potrf) &&
                         find(name("gelqf"), own.gelqf) &&
                         find(name(kIsComplex<T> ? "unglq" : "orglq"), own.make_q) &&
                         find(name("gesdd"), own.gesdd) &&
                         find(name(kIsComplex<T> ? "heevd" : "syevd"), own.eigh) &&
                         find(name("geev"), own.geev);
    return {own, has_all};
}

} // namespace

template <typename T>
const Lapack<T>& lapack(const char* what) {
    static const std::pair<Lapack<T>, bool> known = found_functions<T>();
    if (!known.second)
        throw Error(fmt::format(
            "{}: there is no LAPACK beside {}: install libopenblas0 (or liblapack3), or name "
            "a BLAS that has it by the environment variable PURVIEW_BLAS",
            what, blas_library()));
    return known.first;
}

template const Lapack<float>& lapack(const char*);
template const Lapack<double>& lapack(const char*);
template const Lapack<std::complex<float>>& lapack(const char*);
template const Lapack<std::complex<double>>& lapack(const char*);

} // namespace purview::linalg
