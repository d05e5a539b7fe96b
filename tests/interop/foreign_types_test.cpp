#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/foreign_types.hpp>
#include <purview/interop/foreign_views.hpp>
#include <purview/interop/view_as.hpp>
#include <purview/purview.hpp>

#include <interop/mdspan_stand_in.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace foreign_types_test {

// Stand-ins for what no package has; tests/interop/foreign has the libraries themselves.

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

namespace {

template <typename X>
concept Borrowed = requires(X&& x) {
    pv::borrow(std::forward<X>(x));
};
template <typename X>
concept Wrapped = requires(X&& x) {
    pv::wrap(std::forward<X>(x));
};

template <typename T, std::size_t rank, typename Layout = stand_in::layout_right,
          typename Index = int>
using Span = stand_in::mdspan<T, stand_in::dextents<Index, rank>, Layout>;
template <typename T, std::size_t rank>
using Strided = Span<T, rank, stand_in::layout_stride, index_t>;

/// A `torch::Tensor` of one dimension on some device.
struct TensorOnDevice {
    struct Device {
        std::string name;
        bool is_cpu() const { return name == "cpu"; }
        std::string str() const { return name; }
    };
    float* elements;
    std::array<std::int64_t, 1> shape;
    std::string name = "cuda:0";
    int layout_number = 0;
    int type = 6;

    void* data_ptr() const { return elements; }
    std::span<const std::int64_t> sizes() const { return shape; }
    std::span<const std::int64_t> strides() const {
        static constexpr std::int64_t kOne[] = {1};
        return kOne;
    }
    int scalar_type() const { return type; }
    int layout() const { return layout_number; }
    Device device() const { return {name}; }
    bool defined() const { return true; }
    bool is_conj() const { return false; }
    bool is_neg() const { return false; }
    bool requires_grad() const { return false; }
};

} // namespace

TEST_CASE("Kokkos' mdspans are borrowed, of any layout that has strides") {
    float memory[24];
    for (int i = 0; i < 24; ++i) memory[i] = static_cast<float>(i);
    using Extents = stand_in::dextents<int, 2>;
    const Span<float, 2> rows(memory, stand_in::layout_right::mapping<Extents>(Extents(4, 6)));
    CHECK(pv::borrow(rows)(3, 5) == 23);
    const Span<const float, 2, stand_in::layout_left> columns(
        memory, stand_in::layout_left::mapping<Extents>(Extents(4, 6)));
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(columns)), pv::Tensor<float>>);
    CHECK(pv::borrow(columns)(3, 1) == 7);
    const Span<float, 2, stand_in::layout_stride> strided(
        memory, stand_in::layout_stride::mapping<Extents>(Extents(2, 3), {12, 2}));
    pv::borrow(strided)(1, 2) = -1;
    CHECK(memory[16] == -1);
    const Span<float, 2> none(nullptr, stand_in::layout_right::mapping<Extents>(Extents(0, 6)));
    CHECK(pv::borrow(none).shape() == pv::Shape{0, 6});
    using Fixed = stand_in::Extents<int, 2, 12>;
    const stand_in::mdspan<float, Fixed> fixed(
        memory, stand_in::layout_right::mapping<Fixed>(Fixed(2, 12)));
    CHECK(pv::borrow(fixed)(1, 0) == 12);
    const Span<float, 0> one(memory + 5, {});
    CHECK(pv::borrow(one)() == 5);

    // What is not memory seen by strides.
    using Negated =
        stand_in::mdspan<float, Extents, stand_in::layout_right, stand_in::negated_accessor<float>>;
    STATIC_REQUIRE_FALSE(Borrowed<Negated&>);
    STATIC_REQUIRE_FALSE(pv::array_like<Negated>);
    STATIC_REQUIRE_FALSE(Borrowed<Span<float, 2, stand_in::layout_blocked>&>);
    stand_in::layout_perhaps::mapping<Extents> mapping{Extents(4, 6)};
    CHECK(pv::borrow(Span<float, 2, stand_in::layout_perhaps>(memory, mapping))(1, 0) == 6);
    mapping.strided = false;
    CHECK_THROWS_WITH(pv::borrow(Span<float, 2, stand_in::layout_perhaps>(memory, mapping)),
                      ContainsSubstring("has no strides"));

    STATIC_REQUIRE(Borrowed<Span<float, 2>>);
    STATIC_REQUIRE_FALSE(Wrapped<Span<float, 2>>);
    STATIC_REQUIRE_FALSE(Wrapped<Span<float, 2>&>);
}

