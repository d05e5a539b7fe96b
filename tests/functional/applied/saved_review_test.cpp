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

TEST_CASE("a list of outputs and its gradient are called, saved and loaded") {
    const auto c = pv::computation(
        [](auto x) {
            return std::vector{pv::sum(x), pv::sum(x * x)};
        },
        pv::spec<double>({3}));
    const auto x = pv::tensor({1., 2., 4.});
    const auto both = pv::value_and_gradient(c);
    const auto [sums, slope] = both(x);
    CHECK(sums == Vector{7, 21});
    CHECK(values(slope) == Vector{1, 1, 1});
    CHECK(values(pv::gradient(c)(x)) == Vector{1, 1, 1});
    // In another trace, and once more.
    const auto again = pv::computation(
        [&](auto y) {
            const auto [list, by] = both(y * 2.0);
            return list[1] + pv::sum(by);
        },
        pv::spec<double>({3}));
    CHECK(again(x) == 84 + 3);
    CHECK(values(pv::gradient(again)(x)) == Vector{8, 16, 32});
    const auto [inner, first, second] = pv::value_and_gradient(both)(x);
    CHECK(inner == sums);
    CHECK(values(first) == values(second));
    STATIC_REQUIRE(std::tuple_size_v<decltype(both(x))> == 2);

    // Of several arguments, some of integers.
    const auto tensors = pv::computation(
        [](auto s, auto n, auto t) {
            return std::vector{s * pv::cast<double>(n), s + t};
        },
        pv::spec<double>(), pv::spec<index_t>(), pv::spec<double>());
    const auto all = pv::value_and_gradient(tensors)(3.0, index_t{2}, 5.0);
    STATIC_REQUIRE(std::tuple_size_v<decltype(all)> == 3);
    CHECK(std::get<0>(all) == Vector{6, 8});
    CHECK(std::get<1>(all) == 2);
    CHECK(std::get<2>(all) == 0);

    const pv::AnyComputation any = pv::computation_from(pv::computation_bytes(c));
    CHECK(any.as<std::vector<double>(double)>()(x) == Vector{7, 21});
    CHECK(any.as<std::array<double, 2>(double)>()(x)[1] == 21);
    CHECK_THROWS_AS(any.as<std::vector<float>(double)>(), pv::DtypeError);
    CHECK_THROWS_AS((any.as<std::tuple<double, double, double>(double)>()), pv::ShapeError);
    const pv::AnyComputation loaded = pv::computation_from(pv::computation_text(both));
    const auto typed =
        loaded.as<std::tuple<std::vector<double>, pv::MutableTensor<double>>(double)>();
    CHECK(std::get<0>(typed(x)) == Vector{7, 21});
    CHECK(values(std::get<1>(typed(x))) == Vector{1, 1, 1});
    CHECK_THROWS_WITH(loaded.as<std::vector<double>(double)>(),
                      "as: output 2 has shape [3], and is no number");
    using Long = std::tuple<std::vector<double>, double, double, double, double>;
    CHECK_THROWS_WITH(loaded.as<Long(double)>(), "as: there are 3 outputs, not 4");
}

TEST_CASE("outputs that cannot be loaded are not saved") {
    const auto nothing = [] {
        return pv::computation([](auto) { return std::vector<pv::Symbol<double>>(); },
                               pv::spec<double>({3}));
    };
    CHECK_THROWS_WITH(nothing(), "computation: the function returns no output");
    CHECK_THROWS_AS(nothing(), pv::ShapeError);
    const auto later = pv::computation([](auto) { return std::vector<pv::Symbol<double>>(); },
                                       pv::spec<double>({pv::any_size}));
    CHECK_THROWS_AS(later(pv::ones({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::value_and_gradient(later)(pv::ones({2})), pv::ShapeError);

    const auto rows = pv::computation(
        [](auto x) {
            std::vector<pv::Symbol<double>> all;
            for (index_t i = 0; i < x.shape()[0]; ++i) all.push_back(x * double(i));
            return all;
        },
        pv::spec<double>({pv::any_size}));
    CHECK(rows(pv::ones({2})).size() == 2);
    CHECK_NOTHROW(pv::computation_from(pv::computation_bytes(rows)));
    CHECK(rows(pv::ones({3})).size() == 3);
    CHECK_THROWS_WITH(pv::computation_bytes(rows),
                      "computation_bytes: for some shapes of the arguments, the outputs are others "
                      "in number or type than for others");
}

} // namespace saved_review_test
