// Every reducer of whatever carries it, of all policies for NaN and some types, beside nested loops.
#include <support/catch.hpp>
#include <support/reducer_cases.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/dimensions/flip.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace carriers_test {
namespace {

namespace pv = purview;
using oracle::Coordinates;
using oracle::Elements;
using oracle::kNanRules;
using oracle::numbers_of;
using oracle::Outcome;
using oracle::outcome_of;
using oracle::Random;
using oracle::ReducerRow;
using oracle::refusal;
using oracle::with_policy;
using pv::index_t;

enum class Carrier { memory, strided, flipped, transposed, computed, chunks, sparse };
constexpr Carrier kCarriers[]{Carrier::memory,     Carrier::strided,  Carrier::flipped,
                              Carrier::transposed, Carrier::computed, Carrier::chunks,
                              Carrier::sparse};
constexpr const char* kNames[]{"memory",   "strided", "flipped", "transposed",
                               "computed", "chunks",  "sparse"};

/// Every second element of the last axis, between others.
template <typename T>
pv::AnyTensor strided(const Elements& given) {
    Elements twice = given;
    twice.values.clear();
    for (const double x : given.values) twice.values.insert(twice.values.end(), {x, x + 1});
    twice.shape.back() *= 2;
    return pv::AnyTensor(oracle::in_memory<T>(twice))(pv::ellipsis,
                                                      pv::range(0, twice.shape.back(), 2));
}
template <typename T>
pv::AnyTensor carried(Carrier by, const Elements& given, Random& random) {
    const pv::MutableTensor<T> x = oracle::in_memory<T>(given);
    const pv::AnyTensor any = x;
    switch (by) {
    case Carrier::memory: return any;
    case Carrier::strided: return strided<T>(given);
    case Carrier::flipped: return pv::flip(pv::clone(pv::flip(any)));
    case Carrier::transposed: return pv::transpose(pv::clone(pv::transpose(any)));
    case Carrier::computed: {
        Elements choice = given;
        for (double& each : choice.values) each = random.one_in(2) ? 1 : 0;
        return pv::AnyTensor(pv::where(pv::AnyTensor(oracle::in_memory<bool>(choice)), any, x));
    }
    case Carrier::chunks: {
        pv::Shape cell;
        for (const index_t extent : given.shape)
            cell.push_back(random.between(1, std::max<index_t>(extent, 1)));
        return pv::chunked(any, cell);
    }
    case Carrier::sparse: break;
    }
    return random.one_in(2) ? pv::AnyTensor(pv::to_sparse(x))
                            : pv::AnyTensor(pv::to_sparse(x, T(1)));
}
pv::AnyTensor carried(Carrier by, const Elements& x, Random& random) {
    if (x.dtype == pv::float64) return carried<double>(by, x, random);
    if (x.dtype == pv::float32) return carried<float>(by, x, random);
    if (x.dtype == pv::int32) return carried<std::int32_t>(by, x, random);
    if (x.dtype == pv::uint8) return carried<std::uint8_t>(by, x, random);
    return carried<bool>(by, x, random);
}

/// Calls `check(elements, random)` with random arrays of some types, whose shapes `shape_of` chooses.
template <typename Shapes, typename Check>
void for_each_array(const std::vector<pv::DType>& dtypes, unsigned rounds, Shapes shape_of,
                    Check check) {
    unsigned seed = 0;
    for (const pv::DType dtype : dtypes)
        for (unsigned round = 0; round < oracle::rounds(rounds); ++round) {
            Random random(++seed);
            const Coordinates shape = shape_of(random);
            const Elements x = oracle::random_elements(random, shape, dtype);
            CAPTURE(dtype.name(), x.shape, x.values, seed);
            check(x, random);
        }
}
const std::vector<pv::DType> kTypes{pv::float64, pv::float32, pv::int32, pv::uint8, pv::boolean};

std::vector<pv::AnyTensor> all_carried(const Elements& x, Random& random) {
    std::vector<pv::AnyTensor> all;
    for (const Carrier by : kCarriers) all.push_back(carried(by, x, random));
    return all;
}

/// The results of `f(carried)` are those expected, whatever carries them; of sparse tensors, where they have no such form,
/// a `KindError`.
template <typename F>
void check_carriers(const ReducerRow& row, const std::vector<pv::AnyTensor>& carried,
                    pv::DType dtype, const oracle::ReducedGroups& groups, bool of_sparse, F f) {
    const Outcome expected = expected_outcome(row, groups);
    for (std::size_t i = 0; i < carried.size(); ++i) {
        const bool refused = kCarriers[i] == Carrier::sparse && !of_sparse && !groups.refused;
        const std::string wrong = difference(outcome_of([&] { return f(carried[i]); }),
                                             refused ? refusal("KindError") : expected, dtype);
        if (wrong.empty()) continue;
        INFO(row.name << " of what is " << kNames[i]);
        CHECK(wrong == "");
    }
}

template <typename R, typename X, typename... A>
std::vector<double> reduced(const R& reducer, const X& x, const A&... given) {
    if constexpr (pv::ReducerValue<R>)
        return numbers_of(pv::reduce(x, given..., reducer));
    else
        return numbers_of(reducer(x, given...));
}

/// What is reduced: everything, each axis, and, where there are three, the outer ones.
std::vector<Coordinates> axes_to_reduce(const Elements& x) {
    std::vector<Coordinates> lists{{}};
    for (index_t a = 0; a < std::ssize(x.shape); ++a) {
        lists.front().push_back(a);
        if (x.shape.size() > 1) lists.push_back({a});
    }
    if (x.shape.size() == 3) lists.push_back({0, 2});
    return lists;
}

} // namespace

