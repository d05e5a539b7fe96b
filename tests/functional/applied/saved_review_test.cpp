#include <support/catch.hpp>
#include <support/computation_text.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace saved_review_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

Vector values(const auto& x) { return pv::to_vector(x); }

double cube(double v) { return v * v * v; }
double three_squares(double v) { return 3 * v * v; }
struct SixTimes final {
    double operator()(double v) const { return 6 * v; }
};
double first_of(double, double v, double, double, double, double, double, double, double, double,
                double w) {
    return v * w;
}
constexpr auto zero_of = [](auto... v) { return 0.0 * (v + ...); };

/// The first output of a computation without arguments.
Vector result_of(const std::vector<std::string>& nodes, const std::string& outputs) {
    return values(
        pv::computation_from(oracle::computation_text_of(nodes, outputs))({})[0].as<double>());
}

} // namespace

TEST_CASE("results that no memory holds are refused") {
    // 8 times these is 32 in 64 bits, below 0, and just too much.
    for (const std::string& size :
         {std::string("2305843009213693956"), std::string("1152921504606846976"),
          std::string("72057594037927937")}) {
        CAPTURE(size);
        const std::string shape = "[" + size + "]";
        for (const std::string& node :
             {"sum " + size + " %0 " + shape + " by [0]",
              "max " + size + " %0 " + shape + " by [0]",
              "cumsum " + size + " 1 %0 " + shape + " by [0]",
              "scatter " + size + " [1] [along 0] [%0 [1]]",
              "gather \"take\" " + shape + " [at 0] [%0 [1] %1 " + shape + " by [0]]",
              "pieces \"concat\" " + shape + " [[0]] [%0 " + shape + " by [0]]"}) {
            CAPTURE(node);
            CHECK_THROWS_WITH(
                pv::computation_from(oracle::computation_text_of(
                    {"variable \"x\" float64 [1] is 1", "number int64 0", node}, "%2 [1]")),
                "computation: node 2: " + size + " elements are too many");
        }
        CHECK_THROWS_AS(pv::computation_from(oracle::computation_text_of(
                            {"variable \"x\" float64 [] is 1",
                             "exp float64 " + shape + " [%0 as " + shape + " by [0]]"},
                            "%1 [1]")),
                        pv::FormatError);
    }
    // A view has as many elements as it likes, until they are asked for.
    CHECK_NOTHROW(pv::computation_from(oracle::computation_text_of(
        {"number float64 1", "sum 1 %0 [2305843009213693956] by [0]"}, "%1 []")));
    CHECK_THROWS_AS(result_of({"number float64 1"}, "%0 [2305843009213693956] by [0]"),
                    pv::ShapeError);
    // And so have sparse tensors.
    const std::vector<std::string> sparse{"sparse float64 2305843009213693956 [1] 2 0",
                                          "negative float64 [2305843009213693956] [%0]",
                                          "sum 1 %1 [2305843009213693956]"};
    CHECK(result_of(sparse, "%2 []") == Vector{-2});

    // What is traced, and not loaded.
    const auto traced = pv::computation(
        [](auto x) {
            const auto rows = pv::broadcast(x, {(index_t{1} << 61) + 4, 1});
            return pv::sum(pv::sum(rows, 1)(pv::range(0, 2)));
        },
        pv::spec<double>());
    CHECK_THROWS_AS(traced(1.0), pv::ShapeError);
    CHECK_THROWS_WITH(pv::computation_bytes(traced),
                      Catch::EndsWith("has 2305843009213693956 elements, which are too many"));
}

TEST_CASE("a scatter along some axes of its values adds over the others") {
    CHECK(result_of({"tensor float64 6 1 2 3 4 5 6", "scatter 2 [2] [along 0] [%0 [2 3]]"},
                    "%1 [2]") == Vector{6, 15});
    CHECK(result_of({"tensor float64 6 1 2 3 4 5 6",
                     "scatter 1 [1 1] [along 0 along 1] [%0 [1 1 6] by [0 0 1]]"},
                    "%1 [1]") == Vector{21});
}

