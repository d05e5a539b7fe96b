// Scatters and scans in programs, whose kinds of node nothing but stages compute.
#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/program.hpp>
#include <purview/expression/scan.hpp>
#include <purview/expression/scatter.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/tensor/create.hpp>

#include <cstdint>
#include <sstream>
#include <vector>

namespace program_scatter_test {

namespace {

namespace pv = purview;
using namespace oracle;
using pv::Operand;

/// The elements that a program of one output gives for two inputs.
std::vector<double> run(const Operand& output, std::vector<Operand> symbols,
                        const std::vector<Operand>& inputs) {
    std::vector<pv::NodePtr> placeholders;
    std::vector<const Operand*> bindings;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        placeholders.push_back(symbols[i].node);
        bindings.push_back(&inputs[i]);
    }
    const pv::Program program({output}, std::move(placeholders));
    std::vector<double> results(static_cast<std::size_t>(output.dims.size()), -1);
    const pv::Destination place = results.data();
    program.run(bindings, std::span(&place, 1));
    return results;
}

} // namespace

TEST_CASE("a scatter adds what lies at the same index, in the order of the values") {
    for (unsigned seed = 0; seed < oracle::rounds(400U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const index_t rows = random.between(1, 7);
        const index_t columns = random.between(1, 9);
        const index_t extent = random.between(1, 6);
        std::vector<double> values;
        std::vector<std::int64_t> indexes;
        for (index_t i = 0; i < rows * columns; ++i) {
            values.push_back(random.element<double>() / 3);
            indexes.push_back(random.between(-extent, extent - 1));
        }
        // Row i goes to row i or, with `turned`, column i of the result.
        const bool turned = random.one_in(2);
        const pv::Shape whole{rows, extent};
        pv::Dimensions into = pv::Dimensions::row_major(whole);
        if (turned) into = pv::Dimensions::strided(whole, pv::Shape{1, rows});
        const Operand x = pv::placeholder_operand(pv::float64, pv::Shape{rows, columns}, 0);
        const Operand at = pv::placeholder_operand(pv::int64, pv::Shape{rows, columns}, 1);
        const Operand sums = pv::scatter_operand(
            x, std::span(&at, 1),
            {{pv::GatherAxis::along(0), pv::GatherAxis::at(0)}, into, rows * extent});
        std::vector<double> expected(static_cast<std::size_t>(rows * extent), 0);
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                const auto from = static_cast<std::size_t>(i * columns + j);
                const index_t k = indexes[from] < 0 ? indexes[from] + extent : indexes[from];
                expected[static_cast<std::size_t>(turned ? i + k * rows : i * extent + k)] +=
                    values[from];
            }
        const auto given = pv::tensor(values, {rows, columns});
        const auto places = pv::tensor(indexes, {rows, columns});
        CHECK(run(sums, {x, at}, {given.operand(), places.operand()}) == expected);
        if (!indexes.empty()) {
            indexes[0] = extent;
            const auto wrong = pv::tensor(indexes, {rows, columns});
            CHECK_THROWS_AS(run(sums, {x, at}, {given.operand(), wrong.operand()}), pv::IndexError);
        }
    }
}

TEST_CASE("a scatter by a view adds what has one address") {
    // Windows of three, one element apart, over five.
    const Operand x = pv::placeholder_operand(pv::float64, pv::Shape{3, 3}, 0);
    const pv::Dimensions windows = pv::Dimensions::strided(pv::Shape{3, 3}, pv::Shape{1, 1});
    const Operand sums = pv::scatter_operand(
        x, {}, {{pv::GatherAxis::along(0), pv::GatherAxis::along(1)}, windows, 6});
    const auto given = pv::tensor({{1., 2., 3.}, {10., 20., 30.}, {100., 200., 300.}});
    CHECK(run(sums, {x}, {given.operand()}) == std::vector<double>{1, 12, 123, 230, 300, 0});
}

TEST_CASE("a scan adds along any axis") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Coordinates shape = random.shape();
        if (shape.empty()) shape = {7};
        const std::size_t axis = random.axis_of(shape);
        const std::vector<double> values = random.elements<double>(count_of(shape));
        Oracle<double> expected{shape, values};
        for_each(shape, [&](const Coordinates& at) {
            if (at[axis] == 0) return;
            Coordinates before = at;
            --before[axis];
            expected.values[position_of(shape, at)] += expected.at(before);
        });
        const Operand x = pv::placeholder_operand(pv::float64, shape, 0);
        CHECK(run(pv::scan_operand(x, axis), {x}, {pv::tensor(values, shape).operand()}) ==
              expected.values);
    }
}

TEST_CASE("programs print their scatters and scans, and share equal ones") {
    const Operand x = pv::placeholder_operand(pv::float64, pv::Shape{4}, 0);
    const auto line = [&](index_t size) {
        return pv::scatter_operand(
            x, {}, {{pv::GatherAxis::along(0)}, pv::Dimensions::row_major(pv::Shape{4}), size});
    };
    const pv::Program program(
        {pv::scan_operand(x, 0), pv::scan_operand(x, 0), line(5), line(5), line(6)}, {x.node});
    std::ostringstream out;
    out << program;
    CHECK(out.str().starts_with("%0 = placeholder 0 float64[4]\n"
                                "%1 = cumsum %0 over 4 float64\n"
                                "%2 = scatter %0 to 5 float64\n"
                                "%3 = scatter %0 to 6 float64\n"));
}

} // namespace program_scatter_test
