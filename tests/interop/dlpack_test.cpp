#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/purview.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace dlpack_test {

namespace pv = purview;
namespace dlpack = pv::dlpack;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

/// A producer on the heap that counts how often it is released, and is destroyed by it.
template <typename M>
struct Producer {
    M managed{};
    std::vector<double> elements;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    std::atomic<int>* released;

    static M* make(std::atomic<int>& released, std::vector<std::int64_t> shape,
                   std::vector<std::int64_t> strides, std::size_t count) {
        auto* const p = new Producer{{}, {}, std::move(shape), std::move(strides), &released};
        p->elements.resize(count);
        for (std::size_t i = 0; i < count; ++i) p->elements[i] = static_cast<double>(i);
        p->managed.dl_tensor = {p->elements.data(),
                                {1, 0},
                                static_cast<std::int32_t>(p->shape.size()),
                                {2, 64, 1},
                                p->shape.data(),
                                p->strides.empty() ? nullptr : p->strides.data(),
                                0};
        p->managed.manager_ctx = p;
        p->managed.deleter = [](M* self) {
            auto* const whole = static_cast<Producer*>(self->manager_ctx);
            ++*whole->released;
            delete whole;
        };
        if constexpr (requires { p->managed.version; }) p->managed.version = {1, 0};
        return &p->managed;
    }
};
using New = Producer<dlpack::ManagedTensorVersioned>;
using Old = Producer<dlpack::ManagedTensor>;

TEST_CASE("An import reads and writes the producer's memory, and releases it once") {
    std::atomic<int> released = 0;
    {
        auto* const managed = New::make(released, {2, 3}, {}, 6);
        auto* const elements = static_cast<double*>(managed->dl_tensor.data);
        const pv::AnyTensor t = pv::from_dlpack(managed);
        CHECK(pv::equals(t, pv::reshape(pv::arange(6.0), {2, 3})));
        t.as_mutable<double>()(1, 2) = 50;
        CHECK(elements[5] == 50);
        pv::AnyTensor view = t(1);
        const pv::Tensor<double> sum = pv::Tensor<double>(t.as<double>()) + 1;
        CHECK(released == 0);
        std::thread([last = std::move(view)] { CHECK(last.size() == 3); }).join();
        CHECK(sum(1, 2) == 51);
        CHECK(released == 0);
    }
    CHECK(released == 1);
    { CHECK(pv::from_dlpack(Old::make(released, {4}, {1}, 4)).size() == 4); }
    CHECK(released == 2);
}

TEST_CASE("Strides, the byte offset and the read-only flag count") {
    std::atomic<int> released = 0;
    auto* managed = New::make(released, {3, 2}, {-2, 1}, 6);
    managed->dl_tensor.byte_offset = 4 * sizeof(double);
    managed->flags = dlpack::kReadOnly;
    const pv::AnyTensor t = pv::from_dlpack(managed);
    CHECK(pv::equals(t, pv::tensor({{4., 5.}, {2., 3.}, {0., 1.}})));
    CHECK(t.is_read_only());
    CHECK_THROWS_AS(t.as_mutable<double>(), pv::ReadOnlyError);
    const dlpack::Export out = pv::to_dlpack(t);
    CHECK((out->flags & dlpack::kReadOnly) != 0);
    CHECK(pv::from_dlpack(New::make(released, {3}, {0}, 1)).is_read_only());
    CHECK(pv::from_dlpack(New::make(released, {}, {}, 1)).rank() == 0);
    auto* const nothing = New::make(released, {0, 3}, {}, 0);
    nothing->dl_tensor.data = nullptr;
    CHECK(pv::from_dlpack(nothing).shape() == pv::Shape{0, 3});
    CHECK(released == 3);
}

