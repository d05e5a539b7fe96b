#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/dtype/half.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace saved_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

Vector values(const auto& x) { return pv::to_vector(x); }
/// Loaded from bytes and from text, a computation is saved as the same bytes and text.
template <typename C>
pv::AnyComputation there_and_back(const C& c) {
    const std::string bytes = pv::computation_bytes(c);
    const std::string text = pv::computation_text(c);
    const pv::AnyComputation loaded = pv::computation_from(bytes);
    const pv::AnyComputation read = pv::computation_from(text);
    CHECK(pv::computation_bytes(loaded) == bytes);
    CHECK(pv::computation_text(loaded) == text);
    CHECK(pv::computation_bytes(read) == bytes);
    CHECK(pv::computation_text(read) == text);
    return loaded;
}
pv::Tensor<double> first(const std::vector<pv::AnyTensor>& outputs) {
    return outputs[0].as<double>();
}

} // namespace

TEST_CASE("what was saved is loaded, and called with its types") {
    const auto c =
        pv::computation([](auto x, auto y) { return std::tuple(pv::sum(pv::sq(x - y)), x * 2.0); },
                        pv::spec<double>({4}), pv::spec<double>({4}));
    const pv::AnyComputation any = there_and_back(c);
    CHECK(any.argument_count() == 2);
    CHECK(any.argument(1).dtype == pv::float64);
    CHECK(any.argument(1).shape == pv::Shape{4});
    CHECK(any.output_count() == 2);
    CHECK_THROWS_AS(any.argument(2), pv::IndexError);
    const auto x = pv::tensor({1., 2., 3., 4.});
    const auto y = pv::tensor({0., 0., 1., 1.});
    const auto typed = any.as<std::tuple<double, pv::MutableTensor<double>>(double, double)>();
    const auto [distance, twice] = typed(x, y);
    CHECK(distance == 18);
    CHECK(values(twice) == Vector{2, 4, 6, 8});
    const std::vector<pv::AnyTensor> outputs = any({x, y});
    CHECK(first(outputs).item() == 18);
    CHECK(values(outputs[1].as<double>()) == Vector{2, 4, 6, 8});
    // Its gradient is that of the original.
    const auto gradient = pv::gradient(typed);
    CHECK(values(std::get<0>(gradient(x, y))) == Vector{2, 4, 4, 6});

    using Two = std::tuple<double, pv::MutableTensor<double>>;
    CHECK_THROWS_WITH(any.as<Two(double, float)>(),
                      "as: argument 1 is of type float64, not float32");
    CHECK_THROWS_WITH(any.as<Two(double)>(), "as: there are 2 arguments, not 1");
    CHECK_THROWS_WITH((any.as<std::tuple<double, double>(double, double)>()),
                      "as: output 1 has shape [4], and is no number");
    CHECK_THROWS_AS(any.as<double(double, double)>(), pv::ShapeError);
    CHECK_THROWS_AS(any({x}), pv::ShapeError);
    CHECK_THROWS_AS(any({x, pv::ones({5})}), pv::ShapeError);
    CHECK_THROWS_AS(any({x, pv::ones<float>({4})}), pv::DtypeError);
}

TEST_CASE("the text is readable, and stays as it is") {
    const auto c = pv::computation(
        [](auto x) {
            return pv::sum(pv::where(x > 0.5, pv::transpose(x), 1.0) + pv::tensor({0.25, 2.}));
        },
        pv::spec<double>({2, 2}));
    CHECK(pv::computation_text(c) == R"(purview computation, version 1
arguments [float64 [2 2]]
nodes 8
%0 = argument 0 float64 [2 2]
%1 = number float64 0.5
%2 = greater bool [2 2] [%0 %1]
%3 = number float64 1
%4 = where float64 [2 2] [%2 %0 as [2 2] by [1 2] %3]
%5 = tensor float64 2 0.25 2
%6 = add float64 [2 2] [%4 %5 as [2 2] by [0 1]]
%7 = sum 1 %6 [2 2]
programs [
program [%0] [%7 []]
]
)");
    there_and_back(c);
}

