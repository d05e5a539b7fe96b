// Defines purview/linalg/iterative.hpp.
#include "basis.hpp"
#include "elements_of.hpp"
#include "iteration.hpp"
#include "matrix_work.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace purview::inline v0_1::linalg {
namespace {

template <typename T>
using Steps = Ended (*)(Iteration<T>&);

template <typename T>
Steps<T> steps_of(IterativeMethod method) {
    switch (method) {
    case IterativeMethod::cg: return cg_steps<T>;
    case IterativeMethod::minres: return minres_steps<T>;
    case IterativeMethod::bicgstab: return bicgstab_steps<T>;
    case IterativeMethod::gmres: return gmres_steps<T>;
    case IterativeMethod::lsmr: return lsmr_steps<T>;
    }
    __builtin_unreachable();
}

/// x times 2 to an exponent.
template <typename T>
void scale_by(Vector<T>& x, int exponent) {
    if (exponent == 0) return;
    // Of powers beyond the type's own, both halves are within.
    for (const int half : {exponent / 2, exponent - exponent / 2})
        scale_to(x.tensor.size(), x.data, scalar<T>(std::ldexp(1., half)), x.data);
}

void scale_by(const Operand& x, int exponent) {
    visit_matrix_dtype(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const MutableTensor<T> own{Operand(x)};
        T* const data = as_span(own).data();
        for (const int half : {exponent / 2, exponent - exponent / 2})
            scale_to(own.size(), data, scalar<T>(std::ldexp(1., half)), data);
    });
}

void check_shapes(const char* what, const IterativeRequest& request, ShapeSpan right) {
    const LinearOperator& a = *request.matrix;
    if (!std::ranges::equal(a.to(), right))
        throw ShapeError(
            fmt::format("{}: the operator gives vectors of {}, the right side is of {}", what,
                        to_string(a.to()), to_string(right)));
    if (request.method != IterativeMethod::lsmr && !std::ranges::equal(a.from(), a.to()))
        throw ShapeError(fmt::format("{}: the operator takes vectors of {} and gives vectors of {}",
                                     what, to_string(a.from()), to_string(a.to())));
    if (request.start && !std::ranges::equal(request.start->dims.max_shape(), a.from()))
        throw ShapeError(fmt::format("{}: the start is of {}, the operator takes vectors of {}",
                                     what, to_string(request.start->dims.max_shape()),
                                     to_string(a.from())));
    if (const OperatorPtr& m = request.preconditioner)
        if (!std::ranges::equal(m->from(), a.from()) || !std::ranges::equal(m->to(), a.from()))
            throw ShapeError(fmt::format(
                "{}: the preconditioner takes vectors of {} and gives vectors of {}, x is of {}",
                what, to_string(m->from()), to_string(m->to()), to_string(a.from())));
}

/// r = b - A x; its norm.
template <typename T>
void compute_residual(Iteration<T>& s, const Tensor<T>& b, bool is_x_zero, T unit) {
    const T* const right = as_span(b).data();
    if (is_x_zero) {
        scale_to(s.n, s.r.data, unit, right);
        s.norm = s.norm_of(s.r.data);
        return;
    }
    s.multiply(s.x, s.r);
    s.norm = s.combine(s.r.data, unit, right, T(-1));
}

template <typename T>
IterativeOperands solved(const IterativeRequest& request) {
    const char* const what = name_of(request.method);
    const LinearOperator& a = *request.matrix;
    const Tensor<T> b = elements_of<T>(what, request.right);
    check_shapes(what, request, b.shape());
    Vector<T> x(a.from());
    const index_t unknowns = x.tensor.size();
    const int exponent = scaling_of(largest_over(request.parts, largest_part<T>(as_span(b))));
    // As far as the type goes; of b, which its largest element brings within, one factor is enough.
    constexpr int kFurthest =
        std::numeric_limits<typename PartOfComplex<T>::type>::max_exponent - 2;
    const int own = std::clamp(exponent, -kFurthest, kFurthest);
    const T unit = scalar<T>(std::ldexp(1., own));
    if (request.start) {
        std::ranges::copy(as_span(elements_of<T>(what, *request.start)), x.data);
        scale_by(x, own);
    } else {
        std::fill_n(x.data, unknowns, T{});
    }

    Iteration<T> s{.request = request,
                   .what = what,
                   .n = b.size(),
                   .unknowns = request.parts != nullptr ? request.parts->all() : unknowns,
                   .scale = 0,
                   .goal = 0,
                   .most = request.max_iterations,
                   .x = std::move(x),
                   .r = Vector<T>(b.shape())};
    if (s.most < 0) s.most = 10 * std::max<index_t>(s.unknowns, 1);
    compute_residual(s, b, true, unit);
    s.scale = s.norm;
    s.goal = request.tolerance * s.norm;
    if (s.scale == 0) { // of no right side, 0 is the solution
        std::fill_n(s.x.data, unknowns, T{});
        return {s.x.operand(), 0, 0};
    }
    if (request.start) compute_residual(s, b, false, unit);

    const Steps<T> steps = steps_of<T>(request.method);
    const double enough = s.goal;
    while (s.norm > enough && std::isfinite(s.norm) && s.done < s.most && !s.found) {
        const double before = s.norm;
        s.reason.clear();
        const Ended ended = steps(s);
        compute_residual(s, b, false, unit);
        if (request.method == IterativeMethod::lsmr) break;
        if (ended == Ended::restarts) continue;
        // From where it thought that it was done, a method goes on as long as that helps, and to somewhat less than is asked for.
        if (s.norm > before / 2) break;
        s.goal = enough / 2;
    }
    scale_by(s.x, -own);
    const double residual = s.norm / s.scale;
    if (request.throws && !s.found && !(s.norm <= enough && std::isfinite(s.norm)))
        throw LinearAlgebraError(fmt::format(
            "{}: after {} iterations the residual is {:.3g} of the right side, above the tolerance "
            "{:.3g}{}{}",
            what, s.done, residual, request.tolerance, s.reason.empty() ? "" : ": ", s.reason));
    return {s.x.operand(), s.done, residual};
}

/// What fails may have an operator whose products leave the range of their squares: times a power of 2 it is tried again.
template <typename T>
IterativeOperands solved_in_range(const IterativeRequest& request) {
    try {
        return solved<T>(request);
    } catch (const LinearAlgebraError&) {
        IterativeRequest own = request;
        const int exponent = request.start ? 0 : make_moderate<T>(own.matrix);
        if (exponent == 0) throw;
        own.damping = std::ldexp(own.damping, exponent);
        IterativeOperands result = solved<T>(own);
        scale_by(result.x, exponent);
        return result;
    }
}

} // namespace

JoinedParts::~JoinedParts() = default;

const char* name_of(IterativeMethod method) noexcept {
    switch (method) {
    case IterativeMethod::cg: return "cg";
    case IterativeMethod::minres: return "minres";
    case IterativeMethod::bicgstab: return "bicgstab";
    case IterativeMethod::gmres: return "gmres";
    case IterativeMethod::lsmr: return "lsmr";
    }
    __builtin_unreachable();
}

IterativeOperands iterative_result(const IterativeRequest& request) {
    if (request.restart < 1)
        throw Error(fmt::format("gmres: a restart after {} iterations", request.restart));
    if (!(request.tolerance >= 0))
        throw Error(
            fmt::format("{}: a tolerance of {}", name_of(request.method), request.tolerance));
    return visit_matrix_dtype(request.dtype, [&]<typename T>(std::type_identity<T>) {
        return solved_in_range<T>(request);
    });
}

} // namespace purview::linalg