// As the Array API and NumPy have it: the stride of an axis of one element means nothing.
TEST_CASE("An axis of one element may have any stride") {
    using Limits = std::numeric_limits<std::int64_t>;
    std::atomic<int> released = 0;
    for (const std::int64_t stride :
         {Limits::max(), Limits::lowest(), Limits::max() / 8, index_t{-7}}) {
        const pv::AnyTensor t = pv::from_dlpack(New::make(released, {2, 1, 3}, {3, stride, 1}, 6));
        CHECK(pv::equals(t, pv::reshape(pv::arange(6.0), {2, 1, 3})));
        t.as_mutable<double>()(1, 0, 2) = 50;
        CHECK(t.as<double>()(1, 0, 2) == 50);
        CHECK(pv::from_dlpack(Old::make(released, {1}, {stride}, 1)).size() == 1);
        CHECK(pv::from_dlpack(New::make(released, {1, 0}, {stride, 1}, 0)).size() == 0);
    }
    CHECK(released == 12);
}

TEST_CASE("Two imports of one memory are known to overlap") {
    std::atomic<int> released = 0;
    auto* const first = New::make(released, {6}, {}, 6);
    auto* const second = New::make(released, {2}, {}, 2);
    second->dl_tensor.data = static_cast<double*>(first->dl_tensor.data) + 3;
    const pv::AnyTensor a = pv::from_dlpack(first);
    const pv::AnyTensor b = pv::from_dlpack(second);
    CHECK(pv::may_overlap(a, b));
    CHECK_FALSE(pv::may_overlap(a(pv::range(0, 3)), b));
}

/// Imports what `spoil` has made wrong, and checks that it is refused and released.
template <typename E, typename Spoil>
void refused(Spoil spoil, const char* words) {
    std::atomic<int> released = 0;
    auto* const managed = New::make(released, {2, 3}, {3, 1}, 6);
    spoil(*managed);
    CHECK_THROWS_WITH(pv::from_dlpack(managed), ContainsSubstring(words));
    CHECK(released == 1);
}

TEST_CASE("Hostile tensors are refused before a byte is read, and released") {
    constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
    using M = dlpack::ManagedTensorVersioned;
    refused<pv::DeviceError>([](M& m) { m.dl_tensor.device = {2, 1}; }, "CUDA:1");
    refused<pv::DeviceError>([](M& m) { m.dl_tensor.device = {99, 0}; }, "unknown");
    refused<pv::DtypeError>([](M& m) { m.dl_tensor.dtype.lanes = 4; }, "4 lanes");
    refused<pv::DtypeError>([](M& m) { m.dl_tensor.dtype = {3, 64, 1}; }, "code 3");
    refused<pv::DtypeError>([](M& m) { m.dl_tensor.dtype = {10, 8, 1}; }, "code 10");
    refused<pv::FormatError>([](M& m) { m.version = {2, 0}; }, "version 2.0");
    refused<pv::FormatError>([](M& m) { m.dl_tensor.ndim = -1; }, "ndim");
    refused<pv::FormatError>([](M& m) { m.dl_tensor.ndim = 1 << 30; }, "ndim");
    refused<pv::FormatError>([](M& m) { m.dl_tensor.shape = nullptr; }, "shape is null");
    refused<pv::FormatError>([](M& m) { m.dl_tensor.byte_offset = UINT64_MAX; }, "byte_offset");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.data = nullptr; }, "null");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.shape[0] = -2; }, "-2");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.shape[0] = kHigh; }, "overflows");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.strides[0] = kHigh; }, "cannot be addressed");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.strides[0] = kHigh / 8; }, "address space");
    refused<pv::ShapeError>([](M& m) { m.dl_tensor.strides[0] = -kHigh / 8; }, "address space");
    refused<pv::ShapeError>(
        [](M& m) {
            m.dl_tensor.strides = nullptr;
            m.dl_tensor.shape[0] = m.dl_tensor.shape[1] = kHigh;
        },
        "overflows");
    CHECK_THROWS_AS(pv::from_dlpack(static_cast<M*>(nullptr)), pv::FormatError);
}

template <typename T>
T element(index_t i) {
    if constexpr (pv::ComplexElement<T>)
        return T(static_cast<typename T::value_type>(i));
    else
        return static_cast<T>(i);
}

