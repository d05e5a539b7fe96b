#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/reader/as_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor_reader.hpp>
#include <purview/tensor/views.hpp>

#include <support/catch.hpp>

#include <algorithm>
#include <concepts>
#include <numeric>
#include <ranges>
#include <vector>

namespace tensor_reader_test {

namespace pv = purview;

namespace {

/// A reader that bears one call at a time.
class Alone final : public pv::Reader<double> {
public:
    pv::index_t size() const override { return 100; }
    bool is_thread_safe() const noexcept override { return false; }
    double read(pv::index_t i) const override { return static_cast<double>(i); }
};

template <typename X>
void check_is_read_as_tensor(X&& x, double first) {
    const auto reader = pv::as_reader(std::forward<X>(x));
    static_assert(std::same_as<decltype(pv::as_reader(std::forward<X>(x))), pv::ReaderPtr<double>>);
    static_assert(
        std::same_as<decltype(pv::borrow_reader(std::forward<X>(x))), pv::ReaderPtr<double>>);
    CHECK(reader->read(0) == first);
    CHECK(reader->storages().size() == 1);
}

pv::MutableTensor<double> counted(pv::index_t n) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0.);
    return pv::tensor(std::move(values));
}

} // namespace

TEST_CASE("tensors of every value category are read as tensors") {
    pv::MutableTensor<double> writable = counted(6);
    pv::Tensor<double> plain = writable;
    const pv::Tensor<double> fixed = plain;
    check_is_read_as_tensor(writable, 0.);
    check_is_read_as_tensor(plain, 0.);
    check_is_read_as_tensor(fixed, 0.);
    check_is_read_as_tensor(std::as_const(writable), 0.);
    check_is_read_as_tensor(pv::Tensor<double>(plain), 0.);
    check_is_read_as_tensor(std::move(plain), 0.);
    auto flipped = pv::flip(writable);
    check_is_read_as_tensor(flipped, 5.);
    auto computed = writable + 1.;
    check_is_read_as_tensor(computed, 1.);
}

TEST_CASE("copies between overlapping tensors see through readers and views of readers") {
    const auto check = [](auto&& reversed_reader) {
        pv::MutableTensor<double> x = counted(6);
        const auto reader = reversed_reader(x);
        pv::copy(pv::tensor(reader), x);
        CHECK(std::ranges::equal(x, std::vector{5., 4., 3., 2., 1., 0.}));
    };
    check([](pv::MutableTensor<double>& x) {
        auto flipped = pv::flip(x);
        return pv::as_reader(flipped);
    });
    check([](pv::MutableTensor<double>& x) {
        pv::Tensor<double> flipped = pv::flip(x) + 0.;
        return pv::as_reader(flipped);
    });
    check([](pv::MutableTensor<double>& x) {
        pv::Tensor<double> plain = x;
        return pv::as_reader(std::views::reverse(plain));
    });
    check([](pv::MutableTensor<double>& x) {
        pv::Tensor<double> plain = x;
        return pv::as_reader(plain | std::views::transform([](double v) { return 5. - v; }) |
                             std::views::take(6));
    });
}

TEST_CASE("what bears one thread bears no more as a tensor's reader or through views of ranges") {
    auto x = pv::tensor(std::make_shared<const Alone>());
    CHECK_FALSE(pv::as_reader(x)->is_thread_safe());
    CHECK_FALSE(pv::as_reader(std::views::reverse(x))->is_thread_safe());
    CHECK_FALSE(
        pv::as_reader(x | std::views::transform([](double v) { return v; }) | std::views::drop(3))
            ->is_thread_safe());
    pv::Tensor<double> memory = counted(3);
    CHECK(pv::as_reader(memory)->is_thread_safe());
    CHECK(pv::as_reader(std::views::reverse(memory))->is_thread_safe());
    CHECK(pv::as_reader(std::views::iota(0, 3))->is_thread_safe());
}

} // namespace tensor_reader_test
