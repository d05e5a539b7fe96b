// Solutions, eigenvalues and singular values by products, by purview::linalg: what purview/_operators.py calls.

#include "operators_of_vectors.hpp"

#include "as_array.hpp"
#include "callback.hpp"
#include "computing.hpp"
#include "dtypes.hpp"
#include "leaf_function.hpp"
#include "options.hpp"
#include "raised.hpp"
#include "tracing.hpp"
#include "truth.hpp"

#include <purview/dtype/complex_element.hpp>
#include <purview/linalg/eigenvalues.hpp>
#include <purview/linalg/incomplete.hpp>
#include <purview/linalg/iterative.hpp>
#include <purview/linalg/singular_values.hpp>

#include <nanobind/stl/string_view.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace purview_python {
namespace {

namespace la = pv::linalg;
using la::OperatorPtr;

/// The type of vectors, of elements of a matrix.
pv::DType vector_dtype(pv::DType given) {
    return given == pv::float32 || !given.is_builtin() ? given : pv::float64;
}

/// Of two of them: complex if one is, in double precision if one is.
pv::DType common_dtype(pv::DType a, pv::DType b) {
    const bool is_double =
        a.size_bytes() > (a.is_builtin() ? 4 : 8) || b.size_bytes() > (b.is_builtin() ? 4 : 8);
    if (a.is_builtin() && b.is_builtin()) return is_double ? pv::float64 : pv::float32;
    return is_double ? pv::kDType<std::complex<double>> : pv::kDType<std::complex<float>>;
}

/// What solves with incomplete factors.
struct Factors {
    const char* what;
    pv::DType dtype;
    OperatorPtr inverse;
};
Factors incomplete_factors(std::string_view kind, nb::handle matrix) {
    const Array array = number_array(matrix);
    const pv::DType dtype = vector_dtype(array.dtype());
    const bool is_cholesky = kind == "ic0";
    return {is_cholesky ? "ic0" : "ilu0", dtype, computing(steps(array.size(), 1), [&] {
                return la::incomplete_factors(is_cholesky ? la::Incomplete::cholesky
                                                          : la::Incomplete::lu,
                                              array.operand(), dtype);
            })};
}

/// How often a function of Python is called: the interpreter's lock is let go meanwhile.
constexpr pv::index_t kLong = 1 << 22;

bool is_function(nb::handle given) {
    return array_in(given) == nullptr && PyCallable_Check(given.ptr()) != 0 &&
           !nb::hasattr(given, "__array__");
}
/// A matrix, a function of an array, or factors.
OperatorPtr operator_in(const char* what, nb::handle given, pv::DType dtype, pv::ShapeSpan from,
                        pv::ShapeSpan to) {
    if (nb::isinstance<Factors>(given)) {
        const Factors& factors = nb::cast<const Factors&>(given);
        if (factors.dtype != dtype)
            throw pv::DtypeError(std::string(what) + ": the factors are of " +
                                 std::string(factors.dtype.name()) + ", vectors of " +
                                 std::string(dtype.name()));
        return factors.inverse;
    }
    if (!is_function(given)) return la::matrix_operator(what, number_array(given).operand(), dtype);
    const auto function = std::make_shared<Callback>(nb::borrow(given));
    return la::called_operator(
        what,
        [function, dtype](const pv::Operand& x) {
            return calling_python([&] {
                const nb::object vector = object_of(Array(x));
                const nb::object returned =
                    running_python([&] { return nb::object(function->get()(vector)); });
                return as_array(returned, dtype).operand();
            });
        },
        from, to);
}
std::function<void(pv::index_t, double)> watcher(nb::handle given) {
    if (given.is_none()) return {};
    return [function = std::make_shared<Callback>(nb::borrow(given))](pv::index_t i, double rest) {
        calling_python([&] { function->get()(i, rest); });
    };
}
/// The type and the shapes of vectors of an operator: those that are given, or those of a matrix.
struct Vectors {
    pv::DType dtype;
    pv::Shape from, to;

