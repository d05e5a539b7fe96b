#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/nan_to_num.hpp>

#include <concepts>
#include <limits>

namespace purview {

Operand finite_operand(const Operand& x, const NanToNumOptions& options) {
    return visit_dtype(x.dtype(), "nan_to_num", [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::floating_point<T>) {
            return x;
        } else {
            using Limits = std::numeric_limits<T>;
            const auto number = [](double value) {
                return constant_operand(static_cast<T>(value));
            };
            const auto instead_of = [&](T unwanted, const std::optional<double>& given, T usual,
                                        const Operand& otherwise) {
                const Operand found =
                    binary_operand(Op::equal, x, constant_operand(unwanted), kDType<T>, boolean);
                return choose_operand(found, number(given.value_or(static_cast<double>(usual))),
                                      otherwise, kDType<T>);
            };
            const Operand from_above =
                instead_of(Limits::infinity(), options.positive_infinity, Limits::max(), x);
            const Operand bounded = instead_of(-Limits::infinity(), options.negative_infinity,
                                               Limits::lowest(), from_above);
            const Operand is_nan = binary_operand(Op::not_equal, x, x, kDType<T>, boolean);
            return choose_operand(is_nan, number(options.nan), bounded, kDType<T>);
        }
    });
}

} // namespace purview
