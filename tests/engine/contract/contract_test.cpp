#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/blas.hpp>

#include <engine/contract/contract.hpp>
#include <engine/contract/contraction.hpp>

#include <string>
#include <vector>

namespace contract_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using pv::all;
using pv::index_t;
using pv::new_axis;

/// The call that a sum over the last axes of a product would be, without the library's name.
template <typename T>
std::string call_of(const pv::Tensor<T>& product, pv::Shape axes) {
    const pv::ReducedView view = pv::reduced_view("sum", product.operand(), axes, false);
    const std::string text = pv::engine::describe_product(view.operand, view.groups);
    if (text.starts_with("fused loop instead of ")) return text.substr(22, text.find(':') - 22);
    return text.substr(0, text.find(", by "));
}

} // namespace

TEST_CASE("matrix products are found in every form") {
    const auto a = pv::ones({64, 96});
    const auto b = pv::ones({96, 80});
    CHECK(call_of(a(all, all, new_axis) * b(new_axis, all, all), {1}) == "gemm 64x80x96 float64");
    // The other way round: the result's last axis is that of the first factor.
    CHECK(call_of(a(new_axis, all, all) * (b | pv::transpose)(all, new_axis, all), {2}) ==
          "gemm 64x80x96 float64");
    const auto at = pv::clone(a | pv::transpose) | pv::transpose;
    CHECK(call_of(at(all, all, new_axis) * b(new_axis, all, all), {1}) ==
          "gemm 64x80x96 float64, A transposed");
    const auto bt = pv::ones({80, 96});
    CHECK(call_of(a(all, new_axis, all) * bt(new_axis, all, all), {2}) ==
          "gemm 64x80x96 float64, B transposed");
    const auto part = pv::ones<float>({200, 300})(pv::range(5, 69), pv::range(10, 106));
    CHECK(call_of(part(all, new_axis, all) * (bt | pv::cast<float>)(new_axis, all, all), {2}) ==
          "gemm 64x80x96 float32, B computed first");
}

TEST_CASE("axes are merged, looped over or copied") {
    const auto q = pv::ones({4, 128, 8, 64}); // b q h f
    const auto k = pv::ones({4, 128, 8, 64}); // b k h f
    const auto scores = (q | pv::transpose({0, 2, 1, 3}))(all, all, all, new_axis, all) *
                        (k | pv::transpose({0, 2, 1, 3}))(all, all, new_axis, all, all);
    CHECK(call_of(scores, {4}) == "gemm 128x128x64 float64, B transposed, batch 32");

    const auto x = pv::ones({16, 16, 64}); // two axes of A become one
    const auto y = pv::ones({64, 48});
    CHECK(call_of(x(all, all, all, new_axis) * y(new_axis, new_axis, all, all), {2}) ==
          "gemm 256x48x64 float64");
    const auto reversed = pv::ones({64, 64}) | pv::flip({1});
    CHECK(call_of(reversed(all, all, new_axis) * y(new_axis, all, all), {1}) ==
          "gemm 64x48x64 float64");
    // The batch is the fastest axis of the result.
    const auto u = pv::ones({30, 40, 50}); // batch m k
    const auto v = pv::ones({30, 60, 50}); // batch n k
    const auto moved =
        (u(all, all, new_axis, all) * v(all, new_axis, all, all)) | pv::transpose({1, 2, 0, 3});
    CHECK_THAT(call_of(moved, {3}), StartsWith("gemm 40x60x50 float64") &&
                                        ContainsSubstring("result in another order") &&
                                        ContainsSubstring("batch 30"));
    // Two summed axes that are apart in one factor.
    const auto left = pv::ones({50, 8, 64});
    const auto right =
        pv::ones({8, 64, 40}) | pv::transpose({1, 0, 2}) | pv::clone | pv::transpose({1, 0, 2});
    CHECK_THAT(call_of(left(all, all, all, new_axis) * right(new_axis, all, all, all), {1, 2}),
               StartsWith("gemm 50x40x"));
}

TEST_CASE("what is no matrix product says so") {
    const auto a = pv::ones({64, 96});
    CHECK(call_of(a + a, {1}).empty());
    const auto whole = pv::ones<std::int64_t>({64, 96});
    CHECK(call_of(whole(all, new_axis, all) * whole(new_axis, all, all), {2}) ==
          "fused loop: BLAS is for floats");
    CHECK(call_of(whole(all, all, new_axis) * (whole | pv::transpose)(new_axis, all, all), {0}) ==
          "2 factors pair by pair: sum of 6144 to 96; then fused loop: no axis is summed");
    CHECK(call_of(whole(all, new_axis, all) *
                      (pv::clone(whole | pv::transpose) | pv::transpose)(new_axis, all, all),
                  {2}) == "fused loop: BLAS is for floats, B laid along the sum first");
    CHECK(call_of(a * 2.0, {1}) == "fused loop: a factor is a constant");
    CHECK(call_of(a * a, {1}) == "fused loop: each product has one element (dot products)");
    CHECK(call_of(a * a, {0, 1}) == "fused loop: a dot product");
    CHECK(call_of(a * pv::ones({96}), {0}) == "fused loop: a summed axis is in one factor only");
    CHECK(call_of(pv::ones({2, 2}) * pv::ones({2, 2}), {0}) == "fused loop: too small");
    CHECK(call_of(a(all, new_axis, all) * a(new_axis, all, all), {}) ==
          "fused loop: no axis is summed");
    // It would be held in memory, and used twice.
    CHECK(call_of((a + 1)(all, new_axis, all) * a(pv::range(0, 2), all)(new_axis, all, all), {2}) ==
          "fused loop: a computed factor is used too few times to be held in memory");
}

TEST_CASE("pieces of a contraction are independent") {
    if (pv::engine::blas() == nullptr) {
        CHECK_THAT(pv::blas_library(), StartsWith("no BLAS: "));
        return;
    }
    const auto matrices = [](index_t rows) {
        return pv::clone(pv::compute_tensor({3, rows, 400}, [](index_t i, index_t j, index_t k) {
            return static_cast<double>((i + 3 * j + 5 * k) % 7); // sums are exact in any order
        }));
    };
    for (const auto& [m, n] : {std::pair{1100, 300}, std::pair{300, 1100}}) {
        const auto a = matrices(m);
        const auto b = matrices(n);
        const auto products = a(all, all, new_axis, all) * b(all, new_axis, all, all);
        const pv::ReducedView view =
            pv::reduced_view("sum", products.operand(), pv::Shape{3}, false);
        pv::engine::Reason refusal = nullptr;
        const auto contraction = pv::engine::find_contraction(view.operand, view.groups, refusal);
        REQUIRE(contraction);
        const auto calls = pv::engine::choose_calls(*contraction, refusal);
        REQUIRE(calls);
        REQUIRE(calls->pieces() == 3 * 17);
        const auto run = [&](const std::vector<index_t>& cuts) {
            std::vector<double> out(static_cast<std::size_t>(view.groups), -1.0);
            for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
                calls->run(calls->a, calls->b, out.data(), cuts[i], cuts[i + 1]);
            return out;
        };
        const std::vector<double> whole = run({0, 51});
        const bool same_in_parts = whole == run({0, 1, 16, 17, 20, 51});
        CHECK(same_in_parts);
        const bool same_as_sum = whole == pv::to_vector(pv::sum(products, 3));
        CHECK(same_as_sum);
        double first = 0;
        for (index_t k = 0; k < 400; ++k) first += a(2, m - 1, k) * b(2, n - 1, k);
        CHECK(whole.back() == first);
    }
}

} // namespace contract_test
