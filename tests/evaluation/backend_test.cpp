#include <purview/evaluation/backend.hpp>

#include <support/catch.hpp>
#include <support/loops_backend.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <purview/purview.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

// Work goes to the backend on which its sources lie, and results lie there too.

namespace backend_test {

namespace {

namespace pv = purview;
using oracle::Random;
using pv::index_t;
using pv::Operand;

template <typename T>
pv::MutableTensor<T> numbers(Random& random, const pv::Shape& shape) {
    auto x = pv::empty<T>(shape);
    for (auto&& each : x) each = static_cast<T>(random.between(-8, 9));
    return x;
}

template <typename T>
pv::Tensor<T> away(const pv::Tensor<T>& x) {
    return pv::Tensor<T>(oracle::elsewhere(x.operand()));
}

bool is_away(const Operand& x) { return pv::leaf_of(x)->reader().backend() != nullptr; }

/// Of another place than the loops.
class Nowhere final : public pv::Backend {
public:
    std::string_view name() const noexcept override { return "nowhere"; }
    Operand results_like(std::span<const Operand>, pv::DType, pv::ShapeSpan) const override {
        throw pv::Error("nowhere has no memory");
    }
    bool takes(const pv::Work&) const override { return false; }
    void run(const pv::Work&) const override {}
    std::string describe(const pv::Work&) const override { return ""; }
};
class NowhereReader final : public pv::Reader<double> {
public:
    index_t size() const override { return 4; }
    double read(index_t i) const override { return static_cast<double>(i); }
    const pv::Backend* backend() const noexcept override {
        static const Nowhere backend;
        return &backend;
    }
};

} // namespace

TEST_CASE("work is a value") {
    using namespace pv::work;
    CHECK(pv::Verb(Fold{pv::Reduction::sum, 3}) == pv::Verb(Fold{pv::Reduction::sum, 3}));
    CHECK(pv::Verb(Fold{pv::Reduction::sum, 3}) != pv::Verb(Fold{pv::Reduction::sum, 4}));
    CHECK(pv::Verb(Scan{pv::Reduction::sum, 3}) != pv::Verb(Sort{pv::descending, 3}));
}

TEST_CASE("the CPU does each verb as a backend") {
    const auto x = pv::tensor<double>({{3, 1, 2}, {6, 5, 4}});
    const std::array sources{x.operand()};
    const auto done = [&](const pv::Verb& verb, pv::DType dtype, const pv::Shape& shape) {
        const Operand results = pv::cpu().results_like(sources, dtype, shape);
        const pv::Work work{verb, sources, results};
        CHECK(pv::cpu().takes(work));
        CHECK(pv::cpu().describe(work).find("way: ") != std::string::npos);
        pv::cpu().run(work);
        return pv::AnyTensor(results);
    };
    CHECK(pv::to_vector(done(pv::work::Assign{}, pv::float64, {2, 3}).as<double>()) ==
          std::vector<double>{3, 1, 2, 6, 5, 4});
    CHECK(
        pv::to_vector(done(pv::work::Fold{pv::Reduction::sum, 2}, pv::float64, {2}).as<double>()) ==
        std::vector<double>{6, 15});
    CHECK(pv::to_vector(
              done(pv::work::Fold{pv::Reduction::sum, 2, true}, pv::float64, {2}).as<double>()) ==
          std::vector<double>{2, 5});
    CHECK(
        pv::to_vector(done(pv::work::Scan{pv::Reduction::sum, 3}, pv::float64, {6}).as<double>()) ==
        std::vector<double>{3, 4, 6, 6, 11, 15});
    CHECK(pv::to_vector(done(pv::work::Sort{pv::ascending, 2}, pv::float64, {6}).as<double>()) ==
          std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(pv::to_vector(
              done(pv::work::Sort{pv::ascending, 2, true}, pv::int64, {6}).as<std::int64_t>()) ==
          std::vector<std::int64_t>{1, 2, 0, 2, 1, 0});
    const auto y = pv::ones({2, 3});
    pv::cpu().run({pv::work::Scatter{pv::ScatterKind::add}, sources, y.operand()});
    CHECK(pv::to_vector(y) == std::vector<double>{4, 2, 3, 7, 6, 5});
}

TEMPLATE_TEST_CASE("nested loops give what the CPU gives", "", float, double, std::int32_t,
                   std::int64_t, std::uint8_t) {
    using T = TestType;
    Random random(7);
    const int before = oracle::loops_done();
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(1, 7), m = random.between(1, 9);
        const auto x = numbers<T>(random, {n, m});
        const auto y = numbers<T>(random, {m});
        const auto rows =
            random.one_in(2) ? std::vector<index_t>{0, n - 1, 0} : std::vector<index_t>{n - 1};
        const auto results = [&] {
            const pv::Tensor<T> z = pv::concat({x * y, pv::take(x, rows, 0)}, 0);
            std::vector<std::vector<double>> all;
            const auto add = [&](const auto& result) {
                std::vector<double>& values = all.emplace_back();
                for (const auto value : pv::to_vector(result))
                    values.push_back(static_cast<double>(value));
            };
            add(pv::clone(z + x(0, pv::all)));
            add(pv::sum(z, 0));
            add(pv::max(pv::transpose(z), 1));
            add(pv::cumsum(z, 1));
            add(pv::cumsum(z, 0));
            add(pv::sort(z, 1));
            add(pv::argsort(z, 0, pv::descending));
            const auto to = pv::clone(pv::zeros<T>({n, m}));
            pv::add_to(pv::take(to, rows, 0), pv::take(x, rows, 0));
            add(to);
            return all;
        };
        const auto by_cpu = results();
        const oracle::OnLoops loops;
        const auto by_loops = results();
        for (std::size_t i = 0; i < by_cpu.size(); ++i) {
            INFO("result " << i);
            CHECK(by_loops[i] == by_cpu[i]); // small integers: exact in any order
        }
    }
    CHECK(oracle::loops_done() > before);
}

TEST_CASE("results lie where their sources lie") {
    Random random(8);
    const auto here = numbers<double>(random, {4, 5});
    const auto x = away<double>(here);
    const int before = oracle::loops_done();
    const auto check = [&](const auto& result, const auto& expected) {
        CHECK(is_away(result.operand()));
        CHECK(pv::to_vector(result) == pv::to_vector(expected));
    };
    check(pv::clone(x * 2.0), pv::clone(here * 2.0));
    check(pv::sum(x, 0), pv::sum(here, 0));
    check(pv::mean(x, 1), pv::mean(here, 1));
    check(pv::max(x, 1), pv::max(here, 1));
    check(pv::cumsum(x, 1), pv::cumsum(here, 1));
    check(pv::sort(x, 1), pv::sort(here, 1));
    check(pv::argsort(x, 1), pv::argsort(here, 1));
    CHECK(oracle::loops_done() >= before + 7);
    // A number is of this process.
    CHECK(pv::sum(x) == pv::sum(here));
    // What lies here is read by every backend.
    check(pv::sum(x * here, 1), pv::sum(here * here, 1));
    // Copied to memory, it lies here.
    const auto copied = pv::empty<double>({4, 5});
    pv::copy(x, copied);
    CHECK(pv::to_vector(copied) == pv::to_vector(here));
    // What the backend does not take, the CPU does; results are brought to where sources lie.
    const auto large = pv::clone(pv::reshape(pv::arange<double>(6000), {3, 2000}));
    const auto far = away<double>(large);
    check(pv::sum(far, 0), pv::sum(large, 0));
    check(pv::sort(far, 1), large);
    // Nor what it has no verb for.
    CHECK(pv::argmax(x) == pv::argmax(here));
    CHECK(pv::variance(x) == pv::variance(here));
}

TEST_CASE("explain tells another backend's way") {
    const auto x = away<double>(pv::ones({2, 3}));
    CHECK(pv::explain(pv::sum, x, 1).find("way: nested loops over 6 elements") !=
          std::string::npos);
    CHECK(pv::explain(x + 1.0).find("way: nested loops over 6 elements") != std::string::npos);
    CHECK(pv::explain(pv::sum, pv::ones({2, 3}), 1).find("nested loops") == std::string::npos);
    // What is none of its verbs is the CPU's.
    const std::string by_cpu =
        "by the CPU, which reads what lies on 'loops'; results are brought back";
    CHECK(pv::explain(pv::variance, x, 1).find(by_cpu) != std::string::npos);
    CHECK(pv::explain(pv::sum, x, 1).find(by_cpu) == std::string::npos);
}

TEST_CASE("sources on two backends are refused before anything is computed") {
    const auto x = away<double>(pv::ones({4}));
    const pv::Tensor<double> y(Operand{pv::make_node<pv::Leaf>(std::make_shared<NowhereReader>()),
                                       pv::Dimensions::row_major(pv::Shape{4})});
    CHECK_THROWS_WITH(pv::clone(x + y),
                      Catch::Matchers::ContainsSubstring("lie on loops and on nowhere") ||
                          Catch::Matchers::ContainsSubstring("lie on nowhere and on loops"));
    CHECK(pv::sum(y) == 6);
    // Copied from the one to the other, they are read and written.
    const pv::MutableTensor<double> to(oracle::elsewhere(pv::zeros({4}).operand()));
    pv::copy(y, to);
    CHECK(pv::to_vector(to) == std::vector<double>{0, 1, 2, 3});
    CHECK(pv::explain_assignment(y.operand(), to.operand()).find("way: ") != std::string::npos);
}

TEST_CASE("readers made of another lie where that lies") {
    const auto far = std::make_shared<NowhereReader>();
    const auto near = pv::const_reader(1.0, 4);
    const pv::Backend* const nowhere = far->backend();
    const auto backend = [](const auto& reader) { return reader->backend(); };
    REQUIRE(nowhere != nullptr);
    CHECK(backend(pv::reverse(far)) == nowhere);
    CHECK(backend(pv::sub_buffer(far, 1, 2)) == nowhere);
    CHECK(backend(pv::reverse(pv::sub_buffer(far, 1, 2))) == nowhere);
    CHECK(backend(pv::indexed_buffer({3, 0}, far)) == nowhere);
    CHECK(backend(pv::elemwise_cast<float>(far)) == nowhere);
    CHECK(backend(pv::unchecked_elemwise_cast<std::int8_t>(far)) == nowhere);
    CHECK(backend(pv::concat_buffers(far, near)) == nowhere);
    CHECK(backend(pv::concat_buffers(near, pv::reverse(far))) == nowhere);
    CHECK(backend(pv::canonical_reader(pv::elemwise_cast<long long>(far))) == nowhere);
    CHECK(backend(pv::reverse(near)) == nullptr);
    CHECK(backend(pv::elemwise_cast<float>(near)) == nullptr);
    CHECK(backend(pv::concat_buffers(near, near)) == nullptr);

    const auto away_tensor = pv::tensor(far);
    CHECK(backend(pv::as_reader(away_tensor)) == nowhere);
    CHECK(backend(pv::as_reader(away_tensor * 2 + pv::ones({4}))) == nowhere);
    CHECK(backend(pv::as_reader(pv::ones({4}) * 2)) == nullptr);

    // Of two places: no one's, and read as they are.
    const pv::Tensor<double> loops = away(pv::tensor({5.0, 6.0, 7.0, 8.0}));
    const auto of_loops = pv::as_reader(loops);
    CHECK(backend(of_loops) == &oracle::loops_backend());
    const auto both = pv::concat_buffers(far, of_loops);
    CHECK(both->backend() == nullptr);
    CHECK(both->read(1) == 1);
    CHECK(both->read(6) == 7);
}

TEMPLATE_TEST_CASE("results of views of readers lie where the elements lie", "", float,
                   std::int32_t) {
    using T = TestType;
    Random random(31);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const index_t n = random.between(2, 12);
        const auto here = numbers<T>(random, {n});
        const auto source = pv::as_reader(away<T>(here));
        const index_t begin = random.between(0, n - 1);
        const std::vector<index_t> places{n - 1, 0, begin};
        const auto check = [&](const auto& reader, const auto& expected) {
            using R = typename std::decay_t<decltype(*reader)>::value_type;
            const pv::Tensor<R> x = pv::tensor(reader);
            const int before = oracle::loops_done();
            const pv::Tensor<R> doubled = pv::clone(x + x);
            CHECK(oracle::loops_done() > before);
            CHECK(pv::to_vector(doubled) == pv::to_vector(pv::clone(expected + expected)));
            CHECK(is_away(pv::sum(x, 0).operand()));
            CHECK(pv::to_vector(pv::sum(x, 0)) == pv::to_vector(pv::sum(pv::clone(expected), 0)));
        };
        check(pv::reverse(source), pv::flip(here, 0));
        check(pv::sub_buffer(source, begin, n - begin), here(pv::range(begin, n)));
        check(pv::elemwise_cast<double>(source), pv::cast<double>(here));
        check(pv::indexed_buffer(places, source), pv::take(here, places, 0));
        check(pv::concat_buffers(source, pv::reverse(source)),
              pv::concat({here, pv::flip(here, 0)}, 0));
    }
}

} // namespace backend_test
