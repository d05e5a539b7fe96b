#include <support/catch.hpp>
#include <support/computation_text.hpp>
#include <support/temporary.hpp>
#include <support/walled_backend.hpp>

#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace saved_calls_test {
namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

/// The first output of a computation without arguments.
template <typename T = double>
std::vector<T> result_of(const std::vector<std::string>& nodes, const std::string& outputs) {
    return pv::to_vector(
        pv::computation_from(oracle::computation_text_of(nodes, outputs))({})[0].as<T>());
}

} // namespace

TEST_CASE("computations without arguments are called over symbols of each role") {
    for (const std::string role : {"variable", "persistent", "constant"}) {
        CAPTURE(role);
        const std::string symbol = role + " \"x\" float64 [2] is 1 2";
        CHECK(result_of({symbol, "negative float64 [2] [%0]"}, "%1 [2]") == Vector{-1, -2});
        CHECK(result_of({symbol}, "%0 [2] by [-1] at 1") == Vector{2, 1});
        CHECK(result_of({symbol, "sum 1 %0 [2]"}, "%1 []") == Vector{3});
    }
}

TEST_CASE("thousands of outputs, each made of the one before, lie where their inputs do") {
    constexpr int count = 3000;
    const auto c = pv::computation(
        [](auto x) {
            std::vector<pv::Symbol<double>> outputs{x + 1.0};
            while (outputs.size() < count) outputs.push_back(outputs.back() + 1.0);
            return outputs;
        },
        pv::spec<double>({2}));
    const pv::AnyComputation any = pv::computation_from(pv::computation_bytes(c));
    const auto x = pv::tensor({0.5, 1.5});
    const std::vector<pv::AnyTensor> here = any({x});
    REQUIRE(here.size() == count);
    CHECK(pv::to_vector(here.back().as<double>()) == Vector{count + 0.5, count + 1.5});
    const pv::Tensor<double> walled(oracle::walled(x.operand()));
    const std::vector<pv::AnyTensor> there = any({walled});
    REQUIRE(there.size() == count);
    for (const auto& output : {there.front(), there.back()})
        CHECK(output.operand().node->reads(pv::Below::device));
}

TEST_CASE("a conversion of bools to bools keeps them, wherever it is read") {
    const std::string bools = "tensor bool 4 true false true false";
    const std::string others = "tensor bool 4 true true false false";
    for (const std::string type : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                   "uint64", "float32", "float64"}) {
        CAPTURE(type);
        const std::string numbers = "tensor " + type + " 4 1 2 3 4";
        CHECK(result_of({bools, "cast bool [4] [%0]", numbers, "number " + type + " 9",
                         "where " + type + " [4] [%1 %2 %3]", "cast float64 [4] [%4]"},
                        type == "float64" ? "%4 [4]" : "%5 [4]") == Vector{1, 9, 3, 9});
        // a condition that is computed, converted, and read as it is too
        CHECK(result_of({numbers, "number " + type + " 3", "less bool [4] [%0 %1]",
                         "cast bool [4] [%2]", "bit_xor bool [4] [%2 %3]",
                         "logical_or bool [4] [%4 %3]", "where " + type + " [4] [%5 %0 %1]",
                         "cast float64 [4] [%6]"},
                        type == "float64" ? "%6 [4]" : "%7 [4]") == Vector{1, 2, 3, 3});
        // and a number converted to its own type
        CHECK(result_of({numbers, "cast " + type + " [4] [%0]", "add " + type + " [4] [%1 %0]",
                         "cast float64 [4] [%2]"},
                        type == "float64" ? "%2 [4]" : "%3 [4]") == Vector{2, 4, 6, 8});
    }
    const auto compared = [&](const std::string& operation) {
        return result_of<bool>(
            {bools, "cast bool [4] [%0]", others, operation + " bool [4] [%1 %2]"}, "%3 [4]");
    };
    using Bools = std::vector<bool>;
    CHECK(compared("less") == Bools{false, true, false, false});
    CHECK(compared("equal") == Bools{true, false, false, true});
    CHECK(compared("greater_equal") == Bools{true, false, true, true});
    CHECK(result_of<bool>({bools, "cast bool [4] [%0]"}, "%1 [4]") ==
          Bools{true, false, true, false});
}

TEST_CASE("bools of other libraries, of any byte but 0, are saved as true") {
    static constexpr std::array<std::uint8_t, 4> kBytes{0, 1, 2, 255};
    const auto mask = pv::borrow(reinterpret_cast<const bool*>(kBytes.data()), {4});
    const auto c =
        pv::computation([&](auto x) { return pv::where(mask, x, -x); }, pv::spec<double>({4}));
    const auto x = pv::tensor({1., 2., 3., 4.});
    for (const std::string& saved : {pv::computation_bytes(c), pv::computation_text(c)})
        CHECK(pv::to_vector(pv::computation_from(saved)({x})[0].as<double>()) ==
              Vector{-1, 2, 3, 4});
    CHECK_THAT(pv::computation_text(c), Catch::Contains("bool 4 false true true true"));
}

TEST_CASE("strides of axes of one element may be anything") {
    const std::string four = "tensor float64 4 1 2 3 4";
    for (const std::string stride : {"9223372036854775807", "-9223372036854775808", "7"}) {
        CAPTURE(stride);
        const std::string odd = "[4 1 1] by [1 " + stride + " " + stride + "]";
        CHECK(result_of({four, "sum 1 %0 " + odd}, "%1 []") == Vector{10});
        CHECK(result_of({four, "exp float64 [4 1 1] [%0 as " + odd + "]",
                         "log float64 [4 1 1] [%1 as " + odd + "]", "rint float64 [4 1 1] [%2]"},
                        "%3 [2 2]") == Vector{1, 2, 3, 4});
        // Of operands, only what is another view than the usual one is kept.
        const std::vector<std::string> plain{four, "exp float64 [1 4] [%0]"};
        const std::string odder = "exp float64 [1 4] [%0 as [1 4] by [" + stride + " 1]]";
        CHECK(pv::computation_text(pv::computation_from(oracle::computation_text_of(
                  {four, odder}, "%1 [4]"))) == oracle::computation_text_of(plain, "%1 [4]"));
    }
}

TEST_CASE("what is no map and no path is refused") {
    for (const std::string period : {"0", "-4"})
        CHECK_THROWS_WITH(
            pv::computation_from(oracle::computation_text_of(
                {"tensor float64 4 1 2 3 4"}, "%0 [4] by [1] with [period " + period + " 5 3]")),
            "computation: node 1: an axis has a period below 1");
    const temporary::Folder folder;
    temporary::write_file(folder / "t.bin", std::string(8, '\0'));
    const std::string places = folder / "";
    CHECK_NOTHROW(pv::computation_from(
        oracle::computation_text_of({"mapped float64 1 \"t.bin\" 0"}, "%0 [1]"),
        {.places = places}));
    CHECK_THROWS_AS(pv::computation_from(
                        oracle::computation_text_of({"mapped float64 1 \"t.bin\\00\" 0"}, "%0 [1]"),
                        {.places = places}),
                    pv::FormatError);
}

} // namespace saved_calls_test
