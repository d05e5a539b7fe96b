/// Values and gradients, traced and compiled before; the values alone; what making and saving them takes.

#include "models.hpp"

namespace {

using namespace bench;

/// The value, and its gradient by the arguments that `chosen` takes from all of them.
template <typename Model, typename Chosen>
void add_gradient(const char* name, const char* dtype, const Model& model, Chosen chosen) {
    add_model(std::string("forward_") + name, dtype, model,
              [=](const auto&... x) { return model.loss(x...); });
    add_model(std::string("gradient_") + name, dtype, model, [=](const auto&... x) {
        const auto loss = model.loss(x...);
        return std::tuple_cat(std::tuple(loss), chosen(loss, x...));
    });
}

void add_gradients() {
    for (const pv::index_t n : {1'000, 10'000'000})
        add_gradient("chain", "float64", Chain{n}, [](const auto& loss, const auto& x) {
            return std::tuple(pv::gradient(loss, x));
        });
    for (const pv::index_t n : {1'000, 100'000})
        add_gradient("logistic", "float64", Logistic{n},
                     [](const auto& loss, const auto&, const auto&, const auto& w) {
                         return std::tuple(pv::gradient(loss, w));
                     });
    add_gradient("layers", "float32", Layers{},
                 [](const auto& loss, const auto&, const auto&, const auto& w1, const auto& w2) {
                     return pv::gradient(loss, w1, w2);
                 });
    add_gradient("heat", "float64", Heat{}, [](const auto& loss, const auto&, const auto& k) {
        return std::tuple(pv::gradient(loss, k));
    });
    add_gradient("heat_iterate", "float64", IteratedHeat{},
                 [](const auto& loss, const auto&, const auto& k) {
                     return std::tuple(pv::gradient(loss, k));
                 });
    add_gradient("iterate", "float64", IteratedHeat{kLongRingSteps},
                 [](const auto& loss, const auto& start, const auto& k) {
                     return pv::gradient(loss, start, k);
                 });
    add_gradient("lstm", "float32", Lstm{},
                 [](const auto& loss, const auto&, const auto& of_input, const auto& of_seen,
                    const auto& b) { return pv::gradient(loss, of_input, of_seen, b); });
    add_gradient("embedding", "float32", Embedding{},
                 [](const auto& loss, const auto& table, const auto&, const auto&) {
                     return std::tuple(pv::gradient(loss, table));
                 });
    add("gradient_sum/10000000/float64", [] {
        const auto x = random_tensor({10'000'000}, 1);
        const auto slope = pv::gradient(
            pv::computation([](auto a) { return pv::sum(a); }, pv::spec<double>({10'000'000})));
        return made([=] { return slope(x); });
    });
    const Fit fit;
    add_model("forward_fit", "float64", fit,
              [=](const auto& x, const auto& p) { return fit.values(x, p); });
    add_model("jacobian_fit", "float64", fit, [=](const auto& x, const auto& p) {
        const auto y = fit.values(x, p);
        return std::tuple(y, pv::jacobian(y, p));
    });
}

/// The sum of a chain of so many operations, three in each link.
auto long_chain(pv::index_t nodes) {
    return pv::computation(
        [=](auto x) {
            auto y = x * 0.5;
            for (pv::index_t i = 1; i < nodes / 3; ++i) y = pv::sin(y) * 0.5 + x;
            return pv::sum(y);
        },
        pv::spec<double>({8}));
}

void add_making_and_saving() {
    for (const pv::index_t nodes : {1'000, 10'000})
        add(case_name("gradient_made", std::to_string(nodes) + "_nodes", "float64"), [=] {
            const auto x = random_tensor({8}, 1);
            return made([=] { return pv::gradient(long_chain(nodes))(x); });
        });
    add("computation_saved/1000_nodes/float64", [] {
        const auto c = long_chain(1'000);
        return Task{[=] { return pv::computation_bytes(c); },
                    [=] { return Summary{double(c(random_tensor({8}, 1)))}; }};
    });
    add("computation_loaded/1000_nodes/float64", [] {
        const std::string bytes = pv::computation_bytes(long_chain(1'000));
        return Task{[=] { return pv::computation_from(bytes); },
                    [=] {
                        const auto c = pv::computation_from(bytes).as<double(double)>();
                        return Summary{double(c(random_tensor({8}, 1)))};
                    }};
    });
}

const Cases gradients([] {
    add_gradients();
    add_making_and_saving();
});

} // namespace
