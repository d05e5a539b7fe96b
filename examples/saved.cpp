/// Computations that are saved and loaded, as docs/saved.md tells it. Called as `saved run FILE` it is the program that runs
/// what the other one, itself without arguments, has saved.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

namespace pv = purview;

/// The second program: knows nothing of the model but its types.
int run(const char* path) {
    // [run]
    auto model = pv::load_computation(path).as<pv::MutableTensor<double>(double)>();
    auto answers = model(pv::tensor({{0., 0.}, {1., 0.}, {0., 2.}}));
    std::cout << answers << '\n';
    // [/run]
    check(pv::equals(answers, pv::tensor({0.5, 2.5, -1.5})),
          "the model gives what it was fitted to");
    return exit_status();
}

void two_programs(const std::string& own_path) {
    // [save]
    auto w = pv::variable(pv::zeros({2}), "w");
    auto b = pv::variable(0.0, "b");
    auto model =
        pv::computation([=](auto x) { return pv::matmul(x, w) + b; }, pv::spec<double>({3, 2}));
    w.update(pv::tensor({2., -1.})); // fitted, say
    b.update(0.5);
    pv::save_computation("model.purview", model);
    // [/save]
    std::cout.flush();
    const std::string command = "'" + own_path + "' run model.purview";
    check(std::system(command.c_str()) == 0, "another program runs it");
}

void types() {
    const auto c = pv::computation([](auto x, auto y) { return std::tuple(pv::sum(x * y), x + y); },
                                   pv::spec<double>({3}), pv::spec<double>({3}));
    const std::string bytes = pv::computation_bytes(c);
    auto x = pv::tensor({1., 2., 3.}), y = pv::tensor({1., 0., 1.});
    // [any]
    pv::AnyComputation any = pv::computation_from(bytes);
    auto typed = any.as<std::tuple<double, pv::MutableTensor<double>>(double, double)>();
    auto [product, sum] = typed(x, y);                // as the original
    std::vector<pv::AnyTensor> outputs = any({x, y}); // types known at run time
    for (std::size_t i = 0; i < any.argument_count(); ++i)
        std::cout << any.argument(i).dtype << pv::to_string(any.argument(i).shape) << '\n';
    std::cout << any; // the graph and its stages
    // [/any]
    check(product == 4 && pv::equals(sum, x + y), "typed");
    check(outputs[0].as<double>().item() == 4, "any");
    // [wrong]
    auto refusal = [&] { return any.as<pv::MutableTensor<double>(double, float)>(); };
    // refusal() throws a DtypeError: "as: argument 1 is of type float64, not float32"
    // [/wrong]
    check_throws<pv::DtypeError>(refusal, "as: argument 1 is of type float64, not float32");
    // [gradient]
    auto loss = pv::computation([](auto s) { return pv::sum(pv::sq(s)); }, pv::spec<double>({3}));
    auto slope = pv::computation_from(pv::computation_bytes(pv::gradient(loss)));
    auto again =
        pv::gradient(pv::computation_from(pv::computation_bytes(loss)).as<double(double)>());
    // [/gradient]
    check(pv::equals(slope({x})[0].as<double>(), 2 * x), "a gradient that was saved");
    check(pv::equals(again(x), 2 * x), "the gradient of what was loaded");
}

void variables() {
    auto x = pv::tensor({1., 1.});
    // [variables]
    auto w = pv::variable(pv::tensor({1., 2.}), "w");
    auto steps = pv::persistent(0.0, "steps");
    auto c = pv::computation([=](auto s) { return pv::sum(s * w) + steps; }, pv::spec<double>({2}));
    auto full = pv::computation_from(pv::computation_bytes(c));
    full.symbol("w").update(pv::tensor({3., 4.})); // its own: those of c stay as they are
    for (const pv::AnySymbol& variable : full.variables()) std::cout << variable.name() << '\n';

    auto bare = pv::computation_from(pv::computation_bytes(c, {.values = false}));
    // bare({x}) throws a SymbolError here
    bare.symbol("w").update(pv::tensor({5., 6.}));
    bare.symbol("steps").update(pv::full({}, 1.0));
    // [/variables]
    check(full.as<double(double)>()(x) == 7 && c(x) == 3, "updated");
    check(bare.as<double(double)>()(x) == 12, "without values, then with");
    auto empty = pv::computation_from(pv::computation_bytes(c, {.values = false}));
    check_throws<pv::SymbolError>(
        [&] { empty({x}); },
        "computation: the variable 'w' has no value: update it before the call");
}

