// Derivatives beside those of libtorch 1.13, stored here.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace gradient_of_torch_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;
using S = pv::Symbol<double>;

struct Row {
    std::string name;
    Vector x;
    Vector first;
    Vector second;
};
// clang-format off
const std::vector<Row> kRows{
    {"exp", {-2, 0.5, 3}, {0.1353352832366127, 1.6487212707001282, 20.085536923187668}, {0.1353352832366127, 1.6487212707001282, 20.085536923187668}},
    {"log", {0.10000000000000001, 1, 7}, {10, 1, 0.14285714285714285}, {-100, -1, -0.020408163265306121}},
    {"sqrt", {0.25, 2, 9}, {1, 0.35355339059327373, 0.16666666666666666}, {-2, -0.088388347648318419, -0.0092592592592592587}},
    {"sin", {-1, 0.29999999999999999, 2}, {0.54030230586813977, 0.95533648912560598, -0.41614683654714241}, {0.8414709848078965, -0.29552020666133955, -0.90929742682568171}},
    {"tan", {-1, 0.29999999999999999, 1.2}, {3.42551882081476, 1.0956889153225471, 7.6159639672070529}, {-10.669858944975319, 0.67787259960942559, 39.178828144614428}},
    {"asin", {-0.90000000000000002, 0, 0.40000000000000002}, {2.294157338705618, 1, 1.0910894511799618}, {-10.867061078079246, 0, 0.51956640532379128}},
    {"acos", {-0.90000000000000002, 0, 0.40000000000000002}, {-2.294157338705618, -1, -1.0910894511799618}, {10.867061078079246, -0, -0.51956640532379128}},
    {"atan", {-3, 0, 0.40000000000000002}, {0.10000000000000001, 1, 0.86206896551724133}, {0.059999999999999998, -0, -0.59453032104637327}},
    {"sinh", {-2, 0, 1}, {3.7621956910836314, 1, 1.5430806348152437}, {-3.626860407847019, 0, 1.1752011936438014}},
    {"cosh", {-2, 0, 1}, {-3.626860407847019, 0, 1.1752011936438014}, {3.7621956910836314, 1, 1.5430806348152437}},
    {"tanh", {-2, 0, 1}, {0.070650824853164429, 1, 0.41997434161402614}, {0.13621868742711296, -0, -0.63970000844922459}},
    {"asinh", {-2, 0, 1}, {0.44721359549995793, 1, 0.70710678118654746}, {0.17888543819998315, -0, -0.35355339059327368}},
    {"acosh", {1.5, 2, 10}, {0.89442719099991586, 0.57735026918962584, 0.10050378152592121}, {-1.0733126291998989, -0.38490017945975069, -0.010151897123830427}},
    {"atanh", {-0.5, 0, 0.90000000000000002}, {1.3333333333333333, 1, 5.2631578947368434}, {-1.7777777777777777, 0, 49.861495844875378}},
    {"erf", {-1, 0, 0.5}, {0.41510749742059472, 1.1283791670955126, 0.87878257893544476}, {0.83021499484118944, -0, -0.87878257893544476}},
    {"erfc", {-1, 0, 2}, {-0.41510749742059472, -1.1283791670955126, -0.020666985354092053}, {-0.83021499484118944, 0, 0.082667941416368212}},
    {"expm1", {-1, 0, 2}, {0.36787944117144233, 1, 7.3890560989306504}, {0.36787944117144233, 1, 7.3890560989306504}},
    {"log1p", {-0.5, 0, 2}, {2, 1, 0.33333333333333331}, {-4, -1, -0.1111111111111111}},
    {"log2", {0.5, 1, 10}, {2.8853900817779268, 1.4426950408889634, 0.14426950408889633}, {-5.7707801635558535, -1.4426950408889634, -0.014426950408889633}},
    {"log10", {0.5, 1, 10}, {0.86858896380650374, 0.43429448190325187, 0.043429448190325189}, {-1.7371779276130073, -0.43429448190325182, -0.0043429448190325185}},
    {"exp2", {-1, 0, 3}, {0.34657359027997264, 0.69314718055994529, 5.5451774444795623}, {0.24022650695910069, 0.48045301391820139, 3.8436241113456111}},
    {"logistic", {-30, 0.5, 4}, {9.3576229688384229e-14, 0.23500371220159449, 0.017662706213291107}, {9.357622968836671e-14, -0.05755679485232075, -0.01702733592838912}},
    {"sq", {-3, 0, 2}, {-6, 0, 4}, {2, 2, 2}},
    {"abs", {-3, 0, 2}, {-1, 0, 1}, {0, 0, 0}},
    {"relu", {-3, 0, 2}, {0, 0, 1}, {0, 0, 0}},
};
// clang-format on

