#include <ATen/ATen.h>
#undef CHECK // PyTorch's, which is not a test's

#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/foreign_types.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace foreign_torch_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

namespace {

template <typename X>
concept Borrowed = requires(X&& x) {
    pv::borrow(std::forward<X>(x));
};
template <typename X>
concept Wrapped = requires(X&& x) {
    pv::wrap(std::forward<X>(x));
};

} // namespace

TEST_CASE("A torch::Tensor is borrowed with its strides") {
    at::Tensor x = at::arange(12, at::kFloat).reshape({3, 4});
    const auto t = pv::borrow(x).as_mutable<float>();
    CHECK(pv::to_vector(t(1, pv::all)) == std::vector<float>{4, 5, 6, 7});
    t(2, 3) = -1;
    CHECK(x[2][3].item<float>() == -1);
    const at::Tensor& constant = x;
    CHECK(pv::borrow(constant).is_read_only());

    at::Tensor transposed = x.t();
    CHECK(pv::borrow(transposed).as<float>()(3, 2) == -1);
    at::Tensor sliced = x.slice(1, 1, 4, 2);
    CHECK(pv::to_vector(pv::borrow(sliced).as<float>()) == std::vector<float>{1, 3, 5, 7, 9, -1});
    at::Tensor repeated = x.slice(0, 0, 1).expand({5, 4});
    CHECK(pv::borrow(repeated).shape() == pv::Shape{5, 4});
    CHECK(pv::borrow(repeated).is_read_only());
    at::Tensor scalar = at::scalar_tensor(3.0, at::kDouble);
    CHECK(pv::borrow(scalar).as<double>()() == 3);
    at::Tensor none = at::empty({0, 3}, at::kLong);
    CHECK(pv::borrow(none).shape() == pv::Shape{0, 3});

    const auto dtype = [](at::ScalarType type) {
        at::Tensor zeros = at::zeros({2}, type);
        return pv::borrow(zeros).dtype();
    };
    CHECK(dtype(at::kByte) == pv::uint8);
    CHECK(dtype(at::kChar) == pv::int8);
    CHECK(dtype(at::kShort) == pv::int16);
    CHECK(dtype(at::kInt) == pv::int32);
    CHECK(dtype(at::kLong) == pv::int64);
    CHECK(dtype(at::kDouble) == pv::float64);
    CHECK(dtype(at::kBool) == pv::boolean);
    CHECK(dtype(at::kHalf) == pv::float16);
    CHECK(dtype(at::kBFloat16) == pv::bfloat16);
    CHECK(dtype(at::kComplexFloat) == pv::kDType<std::complex<float>>);
    CHECK(dtype(at::kComplexDouble) == pv::kDType<std::complex<double>>);
    CHECK_THROWS_AS(dtype(at::kComplexHalf), pv::DtypeError);

    STATIC_REQUIRE_FALSE(Borrowed<at::Tensor>);
    STATIC_REQUIRE(Wrapped<at::Tensor>);
    STATIC_REQUIRE_FALSE(Wrapped<at::Tensor&>);
    STATIC_REQUIRE_FALSE(Wrapped<const at::Tensor>);
}

TEST_CASE("What strides do not say of a torch::Tensor is refused") {
    at::Tensor z = at::ones({2}, at::kComplexFloat);
    at::Tensor conjugated = z.conj();
    REQUIRE(conjugated.is_conj());
    CHECK_THROWS_WITH(pv::borrow(conjugated),
                      ContainsSubstring("borrow") && ContainsSubstring("resolve_conj()"));
    at::Tensor negated = at::imag(conjugated);
    REQUIRE(negated.is_neg());
    CHECK_THROWS_AS(pv::borrow(negated), pv::ShapeError);
    at::Tensor resolved = negated.resolve_neg();
    CHECK(pv::borrow(resolved).shape() == pv::Shape{2});
    at::Tensor sparse = at::ones({2, 2}).to_sparse();
    CHECK_THROWS_WITH(pv::borrow(sparse), ContainsSubstring("sparse"));
    at::Tensor undefined;
    CHECK_THROWS_WITH(pv::borrow(undefined), ContainsSubstring("undefined"));
    at::Tensor nowhere = at::empty({2}, at::TensorOptions(at::kMeta));
    CHECK_THROWS_AS(pv::borrow(nowhere), pv::DeviceError);
    CHECK_THROWS_WITH(pv::wrap(std::move(nowhere)), ContainsSubstring("device meta"));
    at::Tensor quantized = at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQInt8);
    CHECK_THROWS_AS(pv::borrow(quantized), pv::DtypeError);

    at::Tensor learnt = at::ones({3}).requires_grad_();
    CHECK(pv::borrow(learnt).is_read_only());
    at::Tensor detached = learnt.detach();
    CHECK_FALSE(pv::borrow(detached).is_read_only());
}

TEST_CASE("A torch::Tensor is adopted, and shares its elements with others") {
    at::Tensor x = at::arange(6, at::kInt).reshape({2, 3});
    at::Tensor same = x;
    auto t = pv::wrap(std::move(x)).as_mutable<int>();
    t(0, 0) = 50;
    CHECK(same[0][0].item<int>() == 50);
    const auto row = t(1, pv::all);
    t = pv::zeros<int>({1, 1});
    same = at::Tensor();
    CHECK(pv::to_vector(row) == std::vector{3, 4, 5});

    // Memory of others, with a deleter that runs once.
    int released = 0;
    std::vector<float> memory{1, 2, 3};
    at::Tensor blob = at::from_blob(
        memory.data(), {3}, [&](void*) { ++released; }, at::kFloat);
    {
        const auto kept = pv::wrap(std::move(blob));
        CHECK(pv::sum(kept.as<float>()) == 6);
        CHECK(released == 0);
    }
    CHECK(released == 1);
}

} // namespace foreign_torch_test
