#include "named_support.hpp"

namespace expand_test {

TEST_CASE("expand adds dims") {
    const auto t = counted({3, 2});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    j.set_size(4);
    const auto x = pv::expand(t(i), j, k);
    CHECK(to_string(pv::dims(x)) == "(j, k, i)");
    CHECK(x.rank() == 1);
    k.set_size(5); // sizes may come later
    const pv::Tensor<double> e = x | pv::order(i, j, k);
    CHECK(e.shape() == pv::Shape{3, 4, 5, 2});
    CHECK(pv::shares_storage(e, t));
    for (pv::index_t b = 0; b < 4; ++b) CHECK(equal<double>(e(pv::all, b, 2), t));
    CHECK((t | pv::expand(j) | pv::order(j)).shape() == pv::Shape{4, 3, 2});
    CHECK(double(t(i) | pv::expand(j) | pv::sum(i, j, 0)) == 4 * double(pv::sum(t)));
    CHECK(message_of<pv::DimError>([&] { t(i) | pv::expand(j, i); }) ==
          "expand: the tensor has Dim 'i', its dims are (i,)");
    CHECK(message_of<pv::DimError>([&] { t(i) | pv::expand(j, j); }) ==
          "expand: Dim 'j' is given twice");
}

} // namespace expand_test