TEST_CASE("every reducer of everything, and over axes") {
    for_each_array(kTypes, 4, oracle::shape_to_reduce, [](const Elements& x, Random& random) {
        const auto carried = all_carried(x, random);
        const auto lists = axes_to_reduce(x);
        for (const Coordinates& axes : lists)
            for (const pv::NanRule nan : kNanRules) {
                CAPTURE(axes, static_cast<int>(nan));
                const auto groups = by_policy(x, groups_over(x, axes), nan);
                const pv::Axes over(pv::Shape(axes.begin(), axes.end()));
                const bool whole = &axes == &lists.front();
                const auto check = [&]<typename R>(const ReducerRow& row, const R& reducer) {
                    const bool everything =
                        whole && (pv::ReducerValue<R> || nan != pv::NanRule::skip);
                    const bool of_sparse = row.reduces_sparse(everything, nan == pv::NanRule::skip);
                    check_carriers(
                        row, carried, x.dtype, groups, of_sparse, [&](const pv::AnyTensor& t) {
                            return with_policy(nan, [&](auto policy) {
                                return whole ? reduced(reducer, t, policy)
                                             : reduced(reducer, t, over, pv::keep_dims, policy);
                            });
                        });
                };
                oracle::for_each_reducer(check);
                oracle::for_each_reducing_function(check);
            }
    });
}

TEST_CASE("every reducer beside others, of which one keeps the order") {
    for_each_array(kTypes, 4, oracle::shape_to_reduce, [](const Elements& x, Random& random) {
        const auto carried = all_carried(x, random);
        const index_t axis = random.between(0, std::ssize(x.shape) - 1);
        const bool whole = x.shape.size() == 1;
        for (const pv::NanRule nan : kNanRules) {
            CAPTURE(axis, static_cast<int>(nan));
            const auto groups = by_policy(x, groups_over(x, {axis}), nan);
            oracle::for_each_reducer([&](const ReducerRow& row, const auto& reducer) {
                const ReducerRow digest{"digest", oracle::by_loop::digest};
                const ReducerRow mean{"mean", oracle::by_loop::mean};
                const bool skips = nan == pv::NanRule::skip;
                const bool of_sparse = row.reduces_sparse(whole, skips);
                check_carriers(row, carried, x.dtype, groups, of_sparse, [&](const auto& t) {
                    return with_policy(nan, [&](auto policy) {
                        const auto [one, digests, means] = pv::reduce(
                            t, axis, reducer, oracle::rounded_digest(), pv::mean(policy), policy);
                        CHECK(difference({numbers_of(digests), ""},
                                         expected_outcome(digest, groups), x.dtype) == "");
                        CHECK(difference({numbers_of(means), ""}, expected_outcome(mean, groups),
                                         x.dtype) == "");
                        return numbers_of(one);
                    });
                });
            });
        }
    });
}

