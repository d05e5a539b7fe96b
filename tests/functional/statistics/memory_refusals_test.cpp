// What has to be in memory, and has no room within the memory limit, says so before anything is read.
#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <string>

namespace memory_refusals_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

constexpr index_t kLimit = 100'000;

/// Checks that a call is refused, naming itself, bytes, the limit and a way out, and reads nothing.
template <typename T, typename Call>
void refused(const Twins<T>& twins, const std::string& name, const std::string& bytes,
             const std::string& way_out, Call call) {
    const MemoryLimit limited(kLimit);
    twins.forget();
    CHECK_THROWS_AS(call(), pv::MemoryLimitError);
    CHECK_THROWS_WITH(call(), Catch::Matchers::StartsWith(name + ": " + bytes + " bytes") &&
                                  Catch::Matchers::ContainsSubstring("100000 bytes") &&
                                  Catch::Matchers::ContainsSubstring(way_out));
    CHECK(twins.stored->reads == 0);
}

} // namespace

TEST_CASE("lanes that have no room are refused before they are read") {
    const Twins<double> twins({60'000}, {1'000}, [](index_t i) { return std::sin(double(i)); });
    const auto& x = twins.chunks;
    const std::string whole = "480000";
    const std::string more = "set_memory_limit";
    refused(twins, "expanding_window", whole, more, [&] { pv::expanding_window(x, pv::median); });
    refused(twins, "expanding_window", whole, more,
            [&] { pv::expanding_window(x, pv::quantile(.25)); });
    refused(twins, "expanding_window", whole, more,
            [&] { pv::expanding_window(x, [](const auto& lane) { return pv::max(lane); }); });
    refused(twins, "map_axis", whole, more,
            [&] { pv::map_axis([](const auto& lane) { return pv::cumsum(lane); }, x, 0); });
    refused(twins, "map_axis", whole, more, [&] {
        pv::map_axis([](const auto& lane) { return pv::cumsum(lane); }, x * 2. + 1., 0);
    });
    refused(twins, "range_windows", whole, more,
            [&] { pv::range_windows(x, pv::tensor({0}), pv::tensor({60'000}), pv::sum); });
}

TEST_CASE("kendall counts what it holds, and refuses before it reads") {
    const auto element = [](index_t i) { return double(i * 7919 % 1'000); };
    const Twins<double> x({3'000}, {100}, element);
    const Twins<double> y({3'000}, {150}, [](index_t i) { return double(i * 31 % 500); });
    for (const auto policy : {0, 1, 2}) {
        const auto tau = [policy](const pv::Tensor<double>& a, const pv::Tensor<double>& b) {
            if (policy == 0) return pv::kendall(a, b);
            return policy == 1 ? pv::kendall(a, b, pv::skip_nan) : pv::kendall(a, b, pv::throw_nan);
        };
        refused(x, "kendall", "168000", "spearman", [&] { tau(x.chunks, y.chunks); });
        refused(x, "kendall", "168000", "spearman", [&] { tau(x.chunks, y.memory); });
        const double expected = tau(x.memory, y.memory);
        const MemoryLimit limited(200'000);
        CHECK(tau(x.chunks, y.chunks) == expected);
        CHECK(tau(x.memory, y.chunks) == expected);
        CHECK(pv::chunk_statistics().peak_bytes <= 200'000);
        CHECK(pv::chunk_statistics().peak_bytes >= 168'000);
    }
    const MemoryLimit limited(100);
    CHECK(pv::kendall(x.memory, x.memory) == 1);
}

TEST_CASE("arggroup and group_by count what they hold, and refuse before they read") {
    const Twins<std::int64_t> keys({4'000}, {100}, [](index_t i) { return i * 7919 % 13; });
    const auto half = [](std::int64_t key) { return key / 2; };
    refused(keys, "arggroup", "96000", "group_by_reduce", [&] { pv::arggroup(keys.chunks); });
    refused(keys, "group_by", "128000", "group_by_reduce", [&] { pv::group_by(keys.chunks); });
    refused(keys, "group_by", "128000", "group_by_reduce",
            [&] { pv::group_by(half, keys.chunks); });
    const auto groups = pv::arggroup(keys.memory);
    const auto sets = pv::group_by(keys.memory);
    const MemoryLimit limited(150'000);
    const auto made = pv::arggroup(keys.chunks);
    CHECK(pv::chunk_statistics().peak_bytes >= 96'000);
    CHECK(made.keys() == groups.keys());
    for (index_t g = 0; g < groups.size(); ++g)
        CHECK(pv::to_vector(made.indexes(g)) == pv::to_vector(groups.indexes(g)));
    const auto made_sets = pv::group_by(keys.chunks);
    CHECK(pv::chunk_statistics().peak_bytes >= 128'000);
    CHECK(pv::chunk_statistics().peak_bytes <= 150'000);
    REQUIRE(made_sets.size() == sets.size());
    for (index_t g = 0; g < sets.size(); ++g) CHECK(made_sets[g] == sets[g]);
    CHECK(pv::arggroup(keys.memory).size() == groups.size()); // what is in memory is not counted
}

} // namespace memory_refusals_test
