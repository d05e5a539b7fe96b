// Functions of whole matrices, by purview::linalg: what purview/linalg.py is made of.

#include "linalg.hpp"

#include "computing.hpp"
#include "operators_of_vectors.hpp"
#include "options.hpp"
#include "truth.hpp"

#include <purview/linalg/least_squares.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace purview_python {
namespace {

using pv::linalg::MatrixFunction;

constexpr Named<MatrixFunction> kFunctions[] = {
    {"solve", MatrixFunction::solve},     {"solve_triangular", MatrixFunction::solve_triangular},
    {"inv", MatrixFunction::inv},         {"det", MatrixFunction::det},
    {"slogdet", MatrixFunction::slogdet}, {"cholesky", MatrixFunction::cholesky},
    {"qr", MatrixFunction::qr},           {"lu", MatrixFunction::lu},
    {"svd", MatrixFunction::svd},         {"svdvals", MatrixFunction::svdvals},
    {"eigh", MatrixFunction::eigh},       {"eigvalsh", MatrixFunction::eigvalsh},
    {"eig", MatrixFunction::eig},         {"eigvals", MatrixFunction::eigvals},
    {"expm", MatrixFunction::expm}};

constexpr Named<pv::linalg::IfSingular> kIfSingular[] = {{"raise", pv::linalg::IfSingular::error},
                                                         {"nan", pv::linalg::IfSingular::nan}};

/// A result in new memory, or an expression of symbols.
nb::object result_object(const pv::Operand& x) {
    return object_of(x.node->reads(pv::Below::symbol) ? Array(x) : owned(x));
}

/// All results of a function: memory of their own, or of symbols expressions.
nb::tuple matrix_results(std::string_view name, nb::args matrices, Truth upper, Truth full,
                         std::string_view if_singular) {
    const MatrixFunction function = named("linalg", "function", name, kFunctions);
    const pv::linalg::MatrixOptions options{
        upper, full, named(std::string(name).c_str(), "if_singular", if_singular, kIfSingular)};
    std::vector<pv::Operand> operands;
    pv::index_t work = 0;
    for (nb::handle each : matrices) {
        const Array array = number_array(each);
        const pv::index_t row = array.rank() == 0 ? 1 : array.shape().back();
        work = std::max(work, steps(steps(array.size(), 10), std::max<pv::index_t>(row, 1)));
        operands.push_back(array.operand());
    }
    const std::vector<pv::Operand> results =
        computing(work, [&] { return pv::linalg::matrix_results(function, operands, options); });
    nb::list arrays;
    for (const pv::Operand& result : results) arrays.append(result_object(result));
    return nb::tuple(arrays);
}

/// The inverse and the singular values.
nb::tuple pseudo_inverse(nb::handle matrix, nb::handle tolerance) {
    const Array array = number_array(matrix);
    std::optional<pv::Operand> limit;
    if (!tolerance.is_none()) limit = number_array(tolerance).operand();
    const pv::index_t row = array.rank() == 0 ? 1 : array.shape().back();
    const pv::linalg::PseudoInverse made =
        computing(steps(steps(array.size(), 10), std::max<pv::index_t>(row, 1)),
                  [&] { return pv::linalg::pseudo_inverse(array.operand(), limit); });
    return nb::make_tuple(result_object(made.inverse), result_object(made.values));
}

} // namespace

void bind_linalg(nb::module_& module) {
    module.def("_matrix_results", &matrix_results, nb::arg("function"), nb::arg("matrices"),
               nb::kw_only(), nb::arg("upper") = false, nb::arg("full") = false,
               nb::arg("if_singular") = "raise");
    module.def("_pseudo_inverse", &pseudo_inverse, nb::arg(), nb::arg().none());
    bind_operators_of_vectors(module);
}

} // namespace purview_python
