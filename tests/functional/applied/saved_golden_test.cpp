#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace saved_golden_test {

namespace {

namespace pv = purview;
using pv::index_t;

const std::string kGolden = source_path("tests/functional/data/computation_1");
const std::string kLoops = source_path("tests/functional/data/computation_2");

/// The functions that the files name. A name is taken once.
void register_functions() {
    static const auto slope =
        pv::register_function<double(double)>("golden.slope", [](double) { return 0.5; });
    static const auto half =
        pv::register_function<double(double)>("golden.half", [](double v) { return v / 2; });
}

template <typename T>
void check_output(const pv::AnyTensor& output, const std::vector<T>& expected) {
    const auto found = pv::to_vector(output.as<T>());
    CHECK(std::vector<T>(found.begin(), found.end()) == expected);
}

/// Of the bits, of which a NaN has some more than one.
void check_bits(const pv::AnyTensor& output, const std::vector<double>& expected) {
    const std::vector<double> found = pv::to_vector(output.as<double>());
    REQUIRE(found.size() == expected.size());
    CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)) == 0);
}

double nan_of(std::uint64_t bits) {
    double nan = 0;
    std::memcpy(&nan, &bits, sizeof(bits));
    return nan;
}

void check_results(const pv::AnyComputation& c) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr index_t kLowest = std::numeric_limits<index_t>::min();
    const double nan = nan_of(0x7ff8'0000'0000'0000);
    const double payload = nan_of(0x7ff8'0000'0000'1234);

    const auto two = c({pv::tensor({{1., 2., 3.}, {-0.5, 4., 0.25}}),
                        pv::tensor({index_t{1}, index_t{0}, index_t{1}})});
    REQUIRE(two.size() == 13);
    check_output<double>(two[0], {207.5});
    check_output<double>(two[1], {30, 10.5, 59.5, 2, 28, 16.5});
    check_output<bool>(two[2], {true});
    check_output<bool>(two[3], {true});
    check_bits(two[4], {nan, payload, 1, 1, 1.1, -kInfinity});
    check_output<float>(two[5], {2.2000732421875F, 0});
    check_output<double>(two[6], {3.75, -1});
    check_output<float>(two[7], {1.5F, -1});
    check_output<double>(two[8], {1, -2, 3, 0.5, -4, 0.25});
    check_output<index_t>(two[9], {2, kLowest + 1});
    check_output<std::uint8_t>(two[10], {201, 200, 201});
    check_output<std::int16_t>(two[11], {-3, 0, -3});
    check_output<bool>(two[12], {true, false});
    CHECK(pv::ShapeSpan(two[1].shape()).size() == 2);

    const auto one = c({pv::tensor({{2., 1., 0.5}}), pv::tensor({index_t{0}, index_t{0}})});
    check_output<double>(one[0], {59.75});
    check_output<double>(one[1], {36, 9, 27.5});
    check_output<double>(one[8], {2, -1, 0.5});
    check_output<index_t>(one[9], {1, kLowest});
}

/// Loops over dyadic numbers, so that all results are exact.
void check_loops(const pv::AnyComputation& c) {
    const auto two = c({pv::tensor({4., -2.}), pv::full({}, 0.25)});
    REQUIRE(two.size() == 14);
    check_output<double>(two[0], {10.154296875, 10.1484375});
    check_output<index_t>(two[1], {5});
    check_output<double>(two[2], {206.10052871704102});
    check_output<double>(two[3], {206.10051727294922, 206.10050582885742});
    check_output<double>(two[4], {1447.9966735839844});
    check_output<double>(two[5], {0.8125});
    check_output<bool>(two[6], {false});
    check_output<double>(two[7], {3.75, -2.4375});
    check_output<bool>(two[8], {true, true});
    check_output<double>(two[9], {0.0625, -0.03125});
    check_output<index_t>(two[10], {6});
    check_output<float>(two[11], {4.25F});
    check_output<index_t>(two[12], {4});
    check_output<double>(two[13], {0.001953125, -0.0009765625});

    const auto three = c({pv::tensor({1., 0.5, 8.}), pv::full({}, -0.5)});
    check_output<double>(three[0], {-0.140625, 2.109375, -1.96875});
    check_output<double>(three[2], {8.34521484375});
    check_output<double>(three[3], {-1.0283203125, -1.265625, 2.2939453125});
    check_output<double>(three[4], {-83.4521484375});
    check_output<double>(three[5], {-5.25});
    check_bits(three[7], {-0.0, 0.625, -36.75});
    check_output<bool>(three[8], {true, false, false});
    check_output<double>(three[9], {0.0078125, 0.00390625, 0.0625});
    check_output<index_t>(three[10], {7});
    check_output<float>(three[11], {3.5F});
    check_output<double>(three[13], {0.0001220703125, 6.103515625e-05, 0.0009765625});
}

} // namespace

