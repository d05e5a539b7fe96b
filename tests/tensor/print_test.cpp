#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace print_test {

namespace {

namespace pv = purview;

std::string printed(const pv::AnyTensor& tensor) {
    std::ostringstream out;
    out << tensor;
    return out.str();
}

/// What follows the header line.
std::string body(const pv::AnyTensor& tensor) {
    const std::string text = printed(tensor);
    return text.substr(text.find('\n') + 1);
}

std::string header(const pv::AnyTensor& tensor) {
    const std::string text = printed(tensor);
    return text.substr(0, text.find('\n'));
}

struct Silent {
    int value = 0;
    bool operator==(const Silent&) const = default;
};

} // namespace

// The page of tech.datatype on tensors, to the letter.
TEST_CASE("the tensor page prints as it always has") {
    const auto t = pv::tensor({{0., 1., 2.}, {3., 4., 5.}, {6., 7., 8.}});
    CHECK(printed(t) == "#purview.tensor<float64>[3 3]\n"
                        "[[0.000 1.000 2.000]\n"
                        " [3.000 4.000 5.000]\n"
                        " [6.000 7.000 8.000]]");
    CHECK(printed(t | pv::transpose({1, 0})) == "#purview.tensor<float64>[3 3]\n"
                                                "[[0.000 3.000 6.000]\n"
                                                " [1.000 4.000 7.000]\n"
                                                " [2.000 5.000 8.000]]");
    CHECK(printed(t | pv::broadcast({6, 3})) == "#purview.tensor<float64>[6 3]\n"
                                                "[[0.000 1.000 2.000]\n"
                                                " [3.000 4.000 5.000]\n"
                                                " [6.000 7.000 8.000]\n"
                                                " [0.000 1.000 2.000]\n"
                                                " [3.000 4.000 5.000]\n"
                                                " [6.000 7.000 8.000]]");
    CHECK(printed(t | pv::rotate({0, 1})) == "#purview.tensor<float64>[3 3]\n"
                                             "[[2.000 0.000 1.000]\n"
                                             " [5.000 3.000 4.000]\n"
                                             " [8.000 6.000 7.000]]");
    CHECK(printed(t(1, pv::all)) == "#purview.tensor<float64>[3]\n"
                                    "[3.000 4.000 5.000]");
    CHECK(printed(t | pv::select(1)) == printed(t(1, pv::all)));
    CHECK(printed(t(pv::all, 2)) == "#purview.tensor<float64>[3]\n"
                                    "[2.000 5.000 8.000]");
}

TEST_CASE("the header names dtype and shape") {
    CHECK(header(pv::zeros<bool>({2})) == "#purview.tensor<bool>[2]");
    CHECK(header(pv::zeros<std::int8_t>({2, 3})) == "#purview.tensor<int8>[2 3]");
    CHECK(header(pv::zeros<std::int16_t>({1})) == "#purview.tensor<int16>[1]");
    CHECK(header(pv::zeros<std::int32_t>({1})) == "#purview.tensor<int32>[1]");
    CHECK(header(pv::zeros<std::int64_t>({1})) == "#purview.tensor<int64>[1]");
    CHECK(header(pv::zeros<std::uint8_t>({1, 1, 2})) == "#purview.tensor<uint8>[1 1 2]");
    CHECK(header(pv::zeros<std::uint16_t>({1})) == "#purview.tensor<uint16>[1]");
    CHECK(header(pv::zeros<std::uint32_t>({1})) == "#purview.tensor<uint32>[1]");
    CHECK(header(pv::zeros<std::uint64_t>({1})) == "#purview.tensor<uint64>[1]");
    CHECK(header(pv::zeros<float>({1})) == "#purview.tensor<float32>[1]");
    CHECK(header(pv::zeros<double>({0, 3})) == "#purview.tensor<float64>[0 3]");
    CHECK(header(pv::zeros<double>({})) == "#purview.tensor<float64>[]");
    CHECK(header(pv::tensor({"a"})) == "#purview.tensor<string>[1]");
}

TEST_CASE("integers print as numbers, bytes too") {
    CHECK(body(pv::tensor<std::uint8_t>({65, 66})) == "[65 66]");
    CHECK(body(pv::tensor<std::int8_t>({65, -1})).find("65") != std::string::npos);
    CHECK(body(pv::tensor({{1, 2}, {3, 4}})) == "[[1 2]\n [3 4]]");
}

TEST_CASE("every rank prints in its brackets") {
    CHECK(body(pv::full<std::int32_t>({}, 7)) == "7");
    CHECK(body(pv::tensor({1, 2, 3})) == "[1 2 3]");
    CHECK(body(pv::zeros<int>({0})) == "[]");
    const auto cube = pv::reshape(pv::arange(8), {2, 2, 2});
    const std::string text = body(cube);
    CHECK(text.starts_with("[[[0 1]\n  [2 3]]\n"));
    CHECK(text.ends_with(" [[4 5]\n  [6 7]]]"));
}

TEST_CASE("large tensors leave the middle out") {
    const auto line = body(pv::arange(1'000'000));
    CHECK(line.starts_with("["));
    CHECK(line.ends_with("]"));
    CHECK(line.size() < 2000);
    CHECK(line.find("...") != std::string::npos);
    CHECK(line.find("999999") != std::string::npos);
    CHECK(body(pv::zeros<std::uint8_t>({3000, 3000, 3})).size() < 20'000);
}

TEST_CASE("printing a huge computed tensor reads only what it prints") {
    const auto huge = pv::compute_tensor({1'000'000, 1'000'000},
                                         [](pv::index_t i, pv::index_t j) { return i + j; });
    CHECK(body(huge + 1).find("1999999") != std::string::npos);
}

TEST_CASE("NaN and infinities print") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto text = body(pv::tensor({std::numeric_limits<double>::quiet_NaN(), inf, -inf}));
    CHECK(text.find("nan") != std::string::npos);
    CHECK(text.find("-inf") != std::string::npos);
}

TEST_CASE("elements of other types print by their operator<<, if they have one") {
    CHECK(body(pv::tensor({"one", "two"})).find("one") != std::string::npos);
    CHECK(body(pv::full<std::complex<double>>({1}, {1, 2})).find("(1,2)") != std::string::npos);
    CHECK_NOTHROW(printed(pv::full<Silent>({3}, Silent{1})));
}

} // namespace print_test
