#include "named_support.hpp"

namespace rearrange_test {

TEST_CASE("rearrange reorders, splits and joins axes") {
    const auto t = counted({2, 12, 3, 5});
    CHECK(equal<double>(pv::rearrange("b c h w -> b h w c", t), t | pv::transpose({0, 2, 3, 1})));
    const pv::Tensor<double> shuffled =
        pv::rearrange("b (c h2 w2) h w -> b c (h h2) (w w2)", t, {{"h2", 2}, {"w2", 2}});
    CHECK(shuffled.shape() == pv::Shape{2, 3, 6, 10});
    for (pv::index_t b = 0; b < 2; ++b)
        for (pv::index_t c = 0; c < 3; ++c)
            for (pv::index_t y = 0; y < 6; ++y)
                for (pv::index_t x = 0; x < 10; ++x)
                    CHECK(shuffled(b, c, y, x) == t(b, (c * 2 + y % 2) * 2 + x % 2, y / 2, x / 2));
    CHECK(equal<double>(
        pv::rearrange("b c (h h2) (w w2) -> b (c h2 w2) h w", shuffled, {{"h2", 2}, {"w2", 2}}),
        t));
    CHECK(equal<double>(t | pv::rearrange("a b c d->(a b c d)"), t | pv::reshape({-1})));
    CHECK(equal<double>(t | pv::rearrange("a (b c) d e -> a b (c d) e", {{"b", 4}}),
                        t | pv::reshape({2, 4, 9, 5})));
}

TEST_CASE("rearrange knows axes of size 1 and the axes left over") {
    const auto t = counted({2, 3, 4});
    CHECK(
        equal<double>(t | pv::rearrange("a b c -> a 1 b () c"), t | pv::reshape({2, 1, 3, 1, 4})));
    CHECK(
        equal<double>(t | pv::reshape({2, 1, 3, 1, 4}) | pv::rearrange("a 1 b () c -> a b c"), t));
    CHECK(equal<double>(t | pv::rearrange("a ... -> ... a"), t | pv::move_axis(0, -1)));
    CHECK(equal<double>(t | pv::rearrange("a ... -> a (...)"), t | pv::reshape({2, 12})));
    CHECK(equal<double>(t | pv::rearrange("... c -> (c ...)"),
                        t | pv::move_axis(-1, 0) | pv::reshape({24})));
    CHECK(equal<double>(t | pv::rearrange("a b c ... -> ... c (b a)"),
                        t | pv::transpose({2, 1, 0}) | pv::reshape({4, 6})));
    CHECK(equal<double>(pv::ones({}) | pv::rearrange("-> 1"), pv::ones({1})));
}

TEST_CASE("rearrange is a view, of tensors of any kind") {
    const auto t = counted({4, 6});
    const pv::MutableTensor<double> blocks =
        t | pv::rearrange("(a b) (c d) -> a c b d", {{"b", 2}, {"d", 3}});
    blocks(1, 0, 1, 2) = -1.0;
    CHECK(t(3, 2) == -1.0);
    const pv::AnyTensor any = pv::rearrange("a b -> b a", pv::AnyTensor(t));
    CHECK(any.shape() == pv::Shape{6, 4});
    const pv::Dim i("i");
    const auto rows = t(i) | pv::rearrange("(a b) -> b a", {{"a", 2}});
    CHECK(
        equal<double>(rows | pv::order(i), t | pv::reshape({4, 2, 3}) | pv::transpose({0, 2, 1})));
    const auto words = pv::tensor({{"a", "b"}, {"c", "d"}});
    CHECK((words | pv::rearrange("i j -> (j i)")).read(1) == "c");
    const auto rotated = t | pv::rotate({1, 2});
    CHECK(equal<double>(rotated | pv::rearrange("a b -> (b a)"),
                        pv::clone(rotated) | pv::transpose | pv::reshape({24})));
}

TEST_CASE("rearrange says what is wrong with a pattern") {
    const auto t = counted({4, 6});
    const auto with = [&](const char* pattern, std::vector<pv::AxisSize> sizes = {}) {
        return [=] { pv::rearrange(pattern, t, sizes); };
    };
    CHECK(message_of<pv::FormatError>(with("a b")) == "rearrange: there is no '->' in 'a b'");
    CHECK(message_of<pv::FormatError>(with("a (b -> a b")) ==
          "rearrange: a parenthesis is not closed in 'a (b -> a b'");
    CHECK(message_of<pv::FormatError>(with("a b) -> a b")) ==
          "rearrange: a parenthesis is closed that is not open in 'a b) -> a b'");
    CHECK(message_of<pv::FormatError>(with("a ((b)) -> a b")) ==
          "rearrange: a parenthesis stands within another one in 'a ((b)) -> a b'");
    CHECK(message_of<pv::FormatError>(with("a 2 -> a 2")) ==
          "rearrange: '2' is no name of an axis in 'a 2 -> a 2'");
    CHECK(message_of<pv::FormatError>(with("a b -> a -> b")) ==
          "rearrange: '->' is no name of an axis in 'a b -> a -> b'");
    CHECK(message_of<pv::FormatError>(with("a (...) -> a ...")) ==
          "rearrange: '...' stands in parentheses on the left in 'a (...) -> a ...'");
    CHECK(message_of<pv::DimError>(with("a b -> a c")) ==
          "rearrange: 'b' stands on the left, and not on the right");
    CHECK(message_of<pv::DimError>(with("a b -> a b c")) ==
          "rearrange: 'c' stands on the right, and not on the left");
    CHECK(message_of<pv::DimError>(with("a a -> a")) ==
          "rearrange: 'a' stands twice on one side of the pattern");
    CHECK(message_of<pv::DimError>(with("a b -> (a b) b")) ==
          "rearrange: 'b' stands twice on one side of the pattern");
    CHECK(message_of<pv::DimError>(with("a b -> b a", {{"c", 2}})) ==
          "rearrange: a size is given for 'c', which is no name in 'a b -> b a'");
    CHECK(message_of<pv::DimError>(with("a b -> b a", {{"b", 5}})) ==
          "Dim 'b' is bound to size 5 and cannot bind to size 6");
    CHECK(message_of<pv::DimError>(with("(a c) b -> b a c", {{"c", 3}})) ==
          "joint(a, c): the known sizes make 3, which does not divide the axis of size 4, so that "
          "'a' has no size");
    CHECK(
        message_of<pv::DimError>(with("(a c) b -> b a c")) ==
        "joint(a, c): the sizes of 'a' and 'c' are not known; one can be inferred from an axis of "
        "size 4");
    CHECK(message_of<pv::ShapeError>(with("a b c -> a b c")) ==
          "rearrange: the left of 'a b c -> a b c' has 3 axes, and the tensor has shape [4 6]");
    CHECK(message_of<pv::ShapeError>(with("a b c ... -> a b c ...")) ==
          "rearrange: the left of 'a b c ... -> a b c ...' has at least 3 axes, and the tensor has "
          "shape [4 6]");
}

} // namespace rearrange_test
