#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace description_test {

namespace {

namespace pv = purview;
using S = pv::Shape;

std::string line(const pv::AnyTensor& tensor) {
    std::ostringstream out;
    out << tensor.description();
    return out.str();
}

} // namespace

TEST_CASE("a description tells everything but the elements") {
    const auto t = pv::zeros<double>({3, 2});
    const pv::TensorDescription d = t.description();
    CHECK(d.dtype == pv::float64);
    CHECK(d.rank == 2);
    CHECK(d.shape == S{3, 2});
    CHECK_FALSE(d.read_only);
    REQUIRE(d.layout.has_value());
    CHECK(d.layout->strides == S{2, 1});
    CHECK(d.layout->offset == 0);
    CHECK(d.layout->size == S{3, 2});
    CHECK(d.layout->alignment >= 16);
    CHECK((d.layout->alignment & (d.layout->alignment - 1)) == 0);
    CHECK(d.layout->alignment <= 4096);
    CHECK(d.storage.address != nullptr);
    CHECK(d.storage.bytes == 48);
    CHECK(
        line(t).starts_with("float64[3 2] l-tensor strides [2 1] offset 0 size [3 2] alignment "));
    CHECK(line(t).find("(48 bytes)") != std::string::npos);
}

TEST_CASE("a description does not follow the stream's locale and base") {
    struct Grouping : std::numpunct<char> {
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const auto t = pv::zeros<double>({3, 2000})(pv::all, pv::range(1000, 2000));
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new Grouping));
    out << std::hex << std::showbase << t.description();
    CHECK(out.str() == line(t));
    CHECK(out.str().find("offset 1000 size [3 2000]") != std::string::npos);
}

TEST_CASE("views describe themselves, in the same storage") {
    const auto t = pv::zeros<std::int32_t>({4, 6});
    const auto view = t(pv::range(1, 4), pv::range(2, 5));
    const pv::TensorDescription d = view.description();
    CHECK(d.shape == S{3, 3});
    CHECK(d.layout->offset == 8);
    CHECK(d.layout->strides == S{6, 1});
    CHECK(d.storage.address == t.description().storage.address);
    CHECK(d.storage.bytes == 96);
    CHECK(t(0, pv::range(1, 3)).description().layout->alignment == 4);
}

TEST_CASE("computed tensors have no layout and no storage") {
    const auto t = pv::zeros({4});
    const pv::TensorDescription d = (t + 1).description();
    CHECK(d.read_only);
    CHECK_FALSE(d.layout.has_value());
    CHECK(d.storage.address == nullptr);
    CHECK(line(t + 1).find("r-tensor") != std::string::npos);
}

TEST_CASE("rotated and listed views have a storage without a layout") {
    const auto t = pv::arange(6.0);
    CHECK_FALSE((t | pv::rotate({2})).description().layout.has_value());
    CHECK((t | pv::rotate({2})).description().storage.address == t.description().storage.address);
    CHECK_FALSE(t(pv::indexes({3, 1, 2})).description().layout.has_value());
}

TEST_CASE("l-tensors are what has an address for each element") {
    const auto t = pv::arange(12.0) | pv::reshape({3, 4});
    CHECK_FALSE(t.is_read_only());
    CHECK_FALSE(pv::transpose(t).is_read_only());
    CHECK_FALSE((t | pv::rotate({1, 2})).is_read_only());
    CHECK_FALSE(t(pv::indexes({2, 0})).is_read_only());
    CHECK_FALSE((t | pv::flip).is_read_only());
    CHECK_FALSE((t | pv::diagonal).is_read_only());
    CHECK(t(pv::indexes({2, 2})).is_read_only());
    CHECK((t | pv::broadcast({6, 4})).is_read_only());
    CHECK((t | pv::sliding_window(0, 2)).is_read_only());
    CHECK((t + 1).is_read_only());
    CHECK(pv::const_tensor(1.0, {3}).is_read_only());
    const std::vector<double> memory{1, 2, 3};
    CHECK(pv::borrow(memory.data(), {3}).is_read_only());
    std::vector<double> writable{1, 2, 3, 4};
    CHECK_FALSE(pv::borrow(writable.data(), {4}).is_read_only());
    CHECK(pv::borrow(writable.data(), {4, 4}, {0, 1}).is_read_only());
    CHECK(pv::borrow(writable.data(), {2, 3}, {1, 1}).is_read_only());
}

TEST_CASE("handles are small") {
    STATIC_REQUIRE(sizeof(pv::AnyTensor) <= 160);
    STATIC_REQUIRE(sizeof(pv::Tensor<double>) < sizeof(pv::AnyTensor));
    STATIC_REQUIRE(sizeof(pv::MutableTensor<double>) == sizeof(pv::Tensor<double>));
    STATIC_REQUIRE(std::derived_from<pv::MutableTensor<double>, pv::Tensor<double>>);
    // A tensor is made into an AnyTensor, so that its static type decides whether that writes.
    STATIC_REQUIRE(!std::derived_from<pv::Tensor<double>, pv::AnyTensor>);
    STATIC_REQUIRE(std::convertible_to<const pv::Tensor<double>&, pv::AnyTensor>);
}

} // namespace description_test
