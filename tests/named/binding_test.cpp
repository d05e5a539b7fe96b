#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <sstream>
#include <string>

namespace pv = purview;

namespace {

template <typename X>
std::string printed(const X& x) {
    std::ostringstream text;
    text << x;
    return text.str();
}

template <typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

pv::MutableTensor<double> counted(pv::AxisValues shape) {
    pv::index_t size = 1;
    for (const pv::index_t extent : shape) size *= extent;
    return pv::tensor(pv::to_vector(pv::arange(static_cast<double>(size))), shape);
}

} // namespace

TEST_CASE("a matrix product is a sum of products over a dim") {
    const auto a = counted({3, 4});
    const auto b = counted({4, 5});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto c = a(i, k) * b(k, j) | pv::sum(k) | pv::order(i, j);
    CHECK(pv::all_of(pv::Tensor<double>(c) == pv::matmul(a, b)));
    CHECK(i.size() == 3);
    CHECK(j.size() == 5);
    CHECK(k.size() == 4);
    double element = c(1, 2);
    CHECK(element == pv::matmul(a, b)(1, 2));
}

#ifdef __cpp_multidimensional_subscript
TEST_CASE("brackets index like parentheses") {
    const auto a = counted({3, 4});
    const auto [i, k] = pv::dims("i", "k");
    const pv::Tensor<double> transposed = a[i, k] | pv::order(k, i);
    CHECK(pv::all_of(transposed == pv::transpose(a)));
}
#endif

TEST_CASE("dims print like torchdim's") {
    const pv::Dim i("i", 4);
    const pv::Dim j("j", 4);
    CHECK(printed(i <= j) == "#purview.tensor<bool>[4 4]\n"
                             "[[ true  true  true true]\n"
                             " [false  true  true true]\n"
                             " [false false  true true]\n"
                             " [false false false true]]\n"
                             "with dims=(i, j) sizes=(4, 4)");
}

TEST_CASE("a size is bound once") {
    const pv::Dim i("i");
    CHECK(message_of([&] { i.size(); }) ==
          "Dim 'i' has no size yet: index a tensor with it, or call set_size");
    i.set_size(5);
    i.set_size(5);
    CHECK(message_of([&] { i.set_size(3); }) ==
          "Dim 'i' is bound to size 5 and cannot bind to size 3");
}