TEST_CASE("every reducer of windows") {
    for_each_array(kTypes, 4, oracle::small_shape, [](const Elements& x, Random& random) {
        const auto carried = all_carried(x, random);
        const index_t width = random.between(1, 9);
        for (const pv::NanRule nan : kNanRules) {
            CAPTURE(width, static_cast<int>(nan));
            const auto rolled = by_policy(x, trailing_windows(x, width), nan);
            const auto expanded = by_policy(x, trailing_windows(x, 0), nan);
            oracle::for_each_reducer([&](const ReducerRow& row, const auto& reducer) {
                check_carriers(row, carried, x.dtype, rolled, false, [&](const auto& t) {
                    return with_policy(nan, [&](auto policy) {
                        return numbers_of(pv::fixed_rolling_window(t, width, reducer(policy),
                                                                   pv::WindowPosition::trailing));
                    });
                });
                check_carriers(row, carried, x.dtype, expanded, false, [&](const auto& t) {
                    return with_policy(nan, [&](auto policy) {
                        return numbers_of(pv::expanding_window(t, reducer(policy)));
                    });
                });
            });
        }
    });
}

TEST_CASE("every reducer of tensors whose type is known: everything, groups, over dims") {
    for_each_array(
        {pv::float64}, 8, oracle::shape_to_reduce, [](const Elements& x, Random& random) {
            const auto carried = all_carried(x, random);
            const std::vector dense(carried.begin(), carried.end() - 1);
            Elements keys = x;
            std::map<double, std::vector<double>> groups;
            for (std::size_t i = 0; double& key : keys.values) {
                key = static_cast<double>(random.between(0, 3));
                groups[key].push_back(x.values[i++]);
            }
            std::vector<std::vector<double>> by_key;
            for (auto& [key, group] : groups) by_key.push_back(std::move(group));
            const auto typed_keys = oracle::in_memory<std::int32_t>(keys);
            const pv::Dim i("i"), k("k");
            for (const pv::NanRule nan : kNanRules) {
                CAPTURE(keys.values, static_cast<int>(nan));
                const auto grouped = by_policy(x, by_key, nan);
                const auto whole = by_policy(x, {x.values}, nan);
                const auto rows = by_policy(x, groups_over(x, {1}), nan);
                const bool skips = nan == pv::NanRule::skip;
                oracle::for_each_reducer([&](const ReducerRow& row, const auto& reducer) {
                    const auto by_keys = [&](const pv::AnyTensor& t) {
                        return with_policy(nan, [&](auto policy) {
                            return numbers_of(std::get<1>(pv::group_by_reduce(
                                typed_keys, t.template as<double>(), reducer(policy))));
                        });
                    };
                    check_carriers(row, dense, x.dtype, grouped, false, by_keys);
                    CHECK(outcome_of([&] { return by_keys(carried.back()); }).error == "KindError");
                    check_carriers(row, carried, x.dtype, whole, row.reduces_sparse(true, skips),
                                   [&](const auto& t) {
                                       return with_policy(nan, [&](auto policy) {
                                           return reduced(reducer, t.template as<double>(), policy);
                                       });
                                   });
                    if (x.shape.size() != 2) return;
                    const bool of_sparse = row.reduces_sparse(false, skips);
                    check_carriers(row, carried, x.dtype, rows, of_sparse, [&](const auto& t) {
                        return with_policy(nan, [&](auto policy) {
                            const auto named = t.template as<double>()(i, k);
                            return numbers_of(pv::order(pv::reduce(named, k, reducer, policy), i));
                        });
                    });
                });
            }
        });
}

} // namespace carriers_test
