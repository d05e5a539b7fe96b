// Errors name the function that was called, count axes without dims, and print shapes without them.
#include "named_support.hpp"

#include <sstream>

namespace dim_messages_test {

using pv::index_t;

namespace {

template <typename Error, typename Call>
std::string refusal(Call call) {
    return message_of<Error>([&] { static_cast<void>(call()); });
}

} // namespace

TEST_CASE("errors over dims are those of the positional axes") {
    const auto A = counted({2, 3, 4});
    const pv::Dim i("i");
    const auto a = A(i);                               // [3 4]
    const pv::Tensor<double> one = A(0, pv::ellipsis); // what each index of i has
    const auto alike = [&](auto call) {
        const std::string over = refusal<pv::Error>([&] { return call(a); });
        CHECK(over == refusal<pv::Error>([&] { return call(one); }));
        CHECK(over != "nothing was thrown");
    };
    alike([](const auto& x) { return pv::transpose(x, {0, 2}); });
    alike([](const auto& x) { return pv::transpose(x, {0}); });
    alike([](const auto& x) { return pv::reshape(x, {5, 3}); });
    alike([](const auto& x) { return pv::reshape(x, {5, -1}); });
    alike([](const auto& x) { return pv::squeeze(x, {1}); });
    alike([](const auto& x) { return pv::flip(x, {2}); });
    alike([](const auto& x) { return pv::flip(x, {1, 1}); });
    alike([](const auto& x) { return pv::rotate(x, {1, 2, 3}); });
    alike([](const auto& x) { return pv::roll(x, 1, 2); });
    alike([](const auto& x) { return pv::repeat(x, 1, 5); });
    alike([](const auto& x) { return pv::repeat(x, -1, 0); });
    alike([](const auto& x) { return pv::tile(x, {-1}); });
    alike([](const auto& x) { return pv::broadcast(x, {3, 6}); });
    alike([](const auto& x) { return pv::broadcast(x, {8}); });
    alike([](const auto& x) { return pv::sliding_window(x, 1, 5); });
    alike([](const auto& x) { return pv::sliding_window(x, 7, 1); });
    alike([](const auto& x) { return pv::diagonal(x, 0, 1, 1); });
    alike([](const auto& x) { return pv::diagonal(x, 0, 0, 2); });
    alike([](const auto& x) { return pv::swap_axes(x, 0, 2); });
    alike([](const auto& x) { return pv::move_axis(x, 3, 0); });
    alike([](const auto& x) { return pv::insert_axis(x, 4); });
    alike([](const auto& x) { return x + pv::zeros({3, 5}); });
    alike([](const auto& x) { return pv::where(x > 0., x, pv::zeros({2, 4})); });
    alike([](const auto& x) { return pv::matmul(x, pv::zeros({3, 4})); });
    alike([](const auto& x) { return pv::concat(x, x(pv::range(0, 2)), 1); });
    alike([](const auto& x) { return pv::concat(x, x, 2); });
    alike([](const auto& x) { return pv::stack(x, x(pv::range(0, 2))); });
    alike([](const auto& x) { return pv::pad(x, {{-2, -2}, {0, 0}}); });
    alike([](const auto& x) { return pv::diag(pv::stack(x, x)); });
    alike([](const auto& x) { return pv::sum(x, 2); });
    alike([](const auto& x) { return pv::sum(x, {0, 0}); });
    alike([](const auto& x) { return pv::max(x(pv::all, pv::range(0, 0)), 1); });
    alike([](const auto& x) { return pv::argmin(x(pv::range(0, 0)), 0); });
    alike([](const auto& x) { return pv::median(x, -3); });
    alike([](const auto& x) { return pv::cumsum(x, 2); });
    alike([](const auto& x) { return pv::sort(x, 2); });
    alike([](const auto& x) { return pv::softmax(x, 2); });
    alike([](const auto& x) { return pv::covariance(x, pv::zeros({3, 5}), 0); });
    CHECK(refusal<pv::IndexError>([&] { return a(3, 0); }) ==
          "select: index 3 is out of range for axis 0 of size 3");
    alike([](const auto& x) { return x(pv::all, pv::indexes({0, 4})); });
    alike([](const auto& x) { return x(pv::tensor({true, false})); });
    alike([](const auto& x) { return x | pv::select(pv::all, 9); });
}

TEST_CASE("errors name the function that was called") {
    const auto A = counted({2, 3});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto a = A(i);
    const std::string no_dim = ": the tensor has no Dim 'j', its dims are (i,)";
    CHECK(refusal<pv::DimError>([&] { return pv::index(a, j, 0); }) == "index" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::unbind(a, j); }) == "unbind" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::split(a, j, {k}); }) == "split" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::chunk(a, 2, j); }) == "chunk" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::take(a, pv::tensor({0}), j); }) ==
          "take" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::take_along_axis(a, pv::tensor({0}), j); }) ==
          "take_along_axis" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::flip(a, j); }) == "flip" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::roll(a, 1, j); }) == "roll" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::repeat(a, 2, j); }) == "repeat" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::squeeze(a, j); }) == "squeeze" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::diagonal(a, 0, j, 0); }) == "diagonal" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::sliding_window(a, j, 2); }) ==
          "sliding_window" + no_dim);
    CHECK(refusal<pv::DimError>([&] { return pv::order(a, j); }) == "order" + no_dim);
    CHECK(refusal<pv::IndexError>([&] { return pv::index(a, 1, 0); }) ==
          "index: axis 1 is out of range for rank 1");
    CHECK(refusal<pv::IndexError>([&] { return pv::index(a, i, 2); }) ==
          "index: index 2 is out of range for Dim 'i' of size 2");
    CHECK(refusal<pv::IndexError>([&] {
              return pv::index(a, {i, 0}, pv::indexes({0, 6}));
          }) == "index: index 6 is out of range for Dim 'i' with axis 0 of size 6");
    CHECK(refusal<pv::IndexError>([&] {
              return pv::index(a, {i, 0}, {0, -4});
          }) == "index: index -4 is out of range for axis 0 of size 3");
    CHECK(refusal<pv::ShapeError>([&] {
              return pv::split(a, 0, {1, 1});
          }) == "split: the sizes [1 1] make 2, and axis 0 has size 3");
    CHECK(refusal<pv::ShapeError>([&] {
              return pv::split(a, i, {3, -1});
          }) == "split: -1 is no size");
    CHECK(refusal<pv::ShapeError>([&] { return pv::chunk(a, 0, i); }) ==
          "chunk: 0 is no number of parts");
    CHECK(refusal<pv::DimError>([&] { return pv::concat(A, A, i); }) ==
          "nothing was thrown"); // what does not have a Dim repeats over it
}

