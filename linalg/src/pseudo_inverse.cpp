// Defines purview/linalg/least_squares.hpp.
#include "elements_of.hpp"
#include "lapack.hpp"
#include "matrix_symbols.hpp"
#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/linalg/least_squares.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace purview::inline v0_1::linalg {
namespace matrix_symbols {
namespace {

constexpr const char* kName = "pinv";

/// Of matrices and tolerances, the inverse and the singular values.
template <typename T>
std::pair<Tensor<T>, Tensor<Real<T>>> inverse_and_values(const Tensor<T>& a,
                                                         const Tensor<Real<T>>& tolerance) {
    const auto [u, s, vh] = svd(a);
    const auto is_counted = counted(s, tolerance(ellipsis, new_axis));
    const auto inverses = inverses_of<Real<T>>(s, is_counted);
    return {clone(matmul(adjoint(vh), inverses(ellipsis, all, new_axis) * adjoint(u))), s};
}

/// The same in a traced computation. Derivatives are those of matrices that keep their rank (Golub and Pereyra 1973), which no gap
/// between singular values enters.
class PseudoInverseStage final : public StageFunction {
public:
    std::string_view name() const noexcept override { return "linalg.pinv"; }
    std::optional<std::vector<index_t>> attributes() const override {
        return std::vector<index_t>{};
    }
    bool does_same(const StageFunction& other) const noexcept override {
        return dynamic_cast<const PseudoInverseStage*>(&other) != nullptr;
    }

    std::vector<ResultType> results(std::span<const Operand> operands) const override {
        if (operands.size() != 2 || operands[0].dims.rank() < 2)
            throw ShapeError("pinv: it takes matrices and a tolerance");
        const DType dtype = operands[0].dtype();
        if ((dtype != float32 && dtype != float64) || operands[1].dtype() != dtype)
            throw DtypeError(fmt::format("pinv: matrices of {}, a tolerance of {}", dtype.name(),
                                         operands[1].dtype().name()));
        Shape inverse = to_shape(operands[0].dims.max_shape());
        const std::size_t rank = inverse.size();
        std::swap(inverse[rank - 2], inverse[rank - 1]);
        Shape values(inverse.begin(), inverse.end() - 1);
        values.back() = std::min(inverse[rank - 2], inverse[rank - 1]);
        const ShapeSpan tolerance = operands[1].dims.max_shape();
        if (!std::ranges::equal(tolerance, ShapeSpan(inverse).first(rank - 2)))
            throw ShapeError(fmt::format("pinv: tolerances of {} for matrices of {}",
                                         to_string(tolerance),
                                         to_string(operands[0].dims.max_shape())));
        return {{dtype, std::move(inverse)}, {dtype, std::move(values)}};
    }

    void run(std::span<const Operand> operands, std::span<void* const> outs) const override {
        visit_matrix_dtype(operands[0].dtype(), [&]<typename T>(std::type_identity<T>) {
            const CountedBytes bytes = counted_elements(kName, operands[0], operands[0].dtype());
            const auto [inverse, values] = inverse_and_values<T>(
                elements_of<T>(kName, operands[0]), elements_of<Real<T>>(kName, operands[1]));
            if (outs[0] != nullptr) std::ranges::copy(as_span(inverse), static_cast<T*>(outs[0]));
            if (outs[1] != nullptr)
                std::ranges::copy(as_span(values), static_cast<Real<T>*>(outs[1]));
        });
    }