TEST_CASE("computations that version 1 saved are loaded, run, and saved as the same") {
    register_functions();
    const std::string bytes = temporary::content(kGolden + ".purview");
    const std::string text = temporary::content(kGolden + ".txt");
    CHECK(bytes.substr(0, 20) == std::string_view("\x89purview\r\n\x1a\n\1\0\0\0\1\0\0\0", 20));
    for (const char* const kind : {".purview", ".txt"}) {
        CAPTURE(kind);
        const pv::AnyComputation c = pv::load_computation(kGolden + kind);
        CHECK(pv::computation_bytes(c) == bytes);
        CHECK(pv::computation_text(c) == text);
        check_results(c);
        CHECK(pv::computation_bytes(c) == bytes);
        REQUIRE(c.variables().size() == 1);
        CHECK(c.variables()[0].name() == "w");
        CHECK(pv::to_vector(c.symbol("the \"state\"\n\\ \xc3\xa9").value().as<float>()) ==
              std::vector<float>{1, 2});
    }
}

TEST_CASE("loops that version 2 saved are loaded, run, and saved as the same") {
    const std::string bytes = temporary::content(kLoops + ".purview");
    const std::string text = temporary::content(kLoops + ".txt");
    CHECK(bytes.substr(0, 20) == std::string_view("\x89purview\r\n\x1a\n\1\0\0\0\2\0\0\0", 20));
    CHECK(text.starts_with("purview computation, version 2\n"));
    for (const char* const kind : {".purview", ".txt"}) {
        CAPTURE(kind);
        const pv::AnyComputation c = pv::load_computation(kLoops + kind);
        CHECK(pv::computation_bytes(c) == bytes);
        CHECK(pv::computation_text(c) == text);
        check_loops(c);
        CHECK(pv::computation_bytes(c) == bytes);
    }
    for (const char* const word : {" loop ", " choose ", " result ", " counted ", " backwards ",
                                   " ends ", " while ", " counted backwards "}) {
        CAPTURE(word);
        CHECK(text.find(word) != std::string::npos);
    }
}

TEST_CASE("the files of version 1 have every kind of node") {
    const std::string text = temporary::content(kGolden + ".txt");
    for (const char* const word :
         {"number",      "tensor",     "sparse",   "argument", "constant",  "persistent",
          "variable",    "function",   "library",  "gather",   "pieces",    "scatter",
          "cumsum",      "sum",        "product",  "min",      "max",       "any_of",
          "all_of",      "where",      "scale",    "cast",     "as",        "by",
          "at",          "of",         "with",     "[period",  "[list",     "shown",
          "named",       "over",       "is",       "[any",     "remainder", "round",
          "complex64",   "complex128", "float16",  "bfloat16", "int16",     "uint8",
          "nan",         "-inf",       "-0",       "1e-310",   "maximum",   "greater",
          "logical_and", "not_equal",  "add",      "divide",   "multiply",  "\"take\"",
          "\"concat\"",  "\"pad\"",    "\"real\"", "\"imag\"", "\"conj\"",  "\"copysign\"",
          "\"indexing\""}) {
        CAPTURE(word);
        const bool begins = word[0] == '[';
        CHECK(text.find((begins ? "" : " ") + std::string(word) + (begins ? " " : "")) !=
              std::string::npos);
    }
}

} // namespace saved_golden_test
