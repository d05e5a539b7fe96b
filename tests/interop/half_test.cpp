#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>

namespace half_test {

namespace pv = purview;

/// The value of a binary floating-point format by its definition.
double value_of(std::uint16_t bits, int significant, int bias) {
    const int mantissa_bits = significant - 1;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const int exponent = (bits & 0x7fff) >> mantissa_bits;
    const int highest = (1 << (15 - mantissa_bits)) - 1;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == highest)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
    return sign * std::ldexp(1 + fraction, exponent - bias);
}

/// Every value reads as its definition says and is made again from it; between two neighbours the
/// nearer one is chosen, half way the even one.
template <typename H>
void check_all(int significant, int bias) {
    for (std::uint32_t i = 0; i <= 0xffff; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        const double expected = value_of(bits, significant, bias);
        const float value = H::from_bits(bits);
        if (std::isnan(expected)) {
            REQUIRE(std::isnan(value));
            REQUIRE(std::isnan(static_cast<float>(H(value))));
            continue;
        }
        REQUIRE(static_cast<double>(value) == expected);
        REQUIRE(H(value).bits == bits);
        const double next = value_of(static_cast<std::uint16_t>(bits + 1), significant, bias);
        if (std::isinf(expected) || !std::isfinite(next) || (bits & 0x7fff) == 0x7fff) continue;
        const auto middle = static_cast<float>((expected + next) / 2);
        if (static_cast<double>(middle) != (expected + next) / 2) continue;
        REQUIRE(H(middle).bits == ((bits & 1) == 0 ? bits : bits + 1));
        REQUIRE(H(std::nextafter(middle, value)).bits == bits);
        REQUIRE(H(std::nextafter(middle, static_cast<float>(next))).bits == bits + 1);
    }
}

TEST_CASE("16-bit floats have the values of their definition, rounded to nearest even") {
    check_all<pv::Half>(11, 15);
    check_all<pv::BFloat16>(8, 127);
    CHECK(std::isinf(static_cast<float>(pv::Half(65520.F))));
    CHECK(static_cast<float>(pv::Half(65519.F)) == 65504.F);
    CHECK(std::isinf(static_cast<float>(pv::BFloat16(std::numeric_limits<float>::max()))));
    CHECK(pv::Half(0.1).bits == 0x2e66);
}

TEST_CASE("Tensors of 16-bit floats and complex numbers are named and printed") {
    std::ostringstream out;
    out << pv::tensor({pv::Half(0.5), pv::Half(-2)});
    CHECK(out.str() == "#purview.tensor<float16>[2]\n[0.5 -2]");
    CHECK(pv::bfloat16.name() == "bfloat16");
    CHECK(pv::kDType<std::complex<float>>.name() == "complex64");
    CHECK(pv::kDType<std::complex<double>>.name() == "complex128");
}

} // namespace half_test