    Vectors(const char* what, nb::handle a, nb::handle shape, nb::handle to_shape, nb::handle type)
        : dtype(pv::float64) {
        if (is_function(a)) {
            if (shape.is_none())
                throw nb::type_error(
                    (std::string(what) + ": a function needs the shape of its argument").c_str());
            from = integers_of(shape);
            to = to_shape.is_none() ? from : integers_of(to_shape);
            if (!type.is_none()) dtype = vector_dtype(dtype_of(type));
        } else {
            dtype = vector_dtype(type.is_none() ? number_array(a).dtype() : dtype_of(type));
        }
    }
};
double tolerance_or(nb::handle given, pv::DType dtype) {
    if (!given.is_none()) return nb::cast<double>(given);
    return dtype == pv::float32 || dtype == pv::kDType<std::complex<float>>
               ? la::kUsualTolerance<float>
               : la::kUsualTolerance<double>;
}
nb::object array_of(const pv::Operand& made) { return object_of(owned(made)); }

/// The type of a solution with an operator and a right side.
pv::DType type_of_both(nb::handle a, const Array& right) {
    const pv::DType own = vector_dtype(right.dtype());
    return is_function(a) ? own : common_dtype(vector_dtype(number_array(a).dtype()), own);
}

/// `cg` and its like. `leaf` is the product with `a` as a list of one array.
nb::tuple iterated(std::string_view name, nb::handle a, nb::handle leaf, nb::handle adjoint,
                   nb::handle b, nb::handle tolerance, pv::index_t max_iterations,
                   nb::handle preconditioner, nb::handle start, nb::handle on_iteration,
                   Truth raises, pv::index_t restart, double damping, nb::handle shape) {
    static constexpr Named<la::IterativeMethod> kMethods[] = {
        {"cg", la::IterativeMethod::cg},
        {"minres", la::IterativeMethod::minres},
        {"bicgstab", la::IterativeMethod::bicgstab},
        {"gmres", la::IterativeMethod::gmres},
        {"lsmr", la::IterativeMethod::lsmr}};
    const la::IterativeMethod method = named("linalg", "method", name, kMethods);
    const char* const what = la::name_of(method);
    const Array right = number_array(b);
    la::IterativeRequest request{.method = method,
                                 .dtype = type_of_both(a, right),
                                 .right = right.operand(),
                                 .max_iterations = max_iterations,
                                 .on_iteration = watcher(on_iteration),
                                 .throws = raises,
                                 .restart = restart,
                                 .damping = damping};
    request.tolerance = tolerance_or(tolerance, request.dtype);
    const pv::Shape to = pv::to_shape(right.shape());
    pv::Shape from = shape.is_none() ? to : integers_of(shape);
    if (!start.is_none()) {
        request.start = number_array(start).operand();
        from = pv::to_shape(request.start->dims.max_shape());
    }
    if (!preconditioner.is_none())
        request.preconditioner = operator_in(what, preconditioner, request.dtype, from, from);
    const auto is_symbol = [](const pv::Operand& x) { return x.node->reads(pv::Below::symbol); };
    const bool is_matrix = !is_function(a) && !nb::isinstance<Factors>(a);
    const bool has_symbols = is_matrix && is_symbol(number_array(a).operand());
    if (is_tracing() && (has_symbols || is_symbol(request.right) || is_function(a))) {
        if (method == la::IterativeMethod::lsmr)
            throw pv::SymbolError(
                "lsmr: it is not traced: take lstsq, or cg of the normal equations");
        std::unique_ptr<const pv::FunctionOfSymbols> function;
        if (has_symbols || is_function(a))
            function = std::make_unique<const LeafFunction>(
                leaf, std::string(what) + ": what the function returns", 0, "result ");
        else
            request.matrix = operator_in(what, a, request.dtype, from, to);
        const std::vector<pv::Operand> made =
            la::iterative_stage(std::move(request), std::move(function), from);
        return nb::tuple(list_of(made, false));
    }
    request.matrix = operator_in(what, a, request.dtype, from, to);
    if (!adjoint.is_none())
        request.matrix = la::paired_operator(what, request.matrix,
                                             operator_in(what, adjoint, request.dtype, to, from));
    const la::IterativeOperands found =
        computing(kLong, [&] { return la::iterative_result(request); });
    return nb::make_tuple(array_of(found.x), found.iterations, found.residual);
}

nb::tuple eigsh(nb::handle a, pv::index_t k, std::string_view which, nb::handle near,
                nb::handle tolerance, pv::index_t max_iterations, nb::handle preconditioner,
                nb::handle start, nb::handle on_iteration, Truth raises, pv::index_t subspace,
                nb::handle shape, nb::handle dtype) {
    const char* const what = "eigsh";
    static constexpr Named<la::Which> kEnds[] = {{"smallest", la::smallest},
                                                 {"largest", la::largest}};
    const Vectors vectors(what, a, shape, nb::none(), dtype);
    la::EigenvaluesRequest request{
        .what = what,
        .dtype = vectors.dtype,
        .matrix = operator_in(what, a, vectors.dtype, vectors.from, vectors.to),
        .count = k,
        .which =
            near.is_none() ? named(what, "which", which, kEnds) : la::near(nb::cast<double>(near)),
        .tolerance = tolerance_or(tolerance, vectors.dtype),
        .max_iterations = max_iterations,
        .on_iteration = watcher(on_iteration),
        .throws = raises,
        .subspace = subspace};
    const pv::ShapeSpan from = request.matrix->from();
    if (!preconditioner.is_none())
        request.preconditioner = operator_in(what, preconditioner, vectors.dtype, from, from);
    if (!start.is_none()) request.start = number_array(start).operand();
    const la::EigenvaluesOperands found =
        computing(kLong, [&] { return la::eigsh_result(request); });
    return nb::make_tuple(array_of(found.values), array_of(found.vectors), found.iterations,
                          found.residual);
}
nb::tuple lobpcg(nb::handle a, nb::handle x, Truth largest, nb::handle tolerance,
                 pv::index_t max_iterations, nb::handle preconditioner, nb::handle on_iteration,
                 Truth raises) {
    const char* const what = "lobpcg";
    const Array start = number_array(x);
    const pv::DType dtype = type_of_both(a, start);
    const pv::Shape shape = la::shape_of_columns(what, start.operand());
    la::EigenvaluesRequest request{.what = what,
                                   .dtype = dtype,
                                   .matrix = operator_in(what, a, dtype, shape, shape),
                                   .count = start.shape().back(),
                                   .which = largest ? la::largest : la::smallest,
                                   .start = start.operand(),
                                   .tolerance = tolerance_or(tolerance, dtype),
                                   .max_iterations = max_iterations,
                                   .on_iteration = watcher(on_iteration),
                                   .throws = raises};
    if (!preconditioner.is_none())
        request.preconditioner = operator_in(what, preconditioner, dtype, shape, shape);
    const la::EigenvaluesOperands found =
        computing(kLong, [&] { return la::lobpcg_result(request); });
    return nb::make_tuple(array_of(found.values), array_of(found.vectors), found.iterations,
                          found.residual);
}
/// `svds`, or `pca` if asked for.
nb::tuple svds(nb::handle a, pv::index_t k, Truth is_pca, nb::handle adjoint, nb::handle tolerance,
               pv::index_t max_iterations, nb::handle on_iteration, Truth raises,
               pv::index_t subspace, Truth randomised, pv::index_t oversampling, pv::index_t passes,
               nb::handle shape, nb::handle to_shape, nb::handle dtype) {
    const char* const what = is_pca ? "pca" : "svds";
    const Vectors vectors(what, a, shape, to_shape, dtype);
    OperatorPtr matrix = operator_in(what, a, vectors.dtype, vectors.from, vectors.to);
    if (!adjoint.is_none())
        matrix = la::paired_operator(
            what, matrix, operator_in(what, adjoint, vectors.dtype, matrix->to(), matrix->from()));
    const la::SvdsRequest request{.what = what,
                                  .dtype = vectors.dtype,
                                  .matrix = std::move(matrix),
                                  .count = k,
                                  .tolerance = tolerance_or(tolerance, vectors.dtype),
                                  .max_iterations = max_iterations,
                                  .on_iteration = watcher(on_iteration),
                                  .throws = raises,
                                  .subspace = subspace,
                                  .randomised = randomised,
                                  .oversampling = oversampling,
                                  .passes = passes};
    if (is_pca) {
        const la::PcaOperands found = computing(kLong, [&] { return la::pca_result(request); });
        return nb::make_tuple(array_of(found.components), array_of(found.variances),
                              array_of(found.mean), found.iterations, found.residual);
    }
    const la::SvdsOperands found = computing(kLong, [&] { return la::svds_result(request); });
    return nb::make_tuple(array_of(found.u), array_of(found.s), array_of(found.vh),
                          found.iterations, found.residual);
}

} // namespace

void bind_operators_of_vectors(nb::module_& module) {
    nb::class_<Factors>(module, "_IncompleteFactors",
                        "A preconditioner that solves with incomplete factors, by `ic0` or `ilu0`.")
        .def("__call__", [](const Factors& factors, nb::handle x) {
            const Array array = as_array(x, factors.dtype);
            return array_of(computing(steps(array.size(), 20), [&] {
                return la::product_with(factors.what, *factors.inverse, array.operand());
            }));
        });
    module.def("_incomplete_factors", &incomplete_factors);
    module.def("_inverse_diagonal", [](nb::handle matrix) {
        const Array array = number_array(matrix);
        return array_of(computing(array.size(), [&] {
            return la::inverse_diagonal("jacobi", array.operand(), vector_dtype(array.dtype()));
        }));
    });
    module.def("_iterated", &iterated, nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(),
               nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg().none(),
               nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    module.def("_eigsh", &eigsh, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
               nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
               nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
    module.def("_lobpcg", &lobpcg, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
               nb::arg().none(), nb::arg().none(), nb::arg());
    module.def("_svds", &svds, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
               nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg().none(), nb::arg().none(), nb::arg().none());
}

} // namespace purview_python