TEST_CASE("casts to floats of 16 bits are saved, and round once") {
    const auto c = pv::computation(
        [](auto x, auto n) {
            return std::tuple(pv::cast<float>(pv::cast<pv::Half>(x)),
                              pv::cast<float>(pv::cast<pv::BFloat16>(x)),
                              pv::cast<float>(pv::cast<pv::BFloat16>(n)));
        },
        pv::spec<double>({1}), pv::spec<std::int64_t>({1}));
    const auto again = there_and_back(c);
    const auto results = again({pv::tensor({63343.99805}), pv::tensor<std::int64_t>({16842753})});
    CHECK(pv::to_vector(results[0].as<float>()) == std::vector<float>{63328});
    CHECK(pv::to_vector(results[1].as<float>()) == std::vector<float>{63232});
    CHECK(pv::to_vector(results[2].as<float>()) == std::vector<float>{16908288});
}

TEST_CASE("all kinds of nodes, views and elements are saved") {
    const auto ids = pv::tensor({2, 0, -1});
    const auto c = pv::computation(
        [&](auto x, auto w) {
            const auto taken = pv::take(x, ids, 1);
            const auto joined = pv::concat({taken, pv::flip(taken)}, 0);
            const auto windows = pv::sliding_window(pv::rotate(x, {1, 2}), 1, 2);
            const auto picked = x(pv::all, {3, 1, 1});
            const auto y = pv::sum(joined) * pv::max(w) + pv::product(picked) +
                           pv::sum(pv::sq(windows)) + pv::sum(pv::cumsum(x, 0)) +
                           pv::mean(pv::pad(pv::tile(x, {2, 1}), 1));
            const auto [by_x, by_w] = pv::gradient(y, x, w);
            return std::tuple(y, by_x, by_w, pv::any_of(x > 0.0), pv::reshape(x, {4, 2}));
        },
        pv::spec<double>({2, 4}), pv::spec<double>({3}));
    const auto any = there_and_back(c);
    const auto x = pv::tensor({{1., 2., 3., 4.}, {0.5, -1., 0.25, 2.}});
    const auto w = pv::tensor({0.1, 0.3, 0.2});
    const auto expected = c(x, w);
    const auto outputs = any({x, w});
    CHECK(first(outputs).item() == std::get<0>(expected));
    CHECK(values(outputs[1].as<double>()) == values(std::get<1>(expected)));
    CHECK(values(outputs[2].as<double>()) == values(std::get<2>(expected)));
    CHECK(outputs[3].as<bool>().item() == std::get<3>(expected));
    CHECK(values(outputs[4].as<double>()) == values(std::get<4>(expected)));

    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t bits = 0x7ff8'0000'0000'1234;
    double payload = 0;
    std::memcpy(&payload, &bits, sizeof(bits));
    const auto odd = pv::tensor({nan, -nan, payload, 0.0, -0.0, 1e-310, 0.1, 1e300,
                                 std::numeric_limits<double>::infinity()});
    const auto halves = pv::clone(pv::cast<pv::Half>(pv::tensor({0.1F, -2.F, 65504.F})));
    const auto complex = pv::tensor({std::complex(1., -0.5), std::complex(0., nan)});
    const auto sparse =
        pv::sparse_tensor({1000}, std::vector<index_t>{7, 900}, std::vector<double>{1.5, -2.});
    const auto of_types = pv::computation(
        [&](auto s) {
            return std::tuple(s + odd, pv::cast<float>(halves) * 1.F + pv::cast<float>(s(0)),
                              pv::real(complex * complex) + s(0), pv::sum(sparse * s(0)),
                              pv::tensor({true, false}) && s(0) > 0.0,
                              pv::cast<std::uint8_t>(pv::tensor({1, 255})) +
                                  pv::cast<std::uint8_t>(s(1)),
                              pv::copysign(s, odd));
        },
        pv::spec<double>({9}));
    const auto again = there_and_back(of_types);
    const auto ones = pv::ones({9});
    const auto results = again({ones});
    const auto direct = of_types(ones);
    const Vector a = values(results[0].as<double>());
    const Vector b = values(std::get<0>(direct));
    CHECK(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
    CHECK(pv::to_vector(results[1].as<float>()) == pv::to_vector(std::get<1>(direct)));
    CHECK(results[3].as<double>().item() == std::get<3>(direct));
    CHECK(pv::to_vector(results[5].as<std::uint8_t>()) == pv::to_vector(std::get<5>(direct)));
}

TEST_CASE("variables are saved with their values, or without, and updated by name") {
    const auto w = pv::variable(pv::tensor({1., 2.}), "w");
    const auto state = pv::persistent(pv::tensor({10.}), "state");
    const auto scale = pv::constant(3.0, "scale");
    const auto c = pv::computation([=](auto x) { return pv::sum(x * w * scale) + state(0); },
                                   pv::spec<double>({2}));
    const auto x = pv::tensor({1., 1.});
    const pv::AnyComputation full = there_and_back(c);
    const auto call = full.as<double(double)>();
    CHECK(call(x) == 19);
    REQUIRE(full.variables().size() == 1);
    CHECK(full.variables()[0].name() == "w");
    full.symbol("w").update(pv::tensor({2., 2.}));
    full.symbol("state").update(pv::tensor({1.}));
    CHECK(call(x) == 13);
    CHECK(c(x) == 19);
    CHECK_THROWS_WITH(full.symbol("v"), "symbol: there is none of the name 'v', but: w, state");

    const std::string bare = pv::computation_bytes(c, {.values = false});
    const pv::AnyComputation empty = pv::computation_from(bare);
    CHECK(pv::computation_bytes(empty, {.values = false}) == bare);
    CHECK_THROWS_WITH(empty({x}),
                      "computation: the variable 'w' has no value: update it before the call");
    CHECK_THROWS_AS(empty.symbol("w").value(), pv::SymbolError);
    CHECK_THROWS_AS(empty.symbol("w").update(pv::tensor({2.})), pv::ShapeError);
    empty.symbol("w").update(pv::tensor({1., 2.}));
    empty.symbol("state").update(pv::tensor({10.}));
    CHECK(empty({x})[0].as<double>().item() == 19);
    empty.symbol("w").update(pv::tensor({0., 0.}));
    CHECK(empty({x})[0].as<double>().item() == 10);
}

TEST_CASE("of any size, what was called is saved") {
    const auto c = pv::computation([](auto x) { return pv::sum(pv::sq(x)); },
                                   pv::spec<double>({pv::any_size}));
    c(pv::ones({5}));
    c(pv::ones({3}));
    const auto any = there_and_back(c);
    CHECK(any.argument(0).shape == pv::Shape{pv::any_size});
    CHECK(any({pv::ones({3})})[0].as<double>().item() == 3);
    CHECK(any({pv::ones({5})})[0].as<double>().item() == 5);
    CHECK_THROWS_WITH(any({pv::ones({4})}),
                      "computation: it was saved with the programs for [3]; [5], and none for [4]");
    // One program is for its shapes alone, also after a call.
    const auto once =
        pv::computation([](auto x) { return x * 2.0; }, pv::spec<double>({pv::any_size}));
    once(pv::ones({5}));
    const auto one = pv::computation_from(pv::computation_bytes(once));
    CHECK(values(one({pv::ones({5})})[0].as<double>()) == Vector(5, 2));
    CHECK_THROWS_AS(one({pv::ones({3})}), pv::ShapeError);
    std::vector<std::thread> threads;
    std::vector<double> sums(4);
    for (std::size_t t = 0; t < sums.size(); ++t)
        threads.emplace_back(
            [&, t] { sums[t] = any({pv::ones({t % 2 == 0 ? 3 : 5})})[0].as<double>().item(); });
    for (std::thread& thread : threads) thread.join();
    CHECK(sums == Vector{3, 5, 3, 5});
}

TEST_CASE("functions of one's own are saved by their names") {
    static const auto clip = pv::register_function<double(double)>(
        "saved_test.clip", pv::with_derivative([](double v) { return v < 1 ? v : 1.0; },
                                               [](double v) { return v < 1 ? 1.0 : 0.0; }));
    CHECK(clip(3.0) == 1);
    const auto c =
        pv::computation([](auto x) { return pv::sum(pv::emap(clip, x)); }, pv::spec<double>({3}));
    const auto any = there_and_back(c);
    const auto x = pv::tensor({0.5, 2., -1.});
    CHECK(any({x})[0].as<double>().item() == 0.5);
    CHECK(values(pv::gradient(any.as<double(double)>())(x)) == Vector{1, 0, 1});
    CHECK_THROWS_WITH(
        pv::register_function<double(double)>("saved_test.clip", [](double v) { return v; }),
        "register_function: the name 'saved_test.clip' is taken");
    CHECK_THROWS_AS(pv::register_function<double(double)>("", [](double v) { return v; }),
                    pv::FormatError);
    const auto unnamed =
        pv::computation([](auto s) { return pv::sum(pv::emap([](double v) { return v + 1; }, s)); },
                        pv::spec<double>({3}));
    CHECK_THROWS_WITH(pv::computation_bytes(unnamed),
                      "computation_bytes: node 1 is a function given to emap, which has no name: "
                      "give it one by register_function");
    CHECK_THROWS_WITH(pv::computation_text(unnamed),
                      Catch::StartsWith("computation_text: node 1 is a function given to emap"));
    const temporary::Folder folder;
    const std::filesystem::path path = folder / "c";
    CHECK_THROWS_WITH(pv::save_computation(path, unnamed),
                      Catch::StartsWith("save_computation: node 1 is a function given to emap"));
    std::string text = pv::computation_text(c);
    text.replace(text.find("saved_test.clip"), 15, "saved_test.none");
    CHECK_THROWS_WITH(pv::computation_from(text),
                      "computation: node 1: the function 'saved_test.none' is not registered: "
                      "register_function it first");
    text.replace(text.find("saved_test.none"), 15, "saved_test.clip");
    text.replace(text.find("float64 [3] [%0]"), 7, "float32");
    CHECK_THROWS_AS(pv::computation_from(text), pv::FormatError);
}

TEST_CASE("what is not saved is refused by name") {
    const auto big = pv::ones({1000});
    const auto c = pv::computation([=](auto x) { return x + big; }, pv::spec<double>({1000}));
    CHECK_THROWS_WITH(pv::computation_bytes(c, {.largest_tensor = 100}),
                      Catch::EndsWith("has 8000 bytes of elements, and largest_tensor is 100"));
    const std::string bytes = pv::computation_bytes(c);
    CHECK_THROWS_AS(pv::computation_from("something else"), pv::FormatError);
    CHECK_THROWS_AS(pv::computation_from(""), pv::FormatError);
    std::string newer = bytes;
    newer[16] = 4;
    CHECK_THROWS_WITH(pv::computation_from(newer),
                      "computation: version 4 was saved; this library reads up to version 3");
    CHECK_THROWS_WITH(pv::computation_from("purview computation, version 7\n"),
                      "computation: version 7 was saved; this library reads up to version 3");
    CHECK_THROWS_AS(pv::computation_from(bytes + " "), pv::FormatError);
    for (std::size_t length = 0; length < bytes.size(); length += length < 200 ? 1 : 997)
        CHECK_THROWS_AS(pv::computation_from(std::string_view(bytes).substr(0, length)),
                        pv::FormatError);
}

TEST_CASE("malformed text is refused where it stands") {
    const auto refused = [](const std::string& lines) {
        CHECK_THROWS_AS(pv::computation_from("purview computation, version 1\n" + lines),
                        pv::FormatError);
    };
    const std::string head = "arguments [float64 [3]]\nnodes 2\n%0 = argument 0 float64 [3]\n";
    const std::string tail = "\nprograms [\nprogram [%0] [%1 [3]]\n]\n";
    CHECK_NOTHROW(pv::computation_from("purview computation, version 1\n" + head +
                                       "%1 = sin float64 [3] [%0]" + tail));
    refused(head + "%1 = sin float64 [3] [%1]" + tail);               // itself
    refused(head + "%1 = sin float64 [4] [%0]" + tail);               // another shape
    refused(head + "%1 = sin float32 [3] [%0]" + tail);               // another type
    refused(head + "%1 = sin float64 [3] [%0 %0]" + tail);            // too many operands
    refused(head + "%1 = sin float64 [3] []" + tail);                 // none
    refused(head + "%1 = sin float64 [3] [%0 as [3] by [2]]" + tail); // beyond
    refused(head + "%1 = sin float64 [3] [%0 as [3] at -1]" + tail);
    refused(head + "%1 = sine float64 [3] [%0]" + tail);
    refused(head + "%1 = sum 2 %0 [3]" + tail); // no equal parts
    refused(head + "%1 = sum -1 %0 [3]" + tail);
    refused(head + "%1 = cumsum 2 1 %0 [3]" + tail);
    refused(head + "%1 = cumsum 4611686018427387904 4 %0 [3]" + tail);
    refused(head + "%1 = tensor float64 4000000000000 1 2" + tail);
    refused(head + "%1 = tensor float64 3 1 2" + tail);
    refused(head + "%1 = tensor float64 3 1 2 x" + tail);
    refused(head + "%1 = tensor text 3 1 2 3" + tail);
    refused(head + "%1 = sparse float64 3 [2 1] 1 2 0" + tail); // not ascending
    refused(head + "%1 = sparse float64 3 [3] 1 0" + tail);
    refused(head + "%1 = gather \"take\" [3] [at 0] [%0 [3]]" + tail); // no index
    refused(head + "%1 = gather \"take\" [3] [along 1] [%0 [3]]" + tail);
    refused(head + "%1 = gather \"take\" [2] [along 0] [%0 [3]]" + tail);
    refused(head + "%1 = pieces \"concat\" [3] [[0] [1]] [%0 [2] %0 [2]]" + tail); // overlap
    refused(head + "%1 = pieces \"concat\" [6] [[0] [1]] [%0 [3] %0 [3]]" + tail);
    refused(head + "%1 = pieces \"concat\" [3] [[0]] [%0 [2]]" + tail);
    refused(head + "%1 = scatter 2 [3] [along 0] [%0 [3]]" + tail); // beyond its size
    refused(head + "%1 = sin float64 [3] [%0 as [3] with [period 2 5 0]]" + tail);
    refused(head + "%1 = sin float64 [3] [%0 as [3] with [list [0 1] 1 0]]" + tail);
    refused(head + "%1 = sin float64 [3] [%0 as [3] with [list [0 1 3] 1 0]]" + tail);
    refused(head + "%1 = sin float64 [3] [%0 as [3 9223372036854775807]]" + tail);
    refused(head + "%1 = argument 0 float64 [3]" + tail); // of no program
    refused(head + "%1 = variable w float64 [3]" + tail);
    refused(head + "%1 = constant \"w\" float64 [3]" + tail); // without a value
    refused("arguments [float64 [-2]]\nnodes 0\nprograms []\n");
    refused("arguments []\nnodes 99999999999\n");
    refused(head + "%1 = sin float64 [3] [%0]\nprograms []\n");
    refused(head + "%1 = sin float64 [3] [%0]\nprograms [program [%1] [%1 [3]]]\n");
    refused(head + "%1 = sin float64 [3] [%0]\nprograms [program [%0] []]\n");
    refused(head + "%1 = sin float64 [3] [%0]" + tail + "more");
    // A sum over 10^12 places of a list with one index: it would be looked at so often while loading.
    refused(head + "%1 = sum 1 %0 [1000000000000] with [list [0] 0 0]\n"
                   "programs [\nprogram [%0] [%1 []]\n]\n");
    refused(head + "%1 = sin float64 [3] [%0 as [3] with [period 3 -9223372036854775808 0]]" +
            tail);
    refused("arguments []\nnodes -1\nprograms []\n");
    refused("arguments [float64 [any]]\nnodes 2\n%0 = argument 0 float64 [3]\n%1 = argument 0 "
            "float64 [3]\nprograms [program [%0] [%0 [3]] program [%1] [%1 [3]]]\n"); // which one?
    refused(head + "%1 = max 3 %0 [6 2] by [0 1]\nprograms [\nprogram [%0] [%1 [3]]\n]\n");
    // Operations that the engine has none of.
    refused("arguments []\nnodes 2\n%0 = number complex128 1,2\n%1 = cast complex128 [] [%0]\n"
            "programs [program [] [%1 []]]\n");
    for (const std::string type : {"complex64 1,2", "float16 3c00", "bfloat16 3c00"})
        refused("arguments []\nnodes 3\n%0 = number " + type +
                "\n%1 = number bool true\n%2 = where " + type.substr(0, type.find(' ')) +
                " [] [%1 %0 %0]\nprograms [program [] [%2 []]]\n");
    // Lists and periods that are right.
    CHECK_NOTHROW(pv::computation_from("purview computation, version 1\n" + head +
                                       "%1 = sin float64 [3] [%0 as [3] with [list [0 1 2] -1 2]]" +
                                       tail));
    CHECK_NOTHROW(pv::computation_from("purview computation, version 1\n" + head +
                                       "%1 = sin float64 [3] [%0 as [3] with [period 3 1 2]]" +
                                       tail));
}

TEST_CASE("tensors of mapped files are saved by their places, and opened in a folder alone") {
    const temporary::Folder folder;
    const temporary::Folder elsewhere;
    const Vector numbers{0.5, 1.5, 2.5, 3.5};
    const auto bytes = std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                        numbers.size() * sizeof(double));
    std::filesystem::create_directory(folder / "data");
    temporary::write_file(folder / "data/numbers.bin", bytes);
    const auto table = pv::tensor(pv::mapped_const_buffer<double>(folder / "data/numbers.bin", 8));
    const auto c =
        pv::computation([=](auto x) { return pv::sum(x * table); }, pv::spec<double>({3}));
    const std::string text = pv::computation_text(c, {.places = std::string(folder / "")});
    CHECK_THAT(text, Catch::Contains("= mapped float64 3 \"data/numbers.bin\" 8\n"));
    const pv::LoadOptions here{.places = std::string(folder / "")};
    const auto loaded = pv::computation_from(text, here);
    CHECK(loaded({pv::ones({3})})[0].as<double>().item() == 7.5);
    CHECK(pv::computation_text(loaded, {.places = std::string(folder / "")}) == text);
    CHECK_THROWS_WITH(pv::computation_from(text), Catch::Contains("LoadOptions::places"));
    CHECK_THROWS_WITH(pv::computation_from(text, {.places = std::string(elsewhere / "")}),
                      Catch::Contains("is no file in the folder"));
    // Of a file elsewhere, or without a folder, the elements are saved.
    CHECK_THAT(pv::computation_text(c, {.places = std::string(elsewhere / "")}),
               Catch::Contains("= tensor float64 3 1.5 2.5 3.5"));
    CHECK_THAT(pv::computation_text(c), Catch::Contains("= tensor float64 3 1.5 2.5 3.5"));
    // Nothing leads out of the folder.
    temporary::write_file(elsewhere / "secret", bytes);
    std::filesystem::create_symlink(elsewhere / "secret", folder / "link");
    std::filesystem::create_directory_symlink(elsewhere / "", folder / "door");
    const auto with_path = [&](const std::string& path) {
        std::string other = text;
        other.replace(other.find("data/numbers.bin"), 16, path);
        return other;
    };
    for (const std::string& path :
         {std::string("link"), std::string("door/secret"), std::string("../secret"),
          std::string("data/../link"), elsewhere / "secret", std::string("data"),
          std::string("none"), std::string("")})
        CHECK_THROWS_AS(pv::computation_from(with_path(path), here), pv::FormatError);
    CHECK_NOTHROW(pv::computation_from(with_path("data/numbers.bin"), here));
    std::string beyond = text;
    beyond.replace(beyond.find("numbers.bin\" 8") + 13, 1, "16");
    CHECK_THROWS_AS(pv::computation_from(beyond, here), pv::FormatError);
}

TEST_CASE("files are written whole, and errors name them") {
    const temporary::Folder folder;
    const auto c = pv::computation([](auto x) { return pv::sum(x * 2.0); }, pv::spec<double>({3}));
    const std::filesystem::path path = folder / "c.purview";
    pv::save_computation(path, c);
    CHECK(pv::load_computation(path)({pv::ones({3})})[0].as<double>().item() == 6);
    CHECK(folder.file_count() == 1);
    CHECK_THROWS_WITH(pv::load_computation(folder / "none"), Catch::Contains("none"));
    CHECK_THROWS_WITH(pv::save_computation(folder / "no/c", c), Catch::Contains("no/c"));
    std::ofstream(path) << "text";
    CHECK_THROWS_WITH(pv::load_computation(path), Catch::Contains("c.purview"));
}

} // namespace saved_test