TEMPLATE_TEST_CASE("Every element type goes out and comes back", "", bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double, pv::Half, pv::BFloat16,
                   std::complex<float>, std::complex<double>) {
    const pv::MutableTensor<TestType> t = pv::empty<TestType>({3, 4});
    for (index_t i = 0; i < 12; ++i) t(i / 4, i % 4) = element<TestType>(i % 5);
    const pv::AnyTensor view = pv::transpose(pv::flip(t, 0)(pv::all, pv::range(0, 4, 2)));
    const pv::AnyTensor back = pv::from_dlpack(pv::to_dlpack(view).release());
    CHECK(back.dtype() == pv::kDType<TestType>);
    CHECK(back.shape() == pv::Shape{2, 3});
    CHECK(pv::may_overlap(back, t));
    const auto read = back.as_mutable<TestType>();
    for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j) CHECK(read(i, j) == TestType(t(2 - j, 2 * i)));
    read(0, 0) = element<TestType>(1);
    CHECK(TestType(t(2, 0)) == element<TestType>(1));
    const pv::AnyTensor copied =
        pv::from_dlpack(pv::to_unversioned_dlpack(view, pv::Copy::always).release());
    CHECK_FALSE(pv::may_overlap(copied, t));
    CHECK(copied.as_mutable<TestType>()(1, 2) == TestType(t(0, 2)));
}

TEST_CASE("An export keeps its elements alive, and copies as it is told to") {
    dlpack::Export kept;
    {
        const auto t = pv::tensor({1.0, 2.0, 3.0});
        kept = pv::to_dlpack(t, pv::Copy::never);
        CHECK(kept->dl_tensor.data == pv::as_span(t).data());
        CHECK((kept->flags & dlpack::kIsCopied) == 0);
        CHECK((pv::to_dlpack(t, pv::Copy::always)->flags & dlpack::kIsCopied) != 0);

        const auto rotated = pv::rotate(t, {1});
        CHECK_THROWS_AS(pv::to_dlpack(rotated, pv::Copy::never), pv::ShapeError);
        CHECK_THROWS_AS(pv::to_dlpack(t + 1, pv::Copy::never), pv::ShapeError);
        CHECK_THROWS_AS(pv::to_dlpack(t({2, 0}), pv::Copy::never), pv::ShapeError);
        const auto same = [](const pv::AnyTensor& x) {
            return pv::equals(pv::from_dlpack(pv::to_dlpack(x).release()), x);
        };
        CHECK(same(rotated));
        CHECK(same(t + 1));
        CHECK(same(t({2, 0})));
        CHECK(same(pv::tile(t, {2, 2})));
        CHECK(same(pv::broadcast(t, {2, 3})));
        CHECK(same(pv::arange(5)));
        const pv::Tensor<double> fixed = t;
        CHECK_THROWS_AS(pv::to_unversioned_dlpack(fixed, pv::Copy::never), pv::ReadOnlyError);
        CHECK(pv::to_unversioned_dlpack(fixed)->dl_tensor.data != pv::as_span(t).data());
        CHECK_THROWS_AS(pv::to_dlpack(pv::tensor({std::string("a")})), pv::DtypeError);
    }
    CHECK(static_cast<double*>(kept->dl_tensor.data)[2] == 3.0);
}

/// As dlpack.h declares it: other types of the same layout.
struct DLManagedTensor {
    struct {
        void* data;
        struct {
            int device_type;
            std::int32_t device_id;
        } device;
        std::int32_t ndim;
        struct {
            std::uint8_t code, bits;
            std::uint16_t lanes;
        } dtype;
        std::int64_t *shape, *strides;
        std::uint64_t byte_offset;
    } dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor*);
};

TEST_CASE("The header's own types are taken") {
    std::atomic<int> released = 0;
    { pv::from_dlpack(reinterpret_cast<DLManagedTensor*>(Old::make(released, {2}, {}, 2))); }
    CHECK(released == 1);
}

} // namespace dlpack_test
