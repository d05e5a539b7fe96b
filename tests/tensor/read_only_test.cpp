#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace read_only_test {

// Nothing that only reads is written, by any function that has a destination, through any view or conversion:
// static types decide where there are some, and an AnyTensor remembers. tests/must_not_compile has the refusals.

namespace {

namespace pv = purview;
using pv::all;
using pv::AnyTensor;
using Vector = std::vector<double>;

struct View {
    std::string name;
    std::function<AnyTensor(const AnyTensor&)> make;
};

/// Views of a matrix [3 3] that can be written where it can.
const std::vector<View>& views() {
    static const std::vector<View> list{
        {"itself", [](const AnyTensor& a) { return a; }},
        {"moved", [](AnyTensor a) { return AnyTensor(std::move(a)); }},
        {"rebound",
         [](const AnyTensor& a) {
             AnyTensor b = pv::AnyTensor(pv::zeros({1}));
             b = a;
             return b;
         }},
        {"element", [](const AnyTensor& a) { return a(0, 1); }},
        {"row", [](const AnyTensor& a) { return a(1, all); }},
        {"range", [](const AnyTensor& a) { return a(all, pv::range(0, 3, 2)); }},
        {"new axis", [](const AnyTensor& a) { return a(pv::new_axis, pv::ellipsis); }},
        {"list",
         [](const AnyTensor& a) {
             return a(pv::indexes({2, 0}));
         }},
        {"mask",
         [](const AnyTensor& a) {
             return a(pv::tensor({true, false, true}), all);
         }},
        {"select", [](const AnyTensor& a) { return a | pv::select(2, all); }},
        {"transpose", [](const AnyTensor& a) { return pv::transpose(a); }},
        {"transpose stage",
         [](const AnyTensor& a) {
             return a | pv::transpose({1, 0});
         }},
        {"swap_axes", [](const AnyTensor& a) { return pv::swap_axes(a, 0, 1); }},
        {"move_axis", [](const AnyTensor& a) { return a | pv::move_axis(0, 1); }},
        {"insert_axis", [](const AnyTensor& a) { return pv::insert_axis(a, 1); }},
        {"squeeze", [](const AnyTensor& a) { return a | pv::insert_axis(0) | pv::squeeze; }},
        {"squeeze axis",
         [](const AnyTensor& a) { return pv::squeeze(pv::insert_axis(a, 0), {0}); }},
        {"reshape", [](const AnyTensor& a) { return pv::reshape(a, {9}); }},
        {"flip", [](const AnyTensor& a) { return pv::flip(a); }},
        {"flip axis", [](const AnyTensor& a) { return a | pv::flip({0}); }},
        {"rotate",
         [](const AnyTensor& a) {
             return pv::rotate(a, {1, 0});
         }},
        {"roll", [](const AnyTensor& a) { return pv::roll(a, 1, 0); }},
        {"diagonal", [](const AnyTensor& a) { return pv::diagonal(a); }},
        {"rearrange", [](const AnyTensor& a) { return pv::rearrange("a b -> (b a)", a); }},
        {"rows", [](const AnyTensor& a) { return pv::rows(a)[1]; }},
        {"columns", [](const AnyTensor& a) { return *pv::columns(a).begin(); }},
        {"slice", [](const AnyTensor& a) { return pv::slice(a, 2)[4]; }},
        {"slice_right", [](const AnyTensor& a) { return pv::slice_right(a, 1)[0]; }},
        {"storage", [](const AnyTensor& a) { return a.storage(); }},
        {"storage of a row", [](const AnyTensor& a) { return a(0, all).storage(); }},
        {"sample", [](const AnyTensor& a) { return pv::sample(a, 2, 7); }},
        {"contiguous", [](const AnyTensor& a) { return pv::contiguous(a); }},
        {"views of views", [](const AnyTensor& a) { return pv::flip(pv::transpose(a)(all, 1)); }},
    };
    return list;
}

/// Everything that writes to a destination that is known at run time.
const std::vector<std::pair<std::string, std::function<void(const AnyTensor&)>>>& writes() {
    static const std::vector<std::pair<std::string, std::function<void(const AnyTensor&)>>> list{
        {"copy", [](const AnyTensor& a) { pv::copy(pv::const_tensor(7.0, a.shape()), a); }},
        {"copy of another type", [](const AnyTensor& a) { pv::copy(pv::const_tensor(7, {1}), a); }},
        {"copy of an AnyTensor", [](const AnyTensor& a) { pv::copy(AnyTensor(pv::ones({1})), a); }},
        {"fill", [](const AnyTensor& a) { pv::fill(a, 7); }},
        {"assign", [](const AnyTensor& a) { pv::assign(a, 7.0); }},
        {"assign a tensor", [](const AnyTensor& a) { pv::assign(a, pv::ones(a.shape())); }},
        {"add_to", [](const AnyTensor& a) { pv::add_to(a, 7.0); }},
        {"as_mutable", [](const AnyTensor& a) { pv::fill(a.as_mutable<double>(), 7.0); }},
        {"require_writable",
         [](const AnyTensor& a) { a.require_writable("test"), pv::fill(a, 7); }},
        {"explain",
         [](const AnyTensor& a) { pv::explain(pv::copy, pv::ones({1}), a), pv::fill(a, 7); }},
        {"subscript = number", [](const AnyTensor& a) { a(pv::ellipsis) = 7; }},
        {"subscript = tensor",
         [](const AnyTensor& a) { a(pv::ellipsis) = pv::full(a.shape(), 7.0); }},
        {"+= number", [](AnyTensor a) { a += 7; }},
        {"+= tensor", [](AnyTensor a) { a += pv::full(a.shape(), 7.0); }},
        {"-=", [](AnyTensor a) { a -= 7; }},
        {"*=", [](AnyTensor a) { a(pv::ellipsis) *= 7.5; }},
        {"/=", [](AnyTensor a) { a /= 7; }},
        {"%=", [](AnyTensor a) { a += 0.5, a %= 0.3; }},
    };
    return list;
}

Vector counted() { return {1, 2, 3, 4, 5, 6, 7, 8, 9}; }

pv::MutableTensor<double> matrix() { return pv::tensor(counted(), {3, 3}); }

/// What code that means to read makes of a tensor: nothing of it may write.
template <typename Make>
void check_read_only(const std::string& name, Make make) {
    for (const View& view : views())
        for (const auto& [write, function] : writes()) {
            INFO(name << ", " << view.name << ", " << write);
            const auto x = matrix();
            const AnyTensor a = view.make(make(x));
            CHECK(a.is_read_only());
            CHECK(a.description().read_only);
            CHECK(!a.may_write());
            CHECK_THROWS_AS(function(a), pv::ReadOnlyError);
            CHECK(pv::to_vector(x) == counted());
        }
}

AnyTensor as_parameter(const pv::Tensor<double>& x) { return x; }
AnyTensor as_any_parameter(const AnyTensor& x) { return x; }

} // namespace

