#include <support/catch.hpp>

#include <purview/format.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/named/index.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <complex>
#include <iomanip>
#include <sstream>
#include <string>

namespace printing_test {

// What is printed, and how.

namespace {

namespace pv = purview;

template <typename... X>
std::string printed(const X&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

const auto x = pv::tensor({1., 2.5, 1e6 / 3});

} // namespace

TEST_CASE("shapes and element types print") {
    CHECK(printed(pv::zeros({2, 3}).shape(), ' ', x.dtype()) == "[2 3] float64");
    CHECK(printed(pv::Shape{}, pv::int8, pv::kDType<std::string>) == "[]int8string");
}

TEST_CASE("printing honours what a stream was told, and nothing else changes") {
    const std::string head = "#purview.tensor<float64>[3]\n";
    CHECK(printed(x) == head + "[1.000 2.500 333333.333]");
    CHECK(printed(std::setprecision(3), x) == head + "[1 2.5 3.33e+05]");
    CHECK(printed(std::setprecision(10), x) == head + "[1 2.5 333333.3333]");
    CHECK(printed(std::fixed, std::setprecision(1), x) == head + "[1.0 2.5 333333.3]");
    CHECK(printed(std::fixed, x) == head + "[1.000000 2.500000 333333.333333]");
    CHECK(printed(std::scientific, std::setprecision(2), x) ==
          head + "[1.00e+00 2.50e+00 3.33e+05]");
    CHECK(printed(std::fixed, std::setprecision(1), std::defaultfloat, std::setprecision(6), x) ==
          printed(x));
    CHECK(printed(std::setprecision(2), pv::AnyTensor(x * 1.f | pv::reshape(3, 1))) ==
          "#purview.tensor<float64>[3 1]\n[[      1]\n [    2.5]\n [3.3e+05]]");
    CHECK(printed(std::setprecision(2), pv::tensor({1234567})) ==
          "#purview.tensor<int32>[1]\n[1234567]");
    const pv::Dim i("i");
    CHECK(printed(std::setprecision(3), x(i)).find("[1 2.5 3.33e+05]") != std::string::npos);
    // Elements of other types are printed by their own operators, with the same precision.
    CHECK(printed(std::setprecision(2), pv::tensor({std::complex(1.234, 0.)})).find("(1.2,0)") !=
          std::string::npos);
    // What does not print floats leaves the stream's state to others.
    std::ostringstream out;
    out << std::setprecision(3) << x;
    CHECK(out.precision() == 3);
}

TEST_CASE("formatters") {
    CHECK(fmt::format("{}", x) == printed(x));
    CHECK(fmt::format("{:.1f}", x * 2) == printed(std::fixed, std::setprecision(1), x * 2));
    CHECK(fmt::format("{:.2e}|{:.3}", x, pv::AnyTensor(x)) ==
          printed(std::scientific, std::setprecision(2), x) + "|" +
              printed(std::setprecision(3), x));
    CHECK(fmt::format("{} {}", x.shape(), x.dtype()) == "[3] float64");
    const auto m = pv::zeros({2, 3});
    CHECK(fmt::format("{} {} {}", m.shape(), (m * 2).shape(), m.strides()) == "[2 3] [2 3] [3 1]");
    const pv::Dim i("i");
    CHECK(fmt::format("{}", x(i)) == printed(x(i)));
    CHECK_THROWS_AS(fmt::format(fmt::runtime("{:d}"), x), fmt::format_error);
#ifdef __cpp_lib_format
    CHECK(std::format("{:.1f}", x) == printed(std::fixed, std::setprecision(1), x));
    CHECK(std::format("{} {}", x.shape(), x.dtype()) == "[3] float64");
#endif
}

} // namespace printing_test