TEST_CASE("Tensors are seen as mdspans of every layout that their strides are of") {
    const auto t = pv::empty<double>({3, 4});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 4; ++j) t(i, j) = static_cast<double>(10 * i + j);
    const pv::AnyTensor any = t;
    const auto transposed = pv::AnyTensor::view_of(any, pv::transpose(t).operand());
    for (const pv::AnyTensor& view :
         {any, transposed, any(pv::range(0, 3, 2), pv::range(1, 3)), any(pv::range(1, 1), pv::all),
          any(pv::range(1, 2), pv::all), any(pv::all, pv::range(2, 3))}) {
        auto span = pv::as_mdspan<Strided<double, 2>>(view);
        CHECK(pv::equals(pv::borrow(span), view));
        CHECK((span.stride(0) > 0 && span.stride(1) > 0));
    }
    using Rows = Span<double, 2>;
    using Columns = Span<double, 2, stand_in::layout_left>;
    CHECK(pv::equals(pv::borrow(pv::as_mdspan<Rows>(any)), any));
    CHECK(pv::equals(pv::borrow(pv::as_mdspan<Columns>(transposed)), transposed));
    CHECK(pv::as_mdspan<Rows>(any(pv::range(0, 0), pv::all)).extent(1) == 4);
    CHECK(*pv::as_mdspan<Span<double, 0>>(any(1, 2)).data_handle() == 12);
    CHECK(*pv::as_mdspan<Strided<double, 0>>(any(1, 2)).data_handle() == 12);
    pv::borrow(pv::as_mdspan<Strided<double, 1>>(any(pv::all, 1)))(2) = -1;
    CHECK(t(2, 1) == -1);

    const auto refused = [](auto type, const pv::AnyTensor& x, const char* needs) {
        using M = typename decltype(type)::type;
        CHECK_THROWS_WITH(pv::as_mdspan<M>(x),
                          ContainsSubstring(needs) && ContainsSubstring("as_mdspan"));
        CHECK_THROWS_AS(pv::as_mdspan<M>(x), pv::ShapeError);
    };
    refused(std::type_identity<Rows>(), transposed, "strides of its layout");
    refused(std::type_identity<Columns>(), any, "strides of its layout");
    refused(std::type_identity<Strided<double, 2>>(),
            pv::AnyTensor::view_of(any, pv::flip(t, 0).operand()), "positive strides");
    refused(std::type_identity<Strided<const double, 2>>(), pv::broadcast(t(0, pv::all), {5, 4}),
            "positive strides");
    refused(std::type_identity<Strided<double, 3>>(), any, "has rank 2, and the view 3");
    refused(std::type_identity<stand_in::mdspan<double, stand_in::Extents<int, 3, 5>>>(), any,
            "static extents");
    CHECK(pv::as_mdspan<stand_in::mdspan<double, stand_in::Extents<int, 3, 4>>>(any).extent(0) ==
          3);
    refused(std::type_identity<Strided<const double, 2>>(), t + 1, "computed");
    refused(std::type_identity<Strided<const double, 2>>(), pv::rotate(t, {1, 0}), "strides");
    const auto wide = pv::zeros<std::uint8_t>({2, 200});
    refused(std::type_identity<Span<std::uint8_t, 2, stand_in::layout_stride, std::uint8_t>>(),
            wide, "fit its index type");
    CHECK_THROWS_AS((pv::as_mdspan<Strided<float, 2>>(any)), pv::DtypeError);
    CHECK_THROWS_AS((pv::as_mdspan<Strided<double, 2>>(pv::Tensor<double>(t))), pv::ReadOnlyError);
    CHECK(pv::as_mdspan<Strided<const double, 2>>(pv::Tensor<double>(t)).extent(0) == 3);

    // Elements that no view of a type can show.
    alignas(8) char bytes[40] = {};
    pv::MemoryDescriptor memory{
        .pointer = bytes + 1, .dtype = pv::float64, .shape = {2}, .strides = {8}};
    refused(std::type_identity<Strided<const double, 1>>(), pv::borrow(memory), "aligned elements");
    memory.pointer = bytes;
    memory.strides = {12};
    refused(std::type_identity<Strided<const double, 1>>(), pv::borrow(memory), "whole elements");
    memory.strides = {8};
    CHECK(pv::as_mdspan<Strided<const double, 1>>(pv::borrow(memory)).extent(0) == 2);
    refused(std::type_identity<Strided<const double, 1>>(), pv::byte_swapped(pv::borrow(memory)),
            "other byte order");
}

TEST_CASE("A torch::Tensor on a device is refused by the device's name") {
    float memory[] = {1, 2, 3};
    TensorOnDevice x{.elements = memory, .shape = {3}};
    CHECK_THROWS_AS(pv::borrow(x), pv::DeviceError);
    CHECK_THROWS_WITH(pv::borrow(x),
                      ContainsSubstring("borrow") && ContainsSubstring("device cuda:0"));
    CHECK_THROWS_WITH(pv::wrap(TensorOnDevice(x)),
                      ContainsSubstring("wrap") && ContainsSubstring("device cuda:0"));
    x.name = "cpu";
    CHECK(pv::sum(pv::borrow(x).as<float>()) == 6);
    CHECK(pv::borrow(std::as_const(x)).is_read_only());
    CHECK(pv::sum(pv::wrap(TensorOnDevice(x)).as<float>()) == 6);
    x.layout_number = 1;
    CHECK_THROWS_WITH(pv::borrow(x), ContainsSubstring("sparse"));
    x.layout_number = 0;
    // What newer releases have, and what none has.
    x.shape = {1};
    x.type = 28;
    CHECK(pv::borrow(x).dtype() == pv::uint32);
    x.type = 23;
    CHECK_THROWS_WITH(pv::borrow(x), ContainsSubstring("scalar type 23"));
    // Null memory.
    x.elements = nullptr;
    x.type = 6;
    CHECK_THROWS_AS(pv::borrow(x), pv::ShapeError);
}

TEST_CASE("What was borrowed and wrapped before is so still") {
    std::vector<double> v{1, 2, 3};
    std::array<int, 2> a{4, 5};
    std::span<const double> s(v);
    CHECK(pv::borrow(v)(2) == 3);
    CHECK(pv::borrow(a)(1) == 5);
    CHECK(pv::borrow(s)(0) == 1);
    CHECK(pv::borrow(v.data(), {3})(1) == 2);
    const pv::MemoryDescriptor memory{
        .pointer = v.data(), .dtype = pv::float64, .shape = {3}, .strides = {8}};
    CHECK(pv::borrow(memory).shape() == pv::Shape{3});
    CHECK(pv::wrap(memory, std::make_shared<int>()).shape() == pv::Shape{3});
    STATIC_REQUIRE_FALSE(Borrowed<std::vector<double>>);
    STATIC_REQUIRE_FALSE(Wrapped<std::vector<double>>);
}

} // namespace foreign_types_test