void functions() {
    auto x = pv::tensor({0.5, 2., -1.});
    // [functions]
    static const auto one_below = pv::register_function<double(double)>(
        "my.one_below", [](double v) { return v < 1 ? 1.0 : 0.0; });
    static const auto clip = pv::register_function<double(double)>(
        "my.clip", pv::with_derivative([](double v) { return v < 1 ? v : 1.0; }, one_below));
    auto c =
        pv::computation([](auto s) { return pv::sum(pv::emap(clip, s)); }, pv::spec<double>({3}));
    const std::string bytes = pv::computation_bytes(pv::value_and_gradient(c));
    // [/functions]
    auto outputs = pv::computation_from(bytes)({x});
    check(outputs[0].as<double>().item() == 0.5, "a function of one's own");
    check(pv::equals(outputs[1].as<double>(), pv::tensor({1., 0., 1.})), "and its derivative");
    auto unnamed = pv::computation(
        [](auto s) { return pv::emap([](double v) { return v + 1; }, s); }, pv::spec<double>({3}));
    check_throws<pv::FormatError>([&] { pv::computation_bytes(unnamed); },
                                  "give it one by register_function");
}

void any_size() {
    // [any_size]
    auto c = pv::computation([](auto x) { return pv::mean(x); }, pv::spec<double>({pv::any_size}));
    c(pv::ones({5})); // traced for 5 elements
    c(pv::ones({3}));
    auto any = pv::computation_from(pv::computation_bytes(c));
    auto mean = any({pv::ones({3})})[0].as<double>().item();
    // any({pv::ones({4})}) throws a ShapeError that lists [3] and [5]
    // [/any_size]
    check(mean == 1, "of any size");
    check_throws<pv::ShapeError>([&] { any({pv::ones({4})}); }, "[3]; [5]");
}

void text() {
    Printed printed;
    // [text]
    auto c =
        pv::computation([](auto x) { return pv::sum(pv::sq(x - 0.1)); }, pv::spec<double>({3}));
    const std::string text = pv::computation_text(c);
    std::cout << text;
    // [/text]
    printed.equals(R"(
purview computation, version 1
arguments [float64 [3]]
nodes 5
%0 = argument 0 float64 [3]
%1 = number float64 0.1
%2 = subtract float64 [3] [%0 %1]
%3 = sq float64 [3] [%2]
%4 = sum 1 %3 [3]
programs [
program [%0] [%4 []]
]
)");
    std::ofstream("model.txt") << text;
    // [edit]
    std::string edited = text;
    edited.replace(edited.find("0.1"), 3, "0.5"); // in any editor
    auto other = pv::computation_from(edited).as<double(double)>();
    // [/edit]
    check(other(pv::tensor({0.5, 0.5, 1.5})) == 1, "edited text");
    check(pv::load_computation("model.txt").argument_count() == 1, "text in a file");
    check_throws<pv::FormatError>(
        [&] {
            edited.replace(edited.find("[%2]"), 4, "[%7]");
            pv::computation_from(edited);
        },
        "computation: node 3: node 7 does not come before its user");
}

void refused() {
    // [refused]
    auto table = pv::clone(pv::zeros({1000, 1000}));
    auto c =
        pv::computation([=](auto x) { return pv::sum(x * table); }, pv::spec<double>({1000, 1000}));
    pv::SaveOptions options;
    options.largest_tensor = 1 << 20; // bytes; 64 MiB if nothing is said
    // pv::computation_bytes(c, options) throws a FormatError naming the node and 8000000 bytes
    // [/refused]
    check_throws<pv::FormatError>([&] { pv::computation_bytes(c, options); },
                                  "8000000 bytes of elements, and largest_tensor is 1048576");
    check(pv::computation_bytes(c).size() > 8'000'000, "within 64 MiB");
}

int main(int count, char** arguments) {
    if (count == 3 && std::string(arguments[1]) == "run") return run(arguments[2]);
    const std::string own_path = std::filesystem::canonical("/proc/self/exe").string();
    // Its files are in a folder of their own, which is gone at the end.
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("purview-saved-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::filesystem::current_path(folder);
    two_programs(own_path);
    types();
    variables();
    functions();
    any_size();
    text();
    refused();
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder);
    return exit_status();
}
