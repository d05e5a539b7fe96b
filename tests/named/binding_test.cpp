#include "named_support.hpp"

#include <locale>
#include <thread>
#include <vector>

namespace binding_test {

TEST_CASE("a Dim has an identity, a name and a size") {
    const pv::Dim i("i");
    const pv::Dim again = i;
    const pv::Dim other("i");
    CHECK(same(i, again));
    CHECK_FALSE(same(i, other));
    CHECK(pv::same(i, again));
    CHECK(i.id() == again.id());
    CHECK(i.id() != other.id());
    CHECK(i.name() == "i");
    CHECK_FALSE(i.has_size());
    CHECK(message_of<pv::DimError>([&] { i.size(); }) ==
          "Dim 'i' has no size yet: index a tensor with it, or call set_size");

    again.set_size(5);
    i.set_size(5);
    CHECK(i.size() == 5);
    CHECK(message_of<pv::DimError>([&] { i.set_size(3); }) ==
          "Dim 'i' is bound to size 5 and cannot bind to size 3");
    CHECK(pv::Dim("h", 4).size() == 4);
    CHECK(message_of<pv::DimError>([] { pv::Dim("h", -1); }) == "Dim 'h' cannot have the size -1");
    const auto [p, q] = pv::dims<2>();
    CHECK(p.name() != q.name());
}

TEST_CASE("sizes are printed alike whatever the stream's locale and base are") {
    struct Grouping : std::numpunct<char> {
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const pv::Dim i("i");
    const auto x = pv::zeros<double>({2000})(i);
    std::ostringstream text;
    text.imbue(std::locale(std::locale::classic(), new Grouping));
    text << std::hex << x;
    CHECK(text.str() == printed(x));
    CHECK(text.str().ends_with("with dims=(i,) sizes=(2000,)"));
}

TEST_CASE("indexing binds dims to axes") {
    const auto t = counted({2, 3, 4, 5});
    const auto [batch, channel, width, height] = pv::dims("batch", "channel", "width", "height");
    const auto all_bound = t(batch, channel, width, height);
    CHECK(all_bound.rank() == 0);
    CHECK(to_string(pv::dims(all_bound)) == "(batch, channel, width, height)");
    CHECK(width.size() == 4);
    CHECK(t.rank() == 4);

    const auto mixed = t(batch, pv::all, pv::all, height);
    CHECK(to_string(pv::dims(mixed)) == "(batch, height)");
    CHECK(mixed.shape() == pv::Shape{3, 4});
    CHECK(equal<double>(mixed | pv::order(batch, height), t | pv::transpose({0, 3, 1, 2})));

    CHECK(t(batch).shape() == pv::Shape{3, 4, 5});
    CHECK(t(pv::ellipsis, height).shape() == pv::Shape{2, 3, 4});
    CHECK(to_string(pv::dims(t(pv::ellipsis, height))) == "(height,)");
    CHECK(t(batch, 1, pv::range(1, 3)).shape() == pv::Shape{2, 5});
    CHECK(t(batch, pv::new_axis, 1).shape() == pv::Shape{1, 4, 5});
    CHECK(t(batch)(channel, pv::all, height).shape() == pv::Shape{4});
    CHECK(equal<double>(t(batch)(channel, pv::all, height) | pv::order(channel, height, batch),
                        t | pv::transpose({1, 3, 0, 2})));
}

TEST_CASE("indexing knows positional axes only") {
    const auto t = counted({2, 3});
    const auto [i, j] = pv::dims("i", "j");
    const auto bound = t(i, j);
    CHECK(
        message_of<pv::IndexError>([&] { bound(0); }) ==
        "indexing: indexes for 1 axes, and the tensor has 0 positional axes (dims (i, j) are bound)");
    CHECK(message_of<pv::IndexError>([&] { t(i, j, pv::Dim("k")); }) ==
          "indexing: indexes for 3 axes, and the tensor has 2 positional axes (dims () are bound)");
    CHECK(message_of<pv::IndexError>([&] { t(i, pv::ellipsis, pv::ellipsis); }) ==
          "indexing: two of the indexes stand for all axes that are left over");
    CHECK(message_of<pv::IndexError>([&] { t(i, 3); }).find("out of range") != std::string::npos);
}

TEST_CASE("a failure binds no dim") {
    const auto t = counted({2, 3, 6});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    j.set_size(4);
    CHECK(message_of<pv::DimError>([&] { t(i, j, k); }) ==
          "Dim 'j' is bound to size 4 and cannot bind to size 3");
    CHECK_FALSE(i.has_size());
    CHECK_FALSE(k.has_size());
    CHECK(message_of<pv::DimError>([&] { t(i, pv::all, i); }) ==
          "Dim 'i' is bound to size 2 and cannot bind to size 6");
    CHECK_FALSE(i.has_size());
    CHECK(message_of<pv::DimError>([&] { t(k, pv::all, pv::joint(j, i)); }) ==
          "joint(j, i): the known sizes make 4, which does not divide the axis of size 6, so that "
          "'i' has no size");
    CHECK_FALSE(k.has_size());
    CHECK(
        message_of<pv::IndexError>([&] { t(i, pv::all, i + 5); }) ==
        "indexing: i + 5 takes the value 6, out of range for an axis of size 6 (Dim 'i' of size 2)");
    CHECK_FALSE(i.has_size());
}

TEST_CASE("one dim on two axes is their diagonal, a view") {
    const auto t = counted({3, 3, 2});
    const pv::Dim i("i");
    const pv::Tensor<double> diagonal = t(i, i) | pv::order(i);
    CHECK(pv::shares_storage(diagonal, t));
    CHECK(equal<double>(diagonal, t | pv::diagonal(0) | pv::transpose));
    const auto rows = t(i);
    CHECK(equal<double>(rows(i) | pv::order(i), diagonal));
    // Of what has no strides, as well.
    const auto rotated = t | pv::rotate({1, 0, 0});
    CHECK(equal<double>(rotated(i, i) | pv::order(i),
                        pv::clone(rotated) | pv::diagonal(0) | pv::transpose));
}

TEST_CASE("a joint splits an axis, and order joins axes") {
    const auto t = counted({6, 4});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    j.set_size(2);
    const auto a = t(pv::joint(i, j), k);
    CHECK(i.size() == 3);
    CHECK(k.size() == 4);
    const pv::Tensor<double> joined = a | pv::order(i, pv::joint(j, k));
    CHECK(joined.shape() == pv::Shape{3, 8});
    CHECK(equal<double>(joined, t | pv::reshape({3, 8})));
    CHECK(equal<double>(a | pv::order(pv::joint(k, i), j), t | pv::reshape({3, 2, 4}) |
                                                               pv::transpose({2, 0, 1}) |
                                                               pv::reshape({12, 2})));

    const auto [p, q, r] = pv::dims("p", "q", "r");
    CHECK(
        message_of<pv::DimError>([&] { t(pv::joint(p, q), r); }) ==
        "joint(p, q): the sizes of 'p' and 'q' are not known; one can be inferred from an axis of "
        "size 6");
    p.set_size(3);
    q.set_size(3);
    CHECK(message_of<pv::DimError>([&] { t(pv::joint(p, q), r); }) ==
          "joint(p, q): the sizes make 9, and the axis has size 6");
    CHECK_FALSE(r.has_size());
}

TEST_CASE("a list of dims takes the axes that are left over") {
    const auto t = counted({2, 3, 4, 5});
    const pv::Dim i("i");
    const pv::DimList rest("rest");
    CHECK_FALSE(rest.is_bound());
    CHECK(message_of<pv::DimError>([&] { rest.dims(); }) ==
          "list of dims 'rest' has no length yet: index a tensor with it, or call bind");
    const auto bound = t(i, rest);
    CHECK(rest.size() == 3);
    CHECK(to_string(pv::dims(bound)) == "(i, rest0, rest1, rest2)");
    CHECK(rest[2].size() == 5);
    CHECK(equal<double>(bound | pv::sum(rest) | pv::order(i), t | pv::sum({1, 2, 3})));
    CHECK(equal<double>(bound | pv::order(rest, i), t | pv::transpose({1, 2, 3, 0})));
    CHECK(message_of<pv::DimError>([&] { rest.bind(2); }) ==
          "list of dims 'rest' is bound to length 3 and cannot bind to length 2");

    CHECK(t(i, pv::DimList({}), pv::ellipsis).rank() == 3);
    const auto [p, q] = pv::dims("p", "q");
    CHECK(to_string(pv::dims(t(pv::DimList({p, q})))) == "(p, q)");
    CHECK(message_of<pv::IndexError>([&] { t(pv::DimList("a"), pv::ellipsis); }) ==
          "indexing: two of the indexes stand for all axes that are left over");
}

TEST_CASE("dims of the same name never meet") {
    const auto inner = [](const auto& x, const auto& y) {
        const auto [i, j, k] = pv::dims("i", "j", "k");
        return x(i, k) * y(k, j) | pv::sum(k) | pv::order(i, j);
    };
    const auto a = counted({2, 3, 4});
    const auto b = counted({2, 4, 5});
    const pv::Dim i("i");
    const pv::Tensor<double> batched = inner(a(i), b(i)) | pv::order(i);
    CHECK(equal<double>(batched, pv::matmul(a, b)));
    CHECK(equal<double>(inner(a(0, pv::ellipsis), b(0, pv::ellipsis)),
                        pv::matmul(a(0, pv::ellipsis), b(0, pv::ellipsis))));
}

TEST_CASE("index takes the place of dims") {
    const auto t = counted({3, 4});
    const auto [i, k, o, l] = pv::dims("i", "k", "o", "l");
    o.set_size(2);
    const auto split = pv::index(t(i, k), k, pv::joint(o, l));
    CHECK(equal<double>(split | pv::order(i, o, l), t | pv::reshape({3, 2, 2})));
    CHECK(equal<double>(pv::index(split, {o, l}, k) | pv::order(i, k), t));
    CHECK(equal<double>(t(i, k) | pv::index(k, -1) | pv::order(i), t(pv::all, 3)));
    const pv::Dim m("m");
    CHECK(to_string(pv::dims(pv::index(t(i, k), i, m))) == "(k, m)");
    CHECK(equal<double>(t(i) | pv::index(0, k + 0) | pv::order(i, k), t));
    const auto c = counted({3, 4, 5});
    const pv::Dim ik("ik");
    CHECK(equal<double>(pv::index(c, {0, 2}, ik) | pv::order(ik),
                        c | pv::transpose({0, 2, 1}) | pv::reshape({15, 4})));
    CHECK(message_of<pv::DimError>([&] { pv::index(t(i, k), o, 0); }) ==
          "index: the tensor has no Dim 'o', its dims are (i, k)");
}

TEST_CASE("what was moved from is whole, or says that it is nothing") {
    pv::Dim i("i");
    const pv::Dim j = std::move(i);
    const auto message = "a Dim that was moved from is no dimension";
    CHECK(message_of<pv::DimError>([&] { pv::ones({3})(i); }) == message);
    CHECK(message_of<pv::DimError>([&] { i.set_size(3); }) == message);
    CHECK(message_of<pv::DimError>([&] { pv::sum(i + j); }) == message);
    i = j;
    auto x = pv::ones({3})(i);
    const auto y = std::move(x);
    CHECK(equal<double>(x | pv::order(j), pv::ones({3})));
    pv::DimList rest("rest");
    const pv::DimList same_rest = std::move(rest);
    CHECK(equal<double>(counted({2, 3})(rest) | pv::order(same_rest), counted({2, 3})));
}

TEST_CASE("a size is not negative") {
    const pv::Dim i("i");
    for (const pv::index_t size : {-1, -2})
        CHECK(message_of<pv::DimError>([&] { i.set_size(size); }) ==
              "Dim 'i' cannot have the size " + std::to_string(size));
    CHECK_FALSE(i.has_size());
}

TEST_CASE("threads bind one dim to one size") {
    for (int round = 0; round < 50; ++round) {
        const pv::Dim i("i");
        std::vector<std::thread> threads;
        std::atomic<int> bound{0};
        for (int n = 0; n < 4; ++n)
            threads.emplace_back([&, n] {
                try {
                    pv::ones({n + 1})(i);
                    ++bound;
                } catch (const pv::DimError&) {}
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(bound == 1);
        CHECK(i.has_size());
    }
}

} // namespace binding_test