TEST_CASE("a list of outputs and its gradient are called, saved and loaded") {
    const auto c = pv::computation(
        [](auto x) {
            return std::vector{pv::sum(x), pv::sum(x * x)};
        },
        pv::spec<double>({3}));
    const auto x = pv::tensor({1., 2., 4.});
    const auto both = pv::value_and_gradient(c);
    const auto [sums, slope] = both(x);
    CHECK(sums == Vector{7, 21});
    CHECK(values(slope) == Vector{1, 1, 1});
    CHECK(values(pv::gradient(c)(x)) == Vector{1, 1, 1});
    // In another trace, and once more.
    const auto again = pv::computation(
        [&](auto y) {
            const auto [list, by] = both(y * 2.0);
            return list[1] + pv::sum(by);
        },
        pv::spec<double>({3}));
    CHECK(again(x) == 84 + 3);
    CHECK(values(pv::gradient(again)(x)) == Vector{8, 16, 32});
    const auto [inner, first, second] = pv::value_and_gradient(both)(x);
    CHECK(inner == sums);
    CHECK(values(first) == values(second));
    STATIC_REQUIRE(std::tuple_size_v<decltype(both(x))> == 2);

    // Of several arguments, some of integers.
    const auto tensors = pv::computation(
        [](auto s, auto n, auto t) {
            return std::vector{s * pv::cast<double>(n), s + t};
        },
        pv::spec<double>(), pv::spec<index_t>(), pv::spec<double>());
    const auto all = pv::value_and_gradient(tensors)(3.0, index_t{2}, 5.0);
    STATIC_REQUIRE(std::tuple_size_v<decltype(all)> == 3);
    CHECK(std::get<0>(all) == Vector{6, 8});
    CHECK(std::get<1>(all) == 2);
    CHECK(std::get<2>(all) == 0);

    const pv::AnyComputation any = pv::computation_from(pv::computation_bytes(c));
    CHECK(any.as<std::vector<double>(double)>()(x) == Vector{7, 21});
    CHECK(any.as<std::array<double, 2>(double)>()(x)[1] == 21);
    CHECK_THROWS_AS(any.as<std::vector<float>(double)>(), pv::DtypeError);
    CHECK_THROWS_AS((any.as<std::tuple<double, double, double>(double)>()), pv::ShapeError);
    const pv::AnyComputation loaded = pv::computation_from(pv::computation_text(both));
    const auto typed =
        loaded.as<std::tuple<std::vector<double>, pv::MutableTensor<double>>(double)>();
    CHECK(std::get<0>(typed(x)) == Vector{7, 21});
    CHECK(values(std::get<1>(typed(x))) == Vector{1, 1, 1});
    CHECK_THROWS_WITH(loaded.as<std::vector<double>(double)>(),
                      "as: output 2 has shape [3], and is no number");
    using Long = std::tuple<std::vector<double>, double, double, double, double>;
    CHECK_THROWS_WITH(loaded.as<Long(double)>(), "as: there are 3 outputs, not 4");
}

