/// Reductions, sums of products, scans and windows, statistics.

#include "bits.hpp"

namespace {

template <typename T>
std::vector<Pair<T>> operands() {
    const double low = std::numeric_limits<T>::is_signed ? -3 : 0;
    return seen(Pair<T>{numbers<T>({211, 307}, 11, low, 7), numbers<T>({211, 307}, 12, 1, 5)});
}

template <typename T>
void reductions() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) {
        line_of_pairs(name, pairs, [&](auto& x, auto& y) {
            return std::tuple(f(x), f(x, 0), f(x, 1), f(x * 2 + y, 1));
        });
    };
    of("sum", pv::sum);
    of("product", [](auto&& x, auto... axis) { return pv::product(x + 1, axis...); });
    of("mean", pv::mean);
    of("min", pv::min);
    of("max", pv::max);
    of("variance", pv::variance);
    of("standard_deviation", pv::standard_deviation);
    of("sample_variance", pv::sample_variance);
    of("count_true", [](auto&& x, auto... axis) { return pv::count_true(x > 2, axis...); });
    of("argmax", pv::argmax);
    of("compensated_sum", pv::compensated_sum);
    of("magnitude", pv::magnitude);
    of("skewness", pv::skewness);
    of("kurtosis", pv::kurtosis);
    of("quadratic_mean", pv::quadratic_mean);
    of("harmonic_mean",
       [](auto&& x, auto... axis) { return pv::harmonic_mean(pv::abs(x) + 1, axis...); });
    of("geometric_mean",
       [](auto&& x, auto... axis) { return pv::geometric_mean(pv::abs(x) + 1, axis...); });
    of("median", pv::median);
    of("quartiles", pv::quartiles);
}

template <typename T>
void products() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("dot", [](auto& x, auto& y) { return pv::dot(x(1, pv::all), y(2, pv::all)); });
    of("matmul", [](auto& x, auto& y) { return pv::matmul(x, pv::transpose(y)); });
    of("einsum", [](auto& x, auto& y) { return pv::einsum("ij,ij->i", x, y); });
    of("sum_of_dims", [](auto& x, auto& y) {
        auto [i, j, k] = pv::dims("i", "j", "k");
        const pv::Tensor<T> result = x(i, k) * y(j, k) | pv::sum(k) | pv::order(i, j);
        return result;
    });
    of("distance", [](auto& x, auto& y) { return pv::distance(x, y); });
    of("norm", [](auto& x, auto&) {
        return std::tuple(pv::norm(x(0, pv::all)), pv::norm(x, 1, 0), pv::norm(x, 2, 1));
    });
}

template <typename T>
void along() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) {
        line_of_pairs(name, pairs, [&](auto& x, auto&) { return std::tuple(f(x, 0), f(x, 1)); });
    };
    of("cumsum", pv::cumsum);
    of("cumprod", pv::cumprod);
    of("cummin", pv::cummin);
    of("cummax", pv::cummax);
    of("diff1d", [](auto& x, int axis) { return pv::diff1d(x, axis); });
    of("rolling_sum",
       [](auto& x, int axis) { return pv::fixed_rolling_window(x, 9, pv::sum, axis); });
    of("rolling_mean",
       [](auto& x, int axis) { return pv::fixed_rolling_window(x, 9, pv::mean, axis); });
    of("rolling_max",
       [](auto& x, int axis) { return pv::fixed_rolling_window(x, 9, pv::max, axis); });
    of("rolling_median",
       [](auto& x, int axis) { return pv::fixed_rolling_window(x, 9, pv::median, axis); });
    of("convolve1d", [](auto& x, int axis) {
        return pv::convolve1d(x, pv::tensor({0.25, 0.5, -0.125, 0.1}), axis);
    });
}

template <typename T>
void of_floats() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("gradient1d", [](auto& x, auto&) { return pv::gradient1d(x, 0.3, 0); });
    of("gaussian1d", [](auto& x, auto&) { return pv::gaussian1d(x, 1.7, 1); });
    of("interp", [](auto& x, auto&) {
        return pv::interp(x, pv::tensor({-2.0, 0.3, 1.0, 5.0}), pv::tensor({0.1, 2.7, -1.0, 4.0}));
    });
    of("moment", [](auto& x, auto&) { return std::tuple(pv::moment(x, 3), pv::moment(x, 5)); });
    of("covariance", [](auto& x, auto& y) { return pv::covariance(x, y, 1); });
    of("pearson",
       [](auto& x, auto& y) { return std::tuple(pv::pearson(x, y), pv::pearson(x, y, 0)); });
    of("spearman", [](auto& x, auto& y) { return pv::spearman(x, y, 1); });
    of("kendall", [](auto& x, auto& y) { return pv::kendall(x, y, 1); });
    of("covariance_matrix", [](auto& x, auto&) { return pv::covariance_matrix(x); });
    of("correlation_matrix", [](auto& x, auto&) { return pv::correlation_matrix(x); });
    of("linear_regression", [](auto& x, auto& y) {
        const auto line = pv::linear_regression(x, y);
        return std::tuple(line.slope, line.intercept, line.correlation, line.slope_error,
                          line.intercept_error);
    });
    of("skip_nan", [](auto& x, auto&) {
        const auto gaps = pv::where(x > 6, std::numeric_limits<T>::quiet_NaN(), x);
        return std::tuple(pv::sum(gaps, 0, pv::skip_nan), pv::mean(gaps, 1, pv::skip_nan),
                          pv::variance(gaps, 0, pv::skip_nan), pv::median(gaps, 1, pv::skip_nan));
    });
}

} // namespace

void lines_of_folds() {
    reductions<std::int8_t>(), reductions<std::uint8_t>(), reductions<std::int32_t>();
    reductions<std::int64_t>(), reductions<float>(), reductions<double>();
    products<float>(), products<double>();
    along<std::int32_t>(), along<float>(), along<double>();
    of_floats<float>(), of_floats<double>();
}
