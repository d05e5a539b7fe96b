#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>
#include <purview/sparse.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <sys/resource.h>

// A program of its own: what was needed at most is known of a process, not of a test.

namespace {

namespace pv = purview;
using pv::index_t;

constexpr index_t kExtent = 1'000'000'000;
constexpr index_t kStored = 1'000'000;

pv::MutableTensor<double> random_matrix() {
    std::vector<std::vector<index_t>> coordinates(2);
    std::vector<double> values;
    std::uint64_t state = 1;
    const auto next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<index_t>((state >> 20) % kExtent);
    };
    for (index_t i = 0; i < kStored; ++i) {
        coordinates[0].push_back(next());
        coordinates[1].push_back(next());
        values.push_back(1 + static_cast<double>(i % 1000));
    }
    return pv::from_coo<double>({kExtent, kExtent}, coordinates, std::move(values), 0,
                                pv::Duplicates::sum);
}

index_t peak_mebibytes() {
    rusage usage{};
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss / 1024;
}

} // namespace

TEST_CASE("10^18 elements, of which 10^6 are stored, take less than 200 MB at any time") {
    pv::set_recycled_memory_limit(0); // what is kept for reuse is the system's to take back
    const double total = 500.5 * static_cast<double>(kStored);
    const auto x = random_matrix();
    REQUIRE(pv::sum(x) == total);
    CHECK(pv::sum(pv::clone(pv::transpose(x))) == total);
    CHECK(pv::sum(pv::clone(x | pv::rotate({5, -7}))) == total);
    const auto below = pv::clone(x(pv::range(0, kExtent / 2), pv::all));
    const auto above = pv::clone(x(pv::range(kExtent / 2, kExtent), pv::all));
    CHECK(pv::sum(below) + pv::sum(above) == total);
    CHECK(pv::count_true(pv::clone(x * x) > 0) == pv::sparse_pairs(x)->stored());
    CHECK(pv::sum(pv::clone(x + pv::transpose(x))) == 2 * total);
    for (const int axis : {0, 1}) {
        const auto sums = pv::sum(x, axis);
        REQUIRE(pv::is_sparse(sums));
        CHECK(pv::sum(sums) == total);
    }

    const temporary::Folder folder;
    pv::save_mtx(folder / "x.mtx", x);
    pv::save_npz(folder / "x.npz", x);
    CHECK(peak_mebibytes() < 200);

    CHECK(pv::equals(pv::sparse_tensor(pv::load_mtx_coo(folder / "x.mtx")), x));
    CHECK(pv::equals(pv::sparse_tensor(pv::load_npz_coo(folder / "x.npz")), x));
}