TEST_CASE("what was made of a tensor that reads is never written") {
    check_read_only("a parameter", [](const auto& x) { return as_parameter(x); });
    check_read_only("an AnyTensor parameter", [](const auto& x) {
        const pv::Tensor<double>& reads = x;
        return as_any_parameter(reads);
    });
    check_read_only("a Tensor", [](const auto& x) {
        const pv::Tensor<double> reads = x;
        return AnyTensor(reads);
    });
}

TEST_CASE("nor by way of another handle") {
    const auto through = [](const std::string& name, auto make) {
        const auto x = matrix();
        const pv::Tensor<double> reads = x;
        INFO(name);
        const AnyTensor a = make(reads);
        CHECK(a.is_read_only());
        CHECK_THROWS_AS(pv::fill(a, 0), pv::ReadOnlyError);
        CHECK_THROWS_AS(pv::assign(a, 0), pv::ReadOnlyError);
        CHECK_THROWS_AS(a.as_mutable<double>(), pv::ReadOnlyError);
        CHECK(pv::to_vector(x) == counted());
    };
    const auto [i, j] = pv::dims("i", "j");
    through("as", [](const auto& r) { return AnyTensor(AnyTensor(r).template as<double>()); });
    through("view", [](const auto& r) { return AnyTensor(r(0, all)); });
    through("storage", [](const auto& r) { return AnyTensor(r(0, all).storage()); });
    through("dims", [&](const auto& r) { return AnyTensor(r(i, j) | pv::order(j, i)); });
    through("dims of an AnyTensor",
            [&](const auto& r) { return AnyTensor(pv::rearrange("a b -> b a", AnyTensor(r))); });
    through("take", [](const auto& r) { return AnyTensor(pv::take(r, pv::tensor({0, 1}), 0)); });
    through("take of an AnyTensor", [](const auto& r) {
        return pv::take(AnyTensor(r), pv::tensor({0, 1}), 0);
    });
    through("take along an axis", [](const auto& r) {
        return pv::take_along_axis(AnyTensor(r), pv::tensor({{0, 1, 0}}), 0);
    });
    through("expression", [](const auto& r) { return AnyTensor(r + 1); });
    through("expression of AnyTensors", [](const auto& r) { return AnyTensor(r) + 1; });
    through("broadcast", [](const auto& r) { return pv::broadcast(AnyTensor(r), {3, 3}); });
    through("tile", [](const auto& r) { return pv::tile(AnyTensor(r), {1, 1}); });
    through("windows", [](const auto& r) { return pv::sliding_window(AnyTensor(r), 0, 3); });
    through("operand", [](const auto& r) { return AnyTensor(r.operand()); });
    through("constant symbol", [](const auto& r) { return pv::constant(r).AnySymbol::value(); });
    through("reader", [](const auto& r) {
        return AnyTensor(pv::tensor(pv::as_reader(r), {3, 3}));
    });
}