S applied(const std::string& name, const S& x) {
    if (name == "exp") return pv::exp(x);
    if (name == "log") return pv::log(x);
    if (name == "sqrt") return pv::sqrt(x);
    if (name == "sin") return pv::sin(x);
    if (name == "tan") return pv::tan(x);
    if (name == "asin") return pv::asin(x);
    if (name == "acos") return pv::acos(x);
    if (name == "atan") return pv::atan(x);
    if (name == "sinh") return pv::sinh(x);
    if (name == "cosh") return pv::cosh(x);
    if (name == "tanh") return pv::tanh(x);
    if (name == "asinh") return pv::asinh(x);
    if (name == "acosh") return pv::acosh(x);
    if (name == "atanh") return pv::atanh(x);
    if (name == "erf") return pv::erf(x);
    if (name == "erfc") return pv::erfc(x);
    if (name == "expm1") return pv::expm1(x);
    if (name == "log1p") return pv::log1p(x);
    if (name == "log2") return pv::log2(x);
    if (name == "log10") return pv::log10(x);
    if (name == "exp2") return pv::exp2(x);
    if (name == "logistic") return pv::logistic(x);
    if (name == "sq") return pv::sq(x);
    if (name == "abs") return pv::abs(x);
    REQUIRE(name == "relu");
    return pv::relu(x);
}

void check_near(const Vector& a, const Vector& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        CHECK(a[i] == Catch::Approx(b[i]).epsilon(1e-13).margin(1e-14));
}

/// Numbers made by a rule, the same as in the other library.
auto numbers(pv::index_t rows, pv::index_t columns, pv::index_t step) {
    Vector values;
    for (pv::index_t i = 0; i < rows * columns; ++i)
        values.push_back(static_cast<double>(i * step % 17 - 8) / 10);
    return pv::tensor(values, {rows, columns});
}

} // namespace

TEST_CASE("first and second derivatives of functions are those of libtorch") {
    for (const Row& row : kRows) {
        INFO(row.name);
        const auto c = pv::computation(
            [&](auto x) {
                const auto first = pv::gradient(pv::sum(applied(row.name, x)), x);
                return std::pair(first, pv::gradient(pv::sum(first), x));
            },
            pv::spec<double>({3}));
        const auto [first, second] = c(pv::tensor(row.x));
        check_near(pv::to_vector(first), row.first);
        check_near(pv::to_vector(second), row.second);
    }
}

TEST_CASE("gradients of a network, and of an embedding, are those of libtorch") {
    const auto c = pv::computation(
        [](auto x, auto y, auto w1, auto w2) {
            const auto z = pv::matmul(pv::tanh(pv::matmul(x, w1)), w2);
            const auto loss = pv::mean(pv::logsumexp(z, 1) - pv::sum(z * y, 1)) +
                              pv::sum(pv::variance(z, 0)) + pv::sum(pv::sq(pv::cumsum(z, 0))) +
                              pv::product(w2);
            const auto [d1, d2] = pv::gradient(loss, w1, w2);
            return std::tuple(loss, d1, d2);
        },
        pv::spec<double>({5, 4}), pv::spec<double>({5, 2}), pv::spec<double>({4, 3}),
        pv::spec<double>({3, 2}));
    const auto w1 = numbers(4, 3, 5);
    const auto [loss, d1, d2] = c(numbers(5, 4, 7), numbers(5, 2, 11), w1, numbers(3, 2, 3));
    CHECK(loss == Catch::Approx(2.1068798016141539).epsilon(1e-13));
    check_near(pv::to_vector(d1),
               {-1.7862708895194856, -0.18988349399529345, 2.2425987536894572, 0.27454363213818583,
                0.057868063717134037, -0.15123814867138483, 0.31630123439525215,
                0.019828563700378641, -0.65209203402983584, -0.069581868498268251,
                -0.0318505921198695, 0.20396017998019086});
    check_near(pv::to_vector(d2), {-2.0810855348895774, -1.5215632190818329, 0.052858929122617221,
                                   0.057233161345340081, 0.45534636399423062, 0.46666824454473632});
    const auto ids = pv::tensor({2, 0, 2, 3});
    const auto weights = numbers(4, 3, 13);
    const auto embedding = pv::computation(
        [&](auto table) {
            const auto rows = pv::take(table, ids, 0);
            return pv::gradient(pv::sum(rows * rows * weights), table);
        },
        pv::spec<double>({4, 3}));
    check_near(pv::to_vector(embedding(w1)),
               {0.47999999999999998, 0.41999999999999998, 0.23999999999999999, 0, 0, 0,
                -0.60000000000000009, -0.41999999999999998, 0.19999999999999998,
                0.41999999999999998, 0.47999999999999998, 0.080000000000000016});
}

} // namespace gradient_of_torch_test