TEST_CASE("a plain index beside shifted ones says what to write") {
    const auto u = counted({10, 10});
    const auto [i, j] = pv::dims("i", "j");
    i.set_size(8);
    CHECK(refusal<pv::DimError>([&] { return u(i, 0); }) ==
          "Dim 'i' is bound to size 8 and cannot bind to size 10 (write i + 0 for the first 8 of "
          "an axis)");
    CHECK(refusal<pv::DimError>([&] { return u(i); }) ==
          refusal<pv::DimError>([&] { return u(i, 0); }));
    CHECK(u(i + 0, 0).bound().dims.size() == 1);
    const auto v = counted({10});
    CHECK(v(j).bound().dims.size() == 1);
    CHECK(
        refusal<pv::IndexError>([&] { return v(j + 2); }) ==
        "indexing: j + 2 takes the value 11, out of range for an axis of size 10 (Dim 'j' of size "
        "10): bind 'j' to 8 or less first, and write j + 0 beside this");
    // As it says:
    const auto [y, x] = pv::dims("y", "x");
    y.set_size(8);
    x.set_size(8);
    const pv::Tensor<double> sums =
        (u(y + 0, x + 1) + u(y + 2, x + 1) + u(y + 1, x + 0) + u(y + 1, x + 2)) | pv::order(y, x);
    for (index_t r = 0; r < 8; ++r)
        for (index_t c = 0; c < 8; ++c)
            CHECK(sums(r, c) == u(r, c + 1) + u(r + 2, c + 1) + u(r + 1, c) + u(r + 1, c + 2));
}

TEST_CASE("a dim that only index expressions use says how it gets a size") {
    const auto u = counted({10, 10});
    const auto [i, j] = pv::dims("i", "j");
    const std::string expected =
        "Dim 'j' has no size yet: index a tensor with it, or call set_size (a plain j takes the "
        "size of its axis, j + 1 takes none; where j + 1 would leave the axis, call set_size with "
        "a smaller one)";
    CHECK(refusal<pv::DimError>([&] { return u(i, j + 1) | pv::order(i, j); }) == expected);
    CHECK(refusal<pv::DimError>([&] { return 2.0 * (u(i, 0) + u(i, j + 1)) | pv::order(i, j); }) ==
          expected);
    j.set_size(9);
    CHECK((u(i, j + 1) | pv::order(i, j)).shape() == pv::Shape{10, 9});
}

TEST_CASE("dims print as torchdim's do") {
    const auto [i, j] = pv::dims("i", "j");
    CHECK(printed(i) == "i");
    CHECK(printed(i + 1) == "i + 1");
    const auto A = counted({3, 4, 2});
    const std::string partly = printed(A(i));
    CHECK(partly.substr(partly.find("with")) == "with dims=(i, 0, 1) sizes=(3, 4, 2)");
    const std::string behind = printed(A(pv::all, j, 0));
    CHECK(behind.substr(behind.find("with")) == "with dims=(j, 0) sizes=(4, 3)");
    CHECK(printed(i).find("with dims=(i,) sizes=(3,)") != std::string::npos);
    CHECK(printed(A(i) | pv::order(i)).find("with") == std::string::npos);
}

TEST_CASE("reshape infers an extent under dims of size 0") {
    const pv::Dim i("i");
    const auto none = counted({0, 3, 4})(i);
    CHECK(pv::reshape(none, {-1}).shape() == pv::Shape{12});
    CHECK(pv::reshape(none, {2, -1}).shape() == pv::Shape{2, 6});
    CHECK((pv::reshape(none, {-1}) | pv::order(i)).shape() == pv::Shape{0, 12});
    CHECK(refusal<pv::ShapeError>([&] {
              return pv::reshape(none, {5, -1});
          }) == refusal<pv::ShapeError>([&] {
              return pv::reshape(counted({3, 4}), {5, -1});
          }));
}

} // namespace dim_messages_test