    Derivatives reverse(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& seeds, std::size_t lead) const override {
        const auto& seed = seeds[0] ? seeds[0] : seeds[1];
        const ShapeSpan leading = seed->dims.max_shape().first(lead);
        return with_type(operands, [&]<typename T>(std::type_identity<T>) {
            std::optional<Symbol<T>> by;
            if (seeds[0]) {
                const Parts<T> p(operands, results, leading);
                const Symbol<T> g = transposed(Symbol<T>(*seeds[0])), pt = transposed(p.inverse);
                const Symbol<T> right = product(g, product(p.inverse, pt)),
                                left = product(product(pt, p.inverse), g);
                by = Symbol<T>((right - product(p.a, product(p.inverse, right)) + left -
                                product(product(left, p.inverse), p.a) -
                                product(pt, product(Symbol<T>(*seeds[0]), pt)))
                                   .operand());
            }
            if (seeds[1]) {
                const Symbol<T> own(*of_values(operands).reverse(
                    operands.first(1), results.subspan(1), {seeds[1]}, lead)[0]);
                by = by ? Symbol<T>((*by + own).operand()) : own;
            }
            return Derivatives{by->operand(), std::nullopt};
        });
    }
    Derivatives forward(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& tangents, ShapeSpan leading) const override {
        if (!tangents[0]) return Derivatives(2);
        return with_type(operands, [&]<typename T>(std::type_identity<T>) {
            const Parts<T> p(operands, results, leading);
            const Symbol<T> da(*tangents[0]), dat = transposed(da), pt = transposed(p.inverse);
            const Symbol<T> right = product(product(p.inverse, pt), dat),
                            left = product(dat, product(pt, p.inverse));
            const Symbol<T> along((right - product(product(right, p.a), p.inverse) + left -
                                   product(p.inverse, product(p.a, left)) -
                                   product(p.inverse, product(da, p.inverse)))
                                      .operand());
            return Derivatives{along.operand(),
                               of_values(operands).forward(operands.first(1), results.subspan(1),
                                                           {tangents[0]}, leading)[0]};
        });
    }

private:
    template <typename T>
    struct Parts {
        Symbol<T> a, inverse;
        Parts(std::span<const Operand> operands, std::span<const Operand> results,
              ShapeSpan leading)
            : a(led(operands[0], leading)), inverse(led(results[0], leading)) {}
    };
    /// Whose results the values are.
    static MatrixStage of_values(std::span<const Operand> operands) {
        return {MatrixFunction::svdvals, {}, operands[0].dtype()};
    }
    template <typename F>
    static Derivatives with_type(std::span<const Operand> operands, const F& f) {
        return operands[0].dtype() == float32 ? f(std::type_identity<float>{})
                                              : f(std::type_identity<double>{});
    }
};

std::shared_ptr<const StageFunction> pseudo_inverse_stage(std::span<const index_t> attributes) {
    return attributes.empty() ? std::make_shared<const PseudoInverseStage>() : nullptr;
}

} // namespace
} // namespace matrix_symbols

void register_pseudo_inverse() {
    register_stage_function("linalg.pinv", matrix_symbols::pseudo_inverse_stage);
}

std::optional<Operand> tolerance_operand(const RankOptions& options) {
    if (!options.tolerance) return std::nullopt;
    return full<double>({}, *options.tolerance).operand();
}

PseudoInverse pseudo_inverse(const Operand& given, const std::optional<Operand>& tolerance) {
    const MatrixOperands made = as_matrix_operands("pinv", {&given, 1});
    return visit_matrix_dtype(made.dtype, [&]<typename T>(std::type_identity<T>) -> PseudoInverse {
        using R = Real<T>;
        const Operand& a = made.operands[0];
        const ShapeSpan shape = a.dims.max_shape();
        Operand limit =
            tolerance ? *tolerance : full<R>({}, relative_tolerance<R>({}, shape)).operand();
        if (limit.dtype() != kDType<R>) limit = cast_operand(limit, kDType<R>, Op::cast);
        limit.dims = dimensions::expand(limit.dims, shape.first(shape.size() - 2));
        if (given.node->reads(Below::symbol) || limit.node->reads(Below::symbol)) {
            const Operand matrices = as_symbols("pinv", made)[0];
            std::vector<Operand> both = results_of_stage(
                make_node<OpaqueStage>(std::make_shared<const matrix_symbols::PseudoInverseStage>(),
                                       std::vector{matrices, limit}));
            return {std::move(both[0]), std::move(both[1])};
        }
        const CountedBytes bytes = counted_elements("pinv", a, made.dtype);
        const auto [inverse, values] = matrix_symbols::inverse_and_values<T>(
            elements_of<T>("pinv", a), elements_of<R>("pinv", limit));
        return {inverse.operand(), values.operand()};
    });
}

PseudoInverseOver pseudo_inverse_over(const DimOperand& a, const Dim& rows, const Dim& columns,
                                      const RankOptions& options) {
    std::vector<DimOperand> both = results_over_dims(
        "pinv", a, rows, columns, {{IndexOf::columns, IndexOf::rows}, {IndexOf::made}},
        [&](const Operand& matrices) {
            PseudoInverse made = pseudo_inverse(matrices, tolerance_operand(options));
            return std::vector{std::move(made.inverse), std::move(made.values)};
        });
    return {std::move(both[0]), std::move(both[1])};
}

} // namespace purview::linalg