TEST_CASE("what was made of a tensor that writes is written, through every view") {
    for (const View& view : views())
        for (const auto& [write, function] : writes()) {
            INFO(view.name << ", " << write);
            const auto x = matrix();
            const AnyTensor a = view.make(x);
            CHECK(!a.is_read_only());
            CHECK(!a.description().read_only);
            const auto before = pv::clone(a);
            function(a);
            CHECK(!pv::equals(pv::AnyTensor(a), before));
            CHECK(pv::to_vector(x) != counted());
        }
    const auto x = matrix();
    pv::assign(pv::take(AnyTensor(x), pv::tensor({0, 0}), 0), 20);
    pv::add_to(AnyTensor(pv::take(x, pv::tensor({1}), 0)), 10);
    CHECK(pv::to_vector(x) == Vector{20, 20, 20, 14, 15, 16, 7, 8, 9});
    // New memory may be written, whoever made it.
    const AnyTensor any = pv::Tensor<double>(x);
    for (const AnyTensor& own :
         {pv::clone(any), pv::sum(any, 0), pv::sort(any, 0), pv::cumsum(any, 0)})
        CHECK(!own.is_read_only());
    CHECK(!pv::variable(pv::ones({2})).AnySymbol::value().is_read_only());
}

TEST_CASE("types that read give types that read, and types that write give types that write") {
    const auto x = matrix();
    const pv::Tensor<double> r = x;
    const auto [i, j, n] = pv::dims("i", "j", "n");
    const auto ids = pv::tensor({0, 1});
    const auto writes = []<typename X>(const X&) { return pv::WritableHandle<X>; };
    const auto check = [&](const auto& view) {
        CHECK(!writes(view(r)));
        CHECK(writes(view(x)));
    };
    check([](const auto& t) { return t; });
    check([](const auto& t) { return t(0, all); });
    check([](const auto& t) { return t(pv::indexes({0})); });
    check([](const auto& t) { return t | pv::select(1); });
    check([](const auto& t) { return pv::transpose(t); });
    check([](const auto& t) { return pv::reshape(t, {9}); });
    check([](const auto& t) { return pv::rows(t)[0]; });
    check([](const auto& t) { return t.storage(); });
    check([](const auto& t) { return pv::diagonal(t); });
    check([&](const auto& t) { return pv::take(t, ids, 0); });
    check([&](const auto& t) { return pv::take(t, ids, 0)(0, all); });
    check([&](const auto& t) { return pv::take(t, ids, 0) | pv::transpose; });
    check([&](const auto& t) { return pv::take_along_axis(t, pv::tensor({{0, 1, 0}}), 0); });
    check([&](const auto& t) { return t(i, j); });
    check([&](const auto& t) { return t(i, all)(0); });
    check([&](const auto& t) { return t(ids(n), i); });
    check([&](const auto& t) { return t(i, j) | pv::order(j, i); });
    check([&](const auto& t) { return pv::take(t(i, all), ids, 0); });
    check([&](const auto& t) { return pv::index(t(i, j), i, 0); });
    check([&](const auto& t) { return pv::unbind(t, 0)[0]; });
    check([&](const auto& t) { return t(i, all) | pv::flip(0); });
    check([&](const auto& t) { return t(i, all) | pv::select(0); });
    const auto never = [&](const auto& made) {
        CHECK(!writes(made(r)));
        CHECK(!writes(made(x)));
    };
    never([](const auto& t) { return t + 1; });
    never([](const auto& t) { return pv::sqrt(t) * t; });
    never([](const auto& t) { return pv::broadcast(t, {6, 3}); });
    never([](const auto& t) { return pv::sliding_window(t, 0, 2); });
    never([](const auto& t) { return pv::tile(t, {2, 2}); });
    never([](const auto& t) { return pv::triu(t); });
    never([](const auto& t) { return pv::concat(t, t); });
    never([&](const auto& t) { return t(i, j) * 2; });
    never([&](const auto& t) { return pv::sqrt(t(i, all)); });
    // A reference to what writes reads, if its type does.
    const pv::Tensor<double>& reference = x;
    CHECK((reference.is_read_only() && !x.is_read_only()));
    CHECK((reference.description().read_only && !x.description().read_only));
    STATIC_REQUIRE(!std::convertible_to<pv::Tensor<double>, pv::MutableTensor<double>>);
    STATIC_REQUIRE(!std::convertible_to<pv::DimTensor<double>, pv::MutableTensor<double>>);
    STATIC_REQUIRE(!std::convertible_to<pv::AnyTensor, pv::MutableTensor<double>>);
    STATIC_REQUIRE(!std::convertible_to<pv::DimTensor<double>, pv::MutableDimTensor<double>>);
    STATIC_REQUIRE(!std::constructible_from<pv::MutableTensor<double>, pv::Tensor<double>>);
    STATIC_REQUIRE(!std::constructible_from<pv::MutableDimTensor<double>, pv::DimTensor<double>>);
    STATIC_REQUIRE(!std::constructible_from<pv::GatheredTensor<double>, pv::Tensor<double>>);
    STATIC_REQUIRE(std::convertible_to<pv::MutableDimTensor<double>, pv::MutableTensor<double>>);
}

} // namespace read_only_test
