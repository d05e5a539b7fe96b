#include "engine/ways/way.hpp"

#include <support/catch.hpp>
#include <support/own_reducers.hpp>

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/purview.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What `explain` says of a call is what the call does: asked of the call itself, which counts its ways in builds with
// assertions.

namespace explained_ways_test {

namespace {

namespace pv = purview;
using pv::all;
using pv::index_t;
using pv::engine::Way;

pv::MutableTensor<double> numbers(const pv::Shape& shape) {
    auto x = pv::empty<double>(shape);
    index_t i = 0;
    for (auto&& each : x) each = static_cast<double>((i++ * 7919) % 1009 - 500);
    return x;
}

/// Elements of a writer that reveals no memory.
class Written final : public pv::ReadWriter<double> {
public:
    explicit Written(index_t size) : elements_(static_cast<std::size_t>(size)) {}
    index_t size() const override { return std::ssize(elements_); }
    double read(index_t i) const override { return elements_[static_cast<std::size_t>(i)]; }
    using pv::Writer<double>::write;
    void write(index_t i, const double& value) override {
        elements_[static_cast<std::size_t>(i)] = value;
    }

private:
    std::vector<double> elements_;
};

/// A call, what explain says of it, words of that text, and the way that they mean.
struct Call {
    std::string name;
    std::function<void()> run;
    std::string text;
    const char* words;
    Way way;
};

template <typename F, typename X, typename... A>
Call reduction(const char* name, const F& f, const X& x, const char* words, Way way,
               const A&... axes) {
    return {name, [=] { f(x, axes...); }, pv::explain(f, x, axes...), words, way};
}

Call assignment(const char* name, const pv::Operand& source, const pv::Operand& to,
                const char* words, Way way) {
    return {name, [=] { pv::assign(source, to); }, pv::explain_assignment(source, to), words, way};
}

std::vector<Call> calls() {
    const auto x = numbers({60, 1000});
    const auto line = numbers({5000});
    const auto cube = numbers({20, 30, 500});
    const auto narrow = numbers({30000, 3});
    const auto a = numbers({80, 90});
    const auto b = numbers({90, 70});
    const auto small = numbers({4, 5});
    std::vector<index_t> rows;
    for (index_t i = 0; i < 240; ++i) rows.push_back((i * 37) % 60);
    const pv::Tensor<double> bags =
        pv::transpose(pv::reshape(pv::take(numbers({60, 16}), rows, 0), {60, 4, 16}), {0, 2, 1});
    const pv::Tensor<double> windows = line | pv::sliding_window(0, 7);
    const pv::Tensor<double> boxes = pv::reshape(numbers({240, 320}), {60, 4, 80, 4});
    const pv::Tensor<double> outer = a(pv::range(0, 40), pv::new_axis, pv::range(0, 8)) -
                                     b(pv::range(0, 72), pv::range(0, 8))(pv::new_axis, all, all);
    const auto z = pv::clone(pv::cast<std::complex<double>>(x));
    const auto s = pv::sparse_tensor<double>({100, 100}, {3, 700, 5000}, {1, 2, 3});
    const auto to = pv::zeros({60, 1000});
    const auto wide = pv::zeros({60, 2000});
    const auto strided = wide(all, pv::range(0, 2000, 2));
    const auto words = pv::full<std::string>({10}, "a");
    const auto more_words = pv::full<std::string>({10}, "b");
    const auto written = std::make_shared<Written>(60000);
    const pv::Operand writer =
        pv::operand_over(written, pv::Dimensions::row_major(pv::Shape{60, 1000}));
    const auto large = numbers({400, 400});
    const pv::Tensor<double> rotated = pv::roll(large, 7, 1);
    const auto sums = pv::zeros({60});

    std::vector<Call> list;
    const auto add = [&](Call call) { list.push_back(std::move(call)); };
    add(reduction("sum of a line", pv::sum, line, "fused loop", Way::flat));
    add(reduction("sum of squares", pv::sum, line * line, "fused loop", Way::flat));
    add(reduction("max of a line", pv::max, line, "fused loop", Way::flat));
    add(reduction("sum over the last axis", pv::sum, x, "fused loop, one result after the other",
                  Way::groups, 1));
    add(reduction("mean over the last axis", pv::mean, x, "fused loop, one result after the other",
                  Way::groups, 1));
    add(reduction("sum over the first axis", pv::sum, x, "rows folded into rows", Way::rows, 0));
    add(reduction("mean over the first axis", pv::mean, x, "rows folded into rows", Way::rows, 0));
    add(reduction("max over the first axis", pv::max, x, "rows folded into rows", Way::rows, 0));
    add(reduction("sum over a middle axis", pv::sum, cube, "rows folded into rows", Way::rows, 1));
    add(reduction("product over the first", pv::product, cube, "rows folded into rows", Way::rows,
                  0));
    add(reduction("sum of three columns", pv::sum, narrow, "way: ", Way::rows, 0));
    add(reduction("sum of rows of three", pv::sum, narrow, "cells are folded", Way::cells, 1));
    add(reduction("min of rows of three", pv::min, narrow, "cells are folded", Way::cells, 1));
    add(reduction("max of windows", pv::max, windows, "of a window in one", Way::windows, 1));
    add(reduction("sum of an outer difference", pv::sum, outer, "way: ", Way::last_axis, 2));
    add(reduction("sum of embedding bags", pv::sum, bags, "as they are gathered",
                  Way::gathered_rows, 2));
    add({"sum of boxes of 4 × 4",
         [=] {
             pv::sum(boxes, {1, 3});
         },
         pv::explain(pv::sum, boxes, {1, 3}), "along outer axes", Way::outer_axes});
    add(reduction("product of matrices", pv::sum,
                  a(all, pv::new_axis, all) * pv::transpose(b)(pv::new_axis, all, all), "way: gemm",
                  Way::product, 2));
    add(reduction("a dot product", pv::sum, line * pv::flip(line, 0), "fused loop: a dot product",
                  Way::groups));
    add(reduction("sum of sparse rows", pv::sum, s, "way: sparse", Way::stored, 1));
    add(reduction("any", pv::any_of, line > 0.0, "fused loop", Way::flat));
    add({"matmul", [=] { pv::matmul(a, b); }, pv::explain(pv::matmul, a, b), "way: gemm",
         Way::product});
    add({"sum of complex numbers",
         [=] {
             std::complex<double> out;
             pv::reduce_groups(pv::Reduction::sum, z.operand(), 1, &out);
         },
         pv::explain_reduction("sum", pv::Reduction::sum, z.operand(), 1), "complex numbers",
         Way::complex});
    add({"mean of three", [=] { pv::mean(small); }, pv::explain(pv::mean, small), "fused loop",
         Way::flat});

    add(assignment("a copy", x.operand(), to.operand(), "copied in runs", Way::copied));
    add(assignment("a transposed copy", pv::transpose(a).operand(), pv::zeros({90, 80}).operand(),
                   "copied in transposed tiles", Way::copied));
    add(assignment("to every other column", x.operand(), strided.operand(), "copied", Way::copied));
    add(assignment("a rotated copy", rotated.operand(), pv::zeros({400, 400}).operand(),
                   "cut where an axis wraps round", Way::copied));
    add(assignment("a sum in order", (line + line).operand(), pv::zeros({5000}).operand(),
                   "computed where it goes", Way::elementwise));
    add(assignment("three numbers", (small + small).operand(), pv::zeros({4, 5}).operand(),
                   "computed where it goes", Way::elementwise));
    add(assignment("a sum of views", (a + pv::transpose(pv::zeros({90, 80}))).operand(),
                   pv::zeros({80, 90}).operand(), "computed where it goes", Way::computed));
    add(assignment("a sum to every other column", (x + 1.0).operand(), strided.operand(), "stored",
                   Way::computed));
    add(assignment("a sum of rotated arrays", (rotated + large).operand(),
                   pv::zeros({400, 400}).operand(), "boxes, in which no axis wraps", Way::boxes));
    add(assignment("to what is read", pv::flip(to + 1.0, 1).operand(), to.operand(),
                   "source and destination overlap", Way::temporary));
    add(assignment("words", words.operand(), more_words.operand(), "one element after the other",
                   Way::in_order));
    add(assignment("to a writer", (x + 1.0).operand(), writer, "the destination's writer stores",
                   Way::written));
    add(assignment("a sparse matrix", (s * 2.0).operand(), pv::zeros({100, 100}).operand(),
                   "way: sparse", Way::stored));

    add({"cumsum along the last axis", [=] { pv::cumsum(x, 1); }, pv::explain(pv::cumsum, x, 1),
         "60 lanes of 1000 elements", Way::lanes});
    add({"cumsum along the first axis", [=] { pv::cumsum(x, 0); }, pv::explain(pv::cumsum, x, 0),
         "rows of 1000 elements combined", Way::columns});
    add({"cummax of a line", [=] { pv::cummax(line); }, pv::explain(pv::cummax, line),
         "1 lanes of 5000", Way::lanes});
    add({"sort of a line", [=] { pv::sort(line); }, pv::explain(pv::sort, line), "by digits",
         Way::digits});
    add({"sort of short rows", [=] { pv::sort(narrow); }, pv::explain(pv::sort, narrow),
         "side by side, by a network", Way::network});
    add({"argsort of short rows", [=] { pv::argsort(narrow); }, pv::explain(pv::argsort, narrow),
         "side by side, by a network", Way::network});
    add({"argsort of columns", [=] { pv::argsort(x, 0); }, pv::explain(pv::argsort, x, 0),
         "side by side, by a network", Way::network});

    const auto c = pv::computation([](auto t) { return pv::sum(pv::sq(t)); },
                                   pv::spec<double>({pv::any_size}));
    add({"a computation", [=] { c(line); }, pv::explain(c, line), "way: prepared", Way::prepared});
    add({"a computation of what is lazy", [=] { c(line * 2.0); }, pv::explain(c, line * 2.0),
         "way: fused loop", Way::flat});
    return list;
}

} // namespace

TEST_CASE("explain names the way of each of 40 calls") {
    const std::vector<Call> list = calls();
    CHECK(list.size() >= 40);
    for (const Call& call : list) {
        INFO(call.name << "\n" << call.text);
        CHECK(call.text.find(call.words) != std::string::npos);
        pv::engine::ways_taken() = {};
        call.run();
#ifndef NDEBUG
        std::string taken;
        for (int way = 0; way <= static_cast<int>(Way::scattered); ++way)
            if (pv::engine::ways_taken().has(static_cast<Way>(way)))
                taken += " " + std::to_string(way);
        INFO("taken:" << taken << ", not " << static_cast<int>(call.way));
        CHECK(pv::engine::ways_taken().has(call.way));
#endif
    }
}

TEST_CASE("explain of what is no fold says what it does") {
    const auto x = numbers({6, 7});
    CHECK(pv::explain(pv::variance, x, 0).find("squared differences") != std::string::npos);
    CHECK(pv::explain(pv::argmax, x, 1).find("then its place") != std::string::npos);
    CHECK(pv::explain(pv::variance, x).find("sum") == std::string::npos);
    CHECK(pv::explain(pv::sort, pv::zeros({0, 5}), 0).find("no element") != std::string::npos);
    const auto s = pv::sparse_tensor<double>({10, 10}, {3, 7, 50}, {1, 2, 3});
    CHECK(pv::explain(pv::variance, s, 1).find("sparse") != std::string::npos);
    CHECK_THROWS_AS(pv::explain(pv::sort, s, 1), pv::KindError);
    CHECK_THROWS_AS(pv::explain(pv::cumsum, s, 1), pv::KindError);
    const auto chunked = pv::chunked(x, {2, 3});
    for (const std::string& text :
         {pv::explain(pv::sum, chunked * 2.), pv::explain(pv::variance, chunked * 2., 1),
          pv::explain(pv::argmax, chunked), pv::explain(oracle::spread_of(), chunked, {0})}) {
        INFO(text);
        CHECK(text.find("chunks read: 9") != std::string::npos);
    }
    CHECK(pv::explain(oracle::spread_of(), x).find("states are joined") != std::string::npos);
}

TEST_CASE("a scatter takes its way") {
    const auto to = pv::zeros({10});
    pv::add_to(pv::take(to, {1, 1, 2}, 0), pv::ones({3}));
    CHECK(pv::to_vector(to)[1] == 2);
#ifndef NDEBUG
    pv::engine::ways_taken() = {};
    pv::add_to(pv::take(to, {1, 1, 2}, 0), pv::ones({3}));
    CHECK(pv::engine::ways_taken().has(Way::scattered));
#endif
}

} // namespace explained_ways_test
