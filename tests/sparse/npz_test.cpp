#include "sparse_oracle.hpp"
#include "support/source_path.hpp"

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <string>

namespace npz_test {

namespace {

namespace pv = purview;
using oracle::Entries;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

std::string scipy_file(const std::string& name) {
    return source_path("tests/sparse/data/") + name + ".npz";
}

} // namespace

TEST_CASE("matrices that SciPy saved") {
    const auto csr = pv::load_npz(scipy_file("csr_float64"));
    CHECK(csr.shape() == pv::Shape{3, 4});
    CHECK(entries_of(csr) == Entries<double>{{{0, 1}, 1.5}, {{2, 0}, -2}, {{2, 3}, 3.25}});
    const auto csc = pv::load_npz<float, std::int32_t>(scipy_file("csc_float32_stored"));
    CHECK(csc.shape() == pv::Shape{3, 4});
    CHECK(entries_of(csc) == Entries<float>{{{0, 1}, 1.5f}, {{2, 0}, -2}, {{2, 3}, 3.25f}});
    const auto coo = pv::load_npz<std::int16_t>(scipy_file("coo_int16"));
    CHECK(entries_of(coo) == Entries<std::int16_t>{{{0, 1}, 4}, {{2, 0}, 2}});
    const auto unsorted = pv::load_npz(scipy_file("csr_unsorted"));
    CHECK(entries_of(unsorted) == Entries<double>{{{2, 0}, -2}, {{2, 3}, 4.25}});

    using Catch::Matchers::ContainsSubstring;
    CHECK_THROWS_WITH(pv::load_npz<float>(scipy_file("csr_float64")),
                      ContainsSubstring("holds float64 and not float32"));
    CHECK_THROWS_AS(pv::load_npz<float>(scipy_file("csr_float64")), pv::DtypeError);
    CHECK_THROWS_WITH(pv::load_npz(scipy_file("bsr")),
                      ContainsSubstring("none of csr, csc and coo"));
    // What is wrong with pointers, indices and counts says whose they are.
    const std::string surplus = scipy_file("csr_surplus");
    CHECK_THROWS_AS(pv::load_npz(surplus), pv::IndexError);
    CHECK_THROWS_WITH(pv::load_npz(surplus), ContainsSubstring("load_npz: '" + surplus + "': ") &&
                                                 ContainsSubstring("column 0 at position 1"));
    CHECK_THROWS_WITH(pv::load_npz_coo(surplus),
                      ContainsSubstring("load_npz: '" + surplus + "': "));
}

TEMPLATE_TEST_CASE("what is saved for SciPy is loaded again", "", bool, std::int8_t, std::uint16_t,
                   std::int64_t, float, double) {
    Random random(41);
    const temporary::Folder folder;
    const std::string path = folder / "saved.npz";
    for (int round = 0; round < 6; ++round) {
        const auto coo = oracle::random_coo<TestType, std::int32_t>(
            random, random.between(0, 9), random.between(0, 9), random.between(0, 30));
        const auto csr = pv::to_csr(coo);
        for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
            pv::save_npz(path, csr, compression);
            CHECK(entries_of(pv::load_npz<TestType>(path)) == entries_of(csr));
            pv::save_npz(path, pv::to_csc(coo), compression);
            CHECK(entries_of(pv::load_npz<TestType, std::int32_t>(path)) == entries_of(csr));
            pv::save_npz(path, coo, compression);
            CHECK(entries_of(pv::load_npz<TestType>(path)) == entries_of(csr));
            CHECK(pv::load_npz<TestType>(path).shape() == csr.shape());
            CHECK(entries_of(pv::load_npz_coo<TestType>(path)) == entries_of(coo));
            pv::save_npz(path, pv::to_csc(coo), compression);
            CHECK(entries_of(pv::load_npz_coo<TestType>(path)) == entries_of(csr));
        }
    }
    CHECK(folder.file_count() == 1);
}

TEST_CASE("hostile .npz files are refused") {
    const temporary::Folder folder;
    const std::string path = folder / "hostile.npz";
    CHECK_THROWS_AS(pv::load_npz("/no/such.npz"), pv::FormatError);
    CHECK_THROWS_AS(pv::save_npz("/no/such/folder.npz", pv::CsrMatrix<float>()), pv::FormatError);
    temporary::write_file(path, "no zip file");
    CHECK_THROWS_AS(pv::load_npz(path), pv::FormatError);

    const pv::CooMatrix<double> wide(2, index_t{1} << 40, pv::tensor<index_t>({1}),
                                     pv::tensor<index_t>({index_t{1} << 39}), pv::ones({1}));
    pv::save_npz(path, wide);
    using Catch::Matchers::ContainsSubstring;
    CHECK_THROWS_AS((pv::load_npz<double, std::int32_t>(path)), pv::CastError);
    CHECK_THROWS_WITH((pv::load_npz<double, std::int32_t>(path)),
                      ContainsSubstring("load_npz: '" + path + "', member 'col.npy': "));

    const auto csr = pv::to_csr(pv::CooMatrix<double>(3, 3, pv::tensor<index_t>({0, 2}),
                                                      pv::tensor<index_t>({1, 0}), pv::ones({2})));
    pv::save_npz(path, csr, pv::Compression::stored);
    const std::string good = temporary::content(path);
    // Cut off anywhere, or with any byte changed: an error, or the same kind of matrix.
    for (std::size_t length = 0; length < good.size(); length += 7) {
        temporary::write_file(path, good.substr(0, length));
        CHECK_THROWS_AS(pv::load_npz(path), pv::Error);
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x41);
        temporary::write_file(path, bad);
        bool refused_or_same = true;
        try {
            refused_or_same = entries_of(pv::load_npz(path)) == entries_of(csr);
        } catch (const pv::Error&) {}
        CHECK(refused_or_same);
    }
}

} // namespace npz_test
