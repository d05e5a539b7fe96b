#include "random_views.hpp"

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace properties_test {

using namespace purview;
namespace pd = purview::dimensions;

namespace {

std::vector<index_t> addresses_of(const Dimensions& dims) {
    std::vector<index_t> addresses(static_cast<std::size_t>(dims.size()));
    pd::AddressStream(dims).read(0, addresses);
    return addresses;
}

void check_forward(const Dimensions& dims, const DimensionOracle& naive, ViewGenerator& random) {
    REQUIRE(std::ranges::equal(dims.max_shape(), naive.shape));
    REQUIRE(dims.size() == DimensionOracle::count(naive.shape));
    REQUIRE(addresses_of(dims) == naive.addresses);

    bool agrees = true;
    std::size_t i = 0;
    DimensionOracle::for_each(naive.shape, [&](const DimensionOracle::Coordinates& g) {
        const index_t address = naive.addresses[i];
        agrees = agrees && dims.local_of(g) == address && dims.global_to_local(g) == address &&
                 dims.global_to_local(static_cast<index_t>(i)) == address;
        ++i;
    });
    REQUIRE(agrees);

    const pd::AddressStream stream(dims);
    const index_t size = dims.size();
    for (int block = 0; block < 3; ++block) {
        const index_t begin = random.between(0, size);
        const index_t count = random.between(0, size - begin);
        const auto from = naive.addresses.begin() + begin;
        const std::vector<index_t> expected(from, from + count);
        std::vector<index_t> read(static_cast<std::size_t>(count));
        stream.read(begin, read);
        REQUIRE(read == expected);
        std::vector<index_t> from_runs;
        stream.runs(begin, count, [&](index_t address, index_t step, index_t length) {
            for (index_t k = 0; k < length; ++k) from_runs.push_back(address + k * step);
        });
        REQUIRE(from_runs == expected);
    }
    if (size == 0) return;
    std::vector<index_t> globals(16);
    std::vector<index_t> gathered(16);
    for (index_t& g : globals) g = random.between(0, size - 1);
    stream.gather(globals, gathered);
    for (std::size_t k = 0; k < globals.size(); ++k)
        REQUIRE(gathered[k] == naive.addresses[static_cast<std::size_t>(globals[k])]);
}

void check_inverse(const Dimensions& dims, const DimensionOracle& naive, ViewGenerator& random) {
    std::map<index_t, std::vector<index_t>> expected;
    for (std::size_t i = 0; i < naive.addresses.size(); ++i)
        expected[naive.addresses[i]].push_back(static_cast<index_t>(i));
    const pd::InverseMap inverse(dims);
    const auto check = [&](index_t address) {
        std::vector<index_t> found;
        for (const index_t g : inverse(address)) found.push_back(g);
        const auto it = expected.find(address);
        CAPTURE(address);
        REQUIRE(found == (it == expected.end() ? std::vector<index_t>{} : it->second));
    };
    if (expected.empty()) return check(random.between(-3, 3));
    const index_t lowest = expected.begin()->first - 2;
    const index_t highest = expected.rbegin()->first + 2;
    for (int k = 0; k < 6; ++k) check(random.between(lowest, highest));
    for (int k = 0; k < 6; ++k)
        check(naive.addresses[static_cast<std::size_t>(random.between(0, dims.size() - 1))]);
}

void check_queries(const Dimensions& dims, const DimensionOracle& naive) {
    const std::set<index_t> distinct(naive.addresses.begin(), naive.addresses.end());
    const bool unique = distinct.size() == naive.addresses.size();
    const bool dense = distinct.empty() || *distinct.rbegin() - *distinct.begin() + 1 ==
                                               static_cast<index_t>(distinct.size());
    REQUIRE(dims.is_unique() == unique);
    REQUIRE(dims.is_overlapping() == !unique);
    REQUIRE(dims.is_dense() == dense);
    if (dims.layer_count() == 1 && dims.is_broadcast()) REQUIRE_FALSE(unique);
    const AddressRange range = dims.address_range();
    REQUIRE(range.empty == distinct.empty());
    if (range.empty) return;
    if (dims.layer_count() == 1) {
        REQUIRE(range.lowest == *distinct.begin());
        REQUIRE(range.highest == *distinct.rbegin());
    } else {
        REQUIRE(range.lowest <= *distinct.begin());
        REQUIRE(range.highest >= *distinct.rbegin());
    }
    std::vector<index_t> identity(naive.addresses.size());
    std::iota(identity.begin(), identity.end(), index_t{0});
    if (dims.is_identity()) REQUIRE(naive.addresses == identity);
    if (dims.is_contiguous()) REQUIRE((dense && unique));
}

void check_chain(unsigned seed) {
    ViewGenerator random(seed);
    RandomDimensions chain = random.source();
    std::string trace = chain.name;
    // The views from here on are also composed with each other, and then with the source.
    Dimensions view = Dimensions::row_major(chain.naive.shape);
    const Dimensions source = chain.real;
    const index_t length = random.between(0, 7);
    for (index_t k = 0; k < length; ++k) {
        const RandomView next = random.view(chain.naive.shape);
        trace += " | " + next.name;
        INFO("seed " << seed << ": " << trace);
        chain.naive = next.naive(chain.naive);
        chain.real = next.real(chain.real);
        view = next.real(view);
        REQUIRE(std::ranges::equal(chain.real.max_shape(), chain.naive.shape));
    }
    INFO("seed " << seed << ": " << trace);
    check_forward(chain.real, chain.naive, random);
    check_inverse(chain.real, chain.naive, random);
    check_queries(chain.real, chain.naive);

    const Dimensions reduced = pd::reduce(chain.real);
    if (chain.real.layer_count() == 1) REQUIRE(reduced.rank() <= std::max(1, chain.real.rank()));
    REQUIRE(reduced.layer_count() <= chain.real.layer_count());
    REQUIRE(addresses_of(reduced) == chain.naive.addresses);

    const Dimensions composed = pd::compose(view, source);
    check_forward(composed, chain.naive, random);
    check_inverse(composed, chain.naive, random);

    const Dimensions copy = chain.real;
    REQUIRE(copy == chain.real);
    REQUIRE(copy.hash() == chain.real.hash());
}

} // namespace

TEST_CASE("chains of views agree with nested loops", "[dimensions]") {
    const unsigned first = 1;
    const unsigned chains = 40000;
    for (unsigned seed = first; seed < first + oracle::rounds(chains); ++seed) check_chain(seed);
}

} // namespace properties_test