TEST_CASE("outputs that cannot be loaded are not saved") {
    const auto nothing = [] {
        return pv::computation([](auto) { return std::vector<pv::Symbol<double>>(); },
                               pv::spec<double>({3}));
    };
    CHECK_THROWS_WITH(nothing(), "computation: the function returns no output");
    CHECK_THROWS_AS(nothing(), pv::ShapeError);
    const auto later = pv::computation([](auto) { return std::vector<pv::Symbol<double>>(); },
                                       pv::spec<double>({pv::any_size}));
    CHECK_THROWS_AS(later(pv::ones({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::value_and_gradient(later)(pv::ones({2})), pv::ShapeError);

    const auto rows = pv::computation(
        [](auto x) {
            std::vector<pv::Symbol<double>> all;
            for (index_t i = 0; i < x.shape()[0]; ++i) all.push_back(x * double(i));
            return all;
        },
        pv::spec<double>({pv::any_size}));
    CHECK(rows(pv::ones({2})).size() == 2);
    CHECK_NOTHROW(pv::computation_from(pv::computation_bytes(rows)));
    CHECK(rows(pv::ones({3})).size() == 3);
    CHECK_THROWS_WITH(pv::computation_bytes(rows),
                      "computation_bytes: for some shapes of the arguments, the outputs are others "
                      "in number or type than for others");
}

TEST_CASE("derivatives that are pointers to functions are saved by their numbers") {
    static const auto by_pointer = pv::register_function<double(double)>(
        "saved_review.cube",
        pv::with_derivative(&cube, pv::with_derivative(&three_squares, SixTimes())));
    const auto x = pv::tensor({1., 2., -3.});
    const auto c = pv::computation([](auto s) { return pv::sum(pv::emap(by_pointer, s)); },
                                   pv::spec<double>({3}));
    const auto slope = pv::gradient(c);
    const std::string text = pv::computation_text(slope);
    CHECK_THAT(text, Catch::Contains("function \"saved_review.cube/0\""));
    const auto loaded = pv::computation_from(text);
    CHECK(pv::computation_text(loaded) == text);
    CHECK(values(loaded({x})[0].as<double>()) == Vector{3, 12, 27});
    const auto second =
        pv::computation([&](auto s) { return pv::hessian(pv::sum(pv::emap(by_pointer, s)), s); },
                        pv::spec<double>({1}));
    const std::string twice = pv::computation_text(second);
    CHECK_THAT(twice, Catch::Contains("saved_review.cube/0/0"));
    CHECK(values(pv::computation_from(twice)({pv::tensor({2.})})[0].as<double>()) == Vector{12});

    // A pointer, and a class that nothing is derived from, registered themselves.
    static const auto plain =
        pv::register_function<double(double)>("saved_review.plain", &three_squares);
    static const auto six = pv::register_function<double(double)>("saved_review.six", SixTimes());
    const auto both = pv::computation([](auto s) { return pv::emap(plain, s) + pv::emap(six, s); },
                                      pv::spec<double>({3}));
    CHECK(values(pv::computation_from(pv::computation_bytes(both))({x})[0].as<double>()) ==
          Vector{9, 24, 9});

    // More than ten operands.
    static const auto many = pv::register_function<double(
        double, double, double, double, double, double, double, double, double, double, double)>(
        "saved_review.many",
        pv::with_derivative(&first_of, zero_of, zero_of, zero_of, zero_of, zero_of, zero_of,
                            zero_of, zero_of, zero_of, zero_of,
                            [](auto, double v, auto...) { return v; }));
    const auto eleven = pv::computation(
        [](auto s, auto t) {
            return pv::gradient(pv::sum(pv::emap(many, s, s, s, s, s, s, s, s, s, s, t)), t);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    const auto read = pv::computation_from(pv::computation_bytes(eleven));
    CHECK_THAT(pv::computation_text(read), Catch::Contains("saved_review.many/10"));
    CHECK(values(read({x, x})[0].as<double>()) == Vector{1, 2, -3});
}

TEST_CASE("names of derivatives are not taken by other functions") {
    const auto one = [](double v) { return v; };
    pv::register_function<double(double)>("saved_review.f", pv::with_derivative(one, SixTimes()));
    for (const char* const name : {"saved_review.f/0", "saved_review.g/1", "saved_review.f/0/0",
                                   "/0", "saved_review.f/12"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(pv::register_function<double(double)>(name, one), pv::FormatError);
    }
    CHECK_THROWS_WITH(
        pv::register_function<double(double)>("saved_review.f/0", one),
        "register_function: 'saved_review.f/0' is the name of a derivative: end it otherwise");
    for (const char* const name : {"saved_review/f", "saved_review.f/0a", "saved_review.f/"})
        CHECK_NOTHROW(pv::register_function<double(double)>(name, one));
    for (const char* const name : {"saved_review.f/1", "saved_review.f/00", "saved_review.f/-1",
                                   "saved_review.f/0/0", "saved_review.f/18446744073709551616"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(
            pv::computation_from(oracle::computation_text_of(
                {"number float64 2", "function \"" + std::string(name) + "\" float64 [] [%0]"},
                "%1 []")),
            pv::FormatError);
    }
    CHECK(result_of({"number float64 2", "function \"saved_review.f/0\" float64 [] [%0]"},
                    "%1 []") == Vector{12});
    // Of a type that it was not registered with, it would not be loaded.
    static const auto general =
        pv::register_function<double(double)>("saved_review.general", [](auto v) { return v + 1; });
    const auto floats =
        pv::computation([](auto s) { return pv::emap(general, s); }, pv::spec<float>({3}));
    CHECK_THROWS_WITH(pv::computation_bytes(floats),
                      "computation_bytes: node 1 is the function 'saved_review.general' of other "
                      "types than it is registered with");
}

TEST_CASE("of a captured tensor, what is read is saved") {
    const auto big = pv::contiguous(pv::reshape(pv::arange(1e6), {1000, 1000}));
    const auto check = [](const auto& c, std::size_t elements, const std::string& words,
                          const auto&... x) {
        const std::string text = pv::computation_text(c);
        const std::string bytes = pv::computation_bytes(c);
        CAPTURE(text.substr(0, 1000));
        CHECK_THAT(text, Catch::Contains(words));
        CHECK(bytes.size() < 8 * elements + 500);
        for (const auto& any : {pv::computation_from(bytes), pv::computation_from(text)}) {
            CHECK(pv::computation_bytes(any) == bytes);
            CHECK(pv::computation_text(any) == text);
            CHECK(values(any({x...})[0].template as<double>()) == values(c(x...)));
        }
    };
    const auto x = pv::tensor({1., 2., 3.});
    const auto three = pv::spec<double>({3});
    // A row, a column, part of a row from an address on, backwards, repeated.
    const auto row = big(700, pv::range(5, 8));
    check(pv::computation([=](auto s) { return s * row; }, three), 3,
          "tensor float64 3 700005 700006 700007\n%2 = multiply float64 [3] [%0 %1]", x);
    const auto column = big(pv::range(2, 5), 3);
    check(pv::computation([=](auto s) { return s * column; }, three), 3,
          "tensor float64 3 2003 3003 4003\n%2 = multiply float64 [3] [%0 %1]", x);
    const auto back = pv::flip(row);
    check(pv::computation([=](auto s) { return s * back; }, three), 3,
          "[%0 %1 as [3] by [-1] at 2]", x);
    const auto repeated = pv::broadcast(big(2, pv::range(1, 2)), {3});
    check(pv::computation([=](auto s) { return s * repeated; }, three), 1,
          "tensor float64 1 2001\n", x);
    const auto listed = big(2, pv::tensor<index_t>({900, 200, 200}));
    check(pv::computation([=](auto s) { return s * listed; }, three), 3,
          "tensor float64 3 2900 2200 2200\n", x);
    // Several views: from the lowest to the highest address.
    const auto other = big(700, pv::range(6, 9));
    check(pv::computation([=](auto s) { return s * row + other; }, three), 4,
          "%1 = tensor float64 4 700005 700006 700007 700008\n"
          "%2 = multiply float64 [3] [%0 %1]\n%3 = add float64 [3] [%2 %1 as [3] at 1]",
          x);
    // In reductions, gathers, as an output, through several layers, and of nothing.
    const auto block = big(pv::range(10, 12), pv::range(0, 3));
    check(pv::computation([=](auto s) { return pv::sum(s * block, 0); }, three), 6,
          "tensor float64 6 10000 10001 10002 11000", x);
    check(pv::computation([=](auto) { return row; }, three), 3, "programs [\nprogram [%0] [%1 [3]]",
          x);
    check(pv::computation([=](auto i) { return pv::take(row, i, 0); }, pv::spec<index_t>({2})), 3,
          "[%1 [3] %0 [2]]", pv::tensor<index_t>({2, 0}));
    const auto layers = pv::reshape(pv::transpose(big(pv::range(10, 12), pv::range(0, 3))), {6});
    check(pv::computation(
              [=](auto s) { return s * layers(pv::range(1, 4)) + layers(pv::range(0, 3)); }, three),
          2000, "tensor", x);
    const auto none = big(5, pv::range(2, 2));
    check(pv::computation(
              [=](auto s) {
                  return s + pv::sum(pv::concat({none, none}, 0));
              },
              three),
          0, "", x);
    const auto empty = pv::computation([=](auto s) { return s * none; }, pv::spec<double>({0}));
    check(empty, 0, "tensor float64 0\n", pv::zeros({0}));
    // Of a sparse tensor, the pairs.
    const auto sparse = pv::to_sparse(pv::where(big % 100. == 7., big, 0.));
    const auto part = sparse(3, pv::range(200, 500));
    const auto pairs = pv::computation([=](auto s) { return s * part; }, pv::spec<double>({300}));
    check(pairs, 3, "sparse float64 300 [7 107 207] 3207 3307 3407 0\n", pv::ones({300}));
    // largest_tensor is about what is saved.
    CHECK_NOTHROW(pv::computation_bytes(pairs, {.largest_tensor = 48}));
    CHECK_THROWS_WITH(pv::computation_bytes(pairs, {.largest_tensor = 47}),
                      Catch::Contains("48 bytes"));
    const auto all = pv::computation([=](auto s) { return pv::sum(big) * s; }, three);
    CHECK_NOTHROW(pv::computation_bytes(all, {.largest_tensor = 8}));
}

TEST_CASE("of a mapped file, the place of what is read is saved") {
    const temporary::Folder folder;
    const Vector numbers{0.5, 1.5, 2.5, 3.5, 4.5};
    temporary::write_file(folder / "numbers",
                          std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                           numbers.size() * sizeof(double)));
    const auto table = pv::tensor(pv::mapped_const_buffer<double>(folder / "numbers", 0));
    const auto odd = table(pv::range(1, 5, 2));
    const auto c = pv::computation([=](auto x) { return pv::sum(x * odd); }, pv::spec<double>({2}));
    const std::string places = folder / "";
    const std::string text = pv::computation_text(c, {.places = places});
    CHECK_THAT(text, Catch::Contains("= mapped float64 3 \"numbers\" 8\n"));
    CHECK_THAT(text, Catch::Contains("as [2] by [2]]"));
    const auto loaded = pv::computation_from(text, {.places = places});
    CHECK(loaded({pv::ones({2})})[0].as<double>().item() == 5);
    CHECK(pv::computation_text(loaded, {.places = places}) == text);
    CHECK_THAT(pv::computation_text(loaded), Catch::Contains("= tensor float64 2 1.5 3.5\n"));
    const auto none = table(pv::range(1, 1));
    const auto empty = pv::computation([=](auto x) { return x * none; }, pv::spec<double>({0}));
    CHECK_THAT(pv::computation_text(empty, {.places = places}),
               Catch::Contains("= tensor float64 0\n"));
}

TEST_CASE("variables without values have shapes, and are printed") {
    const auto w = pv::variable(pv::tensor({{1., 2., 3.}, {4., 5., 6.}}), "w");
    const auto b = pv::variable(0.5, "b");
    const auto c =
        pv::computation([=](auto x) { return pv::matmul(w, x) + b; }, pv::spec<double>({3}));
    const auto any = pv::computation_from(pv::computation_bytes(c, {.values = false}));
    REQUIRE(any.variables().size() == 2);
    const pv::AnySymbol weights = any.variables()[0];
    CHECK(weights.rank() == 2);
    CHECK(weights.shape() == pv::Shape{2, 3});
    CHECK(any.variables()[1].rank() == 0);
    CHECK(any.symbol("w").shape() == pv::Shape{2, 3});
    const auto printed = [](const auto& each) {
        std::ostringstream text;
        text << each;
        return text.str();
    };
    CHECK(printed(weights) == "#purview.symbol<float64>[2 3] variable w");
    CHECK_THAT(printed(any), Catch::Contains("variable 'w' float64[2 3]\n"));
    CHECK_THAT(printed(any), Catch::Contains("output 0 = "));
    CHECK_THAT(printed(any), Catch::EndsWith("no stages before the variable 'w' has a value\n"));
    CHECK_THAT(printed(any.as<pv::MutableTensor<double>(double)>()),
               Catch::Contains("no stages before"));
    weights.update(pv::tensor({{1., 2., 3.}, {4., 5., 6.}}));
    CHECK_THAT(printed(any), Catch::EndsWith("no stages before the variable 'b' has a value\n"));
    any.variables()[1].update(pv::full({}, 0.5));
    CHECK(printed(any) == printed(c));
    CHECK(weights.shape() == pv::Shape{2, 3});
    CHECK(values(any({pv::ones({3})})[0].as<double>()) == Vector{6.5, 15.5});
}

} // namespace saved_review_test
