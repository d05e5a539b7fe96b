#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <string>
#include <vector>

namespace saved_review_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

Vector values(const auto& x) { return pv::to_vector(x); }

/// The text of a computation without arguments.
std::string text_of(const std::vector<std::string>& nodes, const std::string& outputs) {
    std::string text =
        "purview computation, version 1\narguments []\nnodes " + std::to_string(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        text += "\n%" + std::to_string(i) + " = " + nodes[i];
    return text + "\nprograms [\nprogram [] [" + outputs + "]\n]\n";
}
/// The first output of it.
Vector result_of(const std::vector<std::string>& nodes, const std::string& outputs) {
    return values(pv::computation_from(text_of(nodes, outputs))({})[0].as<double>());
}

} // namespace

TEST_CASE("results that no memory holds are refused") {
    // 8 times these is 32 in 64 bits, below 0, and just too much.
    for (const std::string& size :
         {std::string("2305843009213693956"), std::string("1152921504606846976"),
          std::string("72057594037927937")}) {
        CAPTURE(size);
        const std::string shape = "[" + size + "]";
        for (const std::string& node :
             {"sum " + size + " %0 " + shape + " by [0]",
              "max " + size + " %0 " + shape + " by [0]",
              "cumsum " + size + " 1 %0 " + shape + " by [0]",
              "scatter " + size + " [1] [along 0] [%0 [1]]",
              "gather \"take\" " + shape + " [at 0] [%0 [1] %1 " + shape + " by [0]]",
              "pieces \"concat\" " + shape + " [[0]] [%0 " + shape + " by [0]]"}) {
            CAPTURE(node);
            CHECK_THROWS_WITH(
                pv::computation_from(
                    text_of({"variable \"x\" float64 [1] is 1", "number int64 0", node}, "%2 [1]")),
                "computation: node 2: " + size + " elements are too many");
        }
        CHECK_THROWS_AS(
            pv::computation_from(text_of({"variable \"x\" float64 [] is 1",
                                          "exp float64 " + shape + " [%0 as " + shape + " by [0]]"},
                                         "%1 [1]")),
            pv::FormatError);
    }
    // A view has as many elements as it likes, until they are asked for.
    CHECK_NOTHROW(pv::computation_from(
        text_of({"number float64 1", "sum 1 %0 [2305843009213693956] by [0]"}, "%1 []")));
    CHECK_THROWS_AS(result_of({"number float64 1"}, "%0 [2305843009213693956] by [0]"),
                    pv::ShapeError);
    // And so have sparse tensors.
    const std::vector<std::string> sparse{"sparse float64 2305843009213693956 [1] 2 0",
                                          "negative float64 [2305843009213693956] [%0]",
                                          "sum 1 %1 [2305843009213693956]"};
    CHECK(result_of(sparse, "%2 []") == Vector{-2});

    // What is traced, and not loaded.
    const auto traced = pv::computation(
        [](auto x) {
            const auto rows = pv::broadcast(x, {(index_t{1} << 61) + 4, 1});
            return pv::sum(pv::sum(rows, 1)(pv::range(0, 2)));
        },
        pv::spec<double>());
    CHECK_THROWS_AS(traced(1.0), pv::ShapeError);
    CHECK_THROWS_WITH(pv::computation_bytes(traced),
                      Catch::EndsWith("has 2305843009213693956 elements, which are too many"));
}

TEST_CASE("a scatter along some axes of its values adds over the others") {
    CHECK(result_of({"tensor float64 6 1 2 3 4 5 6", "scatter 2 [2] [along 0] [%0 [2 3]]"},
                    "%1 [2]") == Vector{6, 15});
    CHECK(result_of({"tensor float64 6 1 2 3 4 5 6",
                     "scatter 1 [1 1] [along 0 along 1] [%0 [1 1 6] by [0 0 1]]"},
                    "%1 [1]") == Vector{21});
}

} // namespace saved_review_test
