#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/tensors.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace local_times_test {

// Local times whose type is known at run time (what Arrow's timestamps without a zone are, pandas' default) do
// what those of the system clock do: NumPy's datetime64 has no zone either.

namespace {

namespace pv = purview;
using pv::all;
using pv::AnyTensor;

template <typename D>
using Sys = std::chrono::time_point<std::chrono::system_clock, D>;
template <typename D>
using Local = std::chrono::local_time<D>;

template <typename P>
AnyTensor times_of(const std::vector<std::int64_t>& counts) {
    std::vector<P> times;
    for (const std::int64_t count : counts)
        times.push_back(P(typename P::duration(static_cast<typename P::rep>(count))));
    return AnyTensor(pv::tensor(std::move(times)));
}

/// The counts of times, whatever the clock; other tensors as they are.
AnyTensor counts_of(const AnyTensor& x) {
    return pv::clone(AnyTensor(pv::times_as_counts(x.operand())));
}

using Work = std::function<AnyTensor(const AnyTensor&)>;

/// What each function makes of six times: times of the same type, or other elements.
std::vector<std::pair<const char*, Work>> functions() {
    const auto mask = pv::tensor({true, false, true, true, false, true});
    const auto keys = pv::tensor({1, 2, 1, 2, 1, 2});
    return {
        {"clone", [](const AnyTensor& x) { return pv::clone(x); }},
        {"contiguous of a view",
         [](const AnyTensor& x) { return pv::contiguous(pv::flip(x, {0})); }},
        {"take",
         [](const AnyTensor& x) {
             return pv::clone(pv::take(x, {4, 0, 0, -1}, 0));
         }},
        {"mask", [mask](const AnyTensor& x) { return pv::clone(x(mask)); }},
        {"range", [](const AnyTensor& x) { return pv::clone(x(pv::range(1, 6, 2))); }},
        {"concat", [](const AnyTensor& x) { return pv::concat(x, x); }},
        {"stack",
         [](const AnyTensor& x) {
             return pv::stack({x, x});
         }},
        {"repeat", [](const AnyTensor& x) { return pv::clone(pv::repeat(x, 2, 0)); }},
        {"tile", [](const AnyTensor& x) { return pv::clone(pv::tile(x, {2})); }},
        {"roll", [](const AnyTensor& x) { return pv::clone(pv::roll(x, 2, 0)); }},
        {"reshape",
         [](const AnyTensor& x) {
             return pv::clone(pv::reshape(x, {2, 3}));
         }},
        {"sort", [](const AnyTensor& x) { return pv::sort(x); }},
        {"sort, descending", [](const AnyTensor& x) { return pv::sort(x, pv::descending); }},
        {"argsort", [](const AnyTensor& x) { return AnyTensor(pv::argsort(x)); }},
        {"ranks of unique",
         [](const AnyTensor& x) { return AnyTensor(pv::unique_all(x).inverse); }},
        {"unique", [](const AnyTensor& x) { return pv::unique(x); }},
        {"isin", [](const AnyTensor& x) { return AnyTensor(pv::isin(x, x(pv::range(0, 2)))); }},
        {"searchsorted",
         [](const AnyTensor& x) { return AnyTensor(pv::searchsorted(pv::sort(x), x)); }},
        {"where",
         [mask](const AnyTensor& x) { return pv::clone(pv::where(mask, x, pv::flip(x, {0}))); }},
        {"where of one",
         [mask](const AnyTensor& x) { return pv::clone(pv::where(mask, x, x(2))); }},
        {"equal", [](const AnyTensor& x) { return pv::clone(AnyTensor(x == pv::flip(x, {0}))); }},
        {"less than one", [](const AnyTensor& x) { return pv::clone(AnyTensor(x < x(2))); }},
        {"is_nat", [](const AnyTensor& x) { return pv::clone(AnyTensor(pv::is_nat(x))); }},
        {"min",
         [](const AnyTensor& x) {
             return pv::clone(pv::min(pv::reshape(x, {2, 3}), 1));
         }},
        {"max",
         [](const AnyTensor& x) {
             return pv::clone(pv::max(pv::reshape(x, {2, 3}), 1));
         }},
        {"forward_fill", [mask](const AnyTensor& x) { return pv::forward_fill(x, mask); }},
        {"backward_fill", [mask](const AnyTensor& x) { return pv::backward_fill(x, mask); }},
        {"empty_like, zeros_like",
         [](const AnyTensor& x) {
             const AnyTensor made = pv::empty_like(x);
             pv::copy(pv::zeros_like(x), made);
             return made;
         }},
        {"assignment",
         [](const AnyTensor& x) {
             const AnyTensor made = pv::clone(x);
             made(pv::range(0, 3)) = x(pv::range(3, 6));
             return made;
         }},
        {"keys of groups",
         [](const AnyTensor& x) {
             return AnyTensor(std::get<0>(pv::group_by_reduce(x, pv::ones({6}), pv::sum)));
         }},
        {"sums of groups",
         [](const AnyTensor& x) {
             return AnyTensor(std::get<1>(pv::group_by_reduce(x, pv::ones({6}), pv::sum)));
         }},
        {"maxima of groups",
         [keys](const AnyTensor& x) {
             return AnyTensor(std::get<1>(pv::group_by_reduce(keys, x, pv::max)));
         }},
    };
}

template <typename D>
void check() {
    constexpr std::int64_t kNat = pv::kNatCount<typename D::rep>;
    const auto works = functions();
    for (const std::vector<std::int64_t>& counts :
         {std::vector<std::int64_t>{5, -3, 7, 5, 0, 7}, {5, kNat, 7, kNat, 0, 5}}) {
        const AnyTensor sys = times_of<Sys<D>>(counts);
        const AnyTensor local = times_of<Local<D>>(counts);
        REQUIRE(sys.dtype() != local.dtype());
        CHECK(oracle::printed_elements(sys) == oracle::printed_elements(local));
        for (std::size_t i = 0; i < works.size(); ++i) {
            INFO(works[i].first << " of " << local.dtype().name());
            const AnyTensor expected = works[i].second(sys);
            const AnyTensor found = works[i].second(local);
            CHECK(found.dtype() ==
                  (expected.dtype() == sys.dtype() ? local.dtype() : expected.dtype()));
            CHECK(pv::equals(counts_of(found), counts_of(expected)));
        }
        const Local<D> value(D(7));
        const AnyTensor filled = pv::full_like(local, value);
        CHECK(pv::index_of(AnyTensor(filled != value), true) == std::nullopt);
        CHECK(pv::index_of(local, value) == pv::index_of(sys, Sys<D>(D(7))));
        CHECK(pv::searchsorted(pv::sort(local), value) ==
              pv::searchsorted(pv::sort(sys), Sys<D>(D(7))));
        pv::fill(filled, Local<D>(D(8)));
        filled(0) = value;
        CHECK(pv::count_true(pv::isin(filled, pv::tensor({value}))) == 1);
    }
}

} // namespace

TEST_CASE("Local times known at run time do what those of the system clock do (pandas, Arrow)") {
    using namespace std::chrono;
    check<weeks>();
    check<days>();
    check<hours>();
    check<minutes>();
    check<seconds>();
    check<milliseconds>();
    check<microseconds>();
    check<nanoseconds>();
}

TEST_CASE("Local times do not mix with those of the system clock") {
    const AnyTensor sys = times_of<Sys<std::chrono::seconds>>({1, 2});
    const AnyTensor local = times_of<Local<std::chrono::seconds>>({1, 2});
    CHECK_THROWS_AS(AnyTensor(sys == local), pv::DtypeError);
    CHECK_THROWS_AS(pv::where(pv::tensor({true, false}), sys, local), pv::DtypeError);
    CHECK_THROWS_AS(pv::isin(sys, local), pv::DtypeError);
    CHECK_THROWS_AS(pv::searchsorted(sys, local), pv::DtypeError);
    CHECK_THROWS_AS(pv::concat(sys, local), pv::DtypeError);
}

} // namespace local_times_test
