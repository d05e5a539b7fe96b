#include "sparse_oracle.hpp"

#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/temporary.hpp>

#include <purview/evaluation/threads.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/copy.hpp>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

namespace matrix_market_test {

namespace {

namespace pv = purview;
using oracle::Entries;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;
using temporary::File;

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

/// The refusal of a file, without its path.
template <typename Error = pv::FormatError, typename T = double, typename I = index_t>
std::string refusal(const std::string& text) {
    const File file(text);
    try {
        pv::load_mtx_coo<T, I>(file.path());
    } catch (const Error& error) {
        std::string message = error.what();
        const std::string where = "load_mtx: '" + file.path() + "'";
        REQUIRE(message.starts_with(where));
        return message.substr(where.size());
    }
    return "nothing was thrown";
}

} // namespace

TEST_CASE("coordinate files of every field and symmetry") {
    const File real("%%MatrixMarket matrix coordinate REAL General\r\n% a comment\n%\n\n 3 4 5\r\n"
                    "1 1 1.5\n3 4 -2e3\r\n\t2 3   +.25 \n\n3 4 1\n1 2 0");
    const auto a = pv::load_mtx(real.path());
    CHECK(a.shape() == pv::Shape{3, 4});
    CHECK(entries_of(a) ==
          Entries<double>{{{0, 0}, 1.5}, {{0, 1}, 0}, {{1, 2}, .25}, {{2, 3}, -1999}});
    CHECK(pv::load_mtx_coo(real.path()).stored() == 5);
    CHECK(entries_of(pv::load_mtx<float, std::int32_t>(real.path())).at({2, 3}) == -1999.0f);

    const File integer(
        "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 -3\n");
    CHECK(entries_of(pv::load_mtx<std::int8_t>(integer.path())) ==
          Entries<std::int8_t>{{{0, 0}, 7}, {{0, 1}, -3}, {{1, 0}, -3}});
    CHECK(entries_of(pv::load_mtx<double>(integer.path())).at({1, 0}) == -3);

    const File skew("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 2\n");
    CHECK(entries_of(pv::load_mtx(skew.path())) == Entries<double>{{{0, 2}, -2}, {{2, 0}, 2}});

    const File pattern("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
    CHECK(entries_of(pv::load_mtx<int>(pattern.path())) == Entries<int>{{{0, 1}, 1}, {{1, 0}, 1}});

    const File none(kReal + "0 0 0");
    CHECK(pv::load_mtx(none.path()).stored() == 0);
}

TEST_CASE("numbers at the edge of what a type holds") {
    const File file(kReal + "1 9 9\n1 1 1e400\n1 2 -1e400\n1 3 1e-400\n1 4 nan\n1 5 inf\n"
                            "1 6 0.1\n1 7 1.7976931348623157e308\n1 8 5e-324\n1 9 -0\n");
    const auto values = pv::load_mtx_coo(file.path()).values();
    CHECK(values(0) == std::numeric_limits<double>::infinity());
    CHECK(values(1) == -std::numeric_limits<double>::infinity());
    CHECK(values(2) == 0);
    CHECK(std::isnan(values(3)));
    CHECK(values(5) == 0.1);
    CHECK(values(6) == std::numeric_limits<double>::max());
    CHECK(values(7) == std::numeric_limits<double>::denorm_min());
    CHECK(std::signbit(values(8)));
    CHECK(pv::load_mtx_coo<float>(file.path()).values()(6) ==
          std::numeric_limits<float>::infinity());
}

TEST_CASE("numbers are read in any locale") {
    const File file(kReal + "1 3 3\n1 1 1.5\n1 2 1.5e400\n1 3 1.5e-400\n");
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    for (const char* const locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
        std::setlocale(LC_NUMERIC, locale); // where it is installed
        CHECK(pv::to_vector(pv::load_mtx_coo(file.path()).values()) ==
              std::vector<double>{1.5, std::numeric_limits<double>::infinity(), 0});
    }
    std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("what is no Matrix Market file is refused, by line and content") {
    CHECK(refusal("") == ": does not begin with %%MatrixMarket");
    CHECK(refusal("%MatrixMarket matrix coordinate real general\n1 1 0\n") ==
          ": does not begin with %%MatrixMarket");
    CHECK(refusal("%%MatrixMarket matrix coordinate real\n") ==
          ": line 1: '%%MatrixMarket matrix coordinate real' is not '%%MatrixMarket matrix LAYOUT "
          "FIELD SYMMETRY'");
    CHECK(refusal(kReal) == ": ends before its sizes");
    CHECK(refusal(kReal + "% x\n2 2\n") == ": line 3: '2 2' is not 'ROWS COLUMNS ENTRIES'");
    CHECK(refusal(kReal + "2 -2 1\n") == ": line 2: '2 -2 1' is not 'ROWS COLUMNS ENTRIES'");
    CHECK(refusal(kReal + "2 2 1 1\n") == ": line 2: '2 2 1 1' is not 'ROWS COLUMNS ENTRIES'");
    CHECK(refusal(kReal + "2 99999999999999999999 1\n") ==
          ": line 2: '2 99999999999999999999 1' has a size that overflows");
    CHECK(refusal<pv::DtypeError>("%%MatrixMarket matrix coordinate complex general\n1 1 0\n")
              .ends_with("holds complex numbers, which Purview does not have"));
    CHECK(refusal<pv::DtypeError>("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n")
              .ends_with("is hermitian: of complex numbers, which Purview does not have"));
    CHECK(refusal("%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n") ==
          ": line 2: '1 2 0' is the size of no symmetric matrix");
    CHECK(refusal("%%MatrixMarket matrix array pattern general\n1 2\n")
              .ends_with("has no values for its array"));

    const std::string sized = kReal + "2 3 2\n";
    CHECK(refusal(sized + "1 1 1\n") == ": promises 2 entries and has 1");
    CHECK(refusal(sized + "1 1 1\n\n") == ": promises 2 entries and has 1");
    CHECK(refusal(sized + "1 1 1\n1 2 1\n2 1 1\n") == ": promises 2 entries and has 3");
    CHECK(refusal(kReal + "9 9 9000000000000000000\n1 1 1\n") ==
          ": promises 9000000000000000000 entries and has 1");
    CHECK(refusal(sized + "1 1 1\n3 1 1\n") == ": line 4: '3 1 1' has row 3 of 2");
    CHECK(refusal(sized + "1 1 1\n1 0 1\n") == ": line 4: '1 0 1' has column 0 of 3");
    CHECK(refusal(sized + "1 1 1\n-1 1 1\n") ==
          ": line 4: '-1 1 1' does not say its row as a number from 1 on");
    CHECK(refusal(sized + "1 1 1\n1 1.5 1\n") ==
          ": line 4: '1 1.5 1' does not say its column as a number from 1 on");
    CHECK(refusal(sized + "1 18446744073709551617 1\n1 1 1\n") ==
          ": line 3: '1 18446744073709551617 1' has a column that overflows");
    CHECK(refusal(sized + "1 1 1\n1 1\n") == ": line 4: '1 1' has no number for its value");
    CHECK(refusal(sized + "1 1 x\n1 1 1\n") == ": line 3: '1 1 x' has no number for its value");
    CHECK(refusal(sized + "1 1 1e\n1 1 1\n") == ": line 3: '1 1 1e' has no number for its value");
    CHECK(refusal(sized + "1 1 +-1\n1 1 1\n") == ": line 3: '1 1 +-1' has no number for its value");
    CHECK(refusal(sized + "1 1 1 1\n1 1 1\n") == ": line 3: '1 1 1 1' has more than one entry");
    CHECK(refusal(sized + "1\n1 1 1 1\n")
              .ends_with("line 3: '1' does not say its column as a number from 1 on"));
    CHECK(refusal(sized + "1 1 1\n% 1 1\n")
              .ends_with("line 4: '% 1 1' does not say its row as a number from 1 on"));
    CHECK(refusal(sized + std::string("1 1 1\n1 1 \x01\0z\n", 14))
              .starts_with(": line 4: '1 1 \?\?z' has no number"));

    const std::string symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n";
    CHECK(refusal(symmetric + "1 2 1\n") ==
          ": line 3: '1 2 1' lies above the diagonal of a symmetric matrix");
    CHECK(refusal(symmetric + "2 1 1.5\n") == ": line 3: '2 1 1.5' has no integer for its value");
    CHECK(refusal<pv::CastError, std::int8_t>(symmetric + "2 1 128\n") ==
          ": line 3: '2 1 128' has a value that does not fit int8");
    CHECK(refusal<pv::CastError, std::uint16_t>(symmetric + "2 1 -1\n") ==
          ": line 3: '2 1 -1' has a value that does not fit uint16");
    CHECK(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n") ==
          ": line 3: '1 1 1' lies on the diagonal of a skew-symmetric matrix");
    CHECK(refusal<pv::DtypeError, int>(kReal + "1 1 0\n") == " holds real numbers and not int32");
    CHECK(refusal<pv::ShapeError, double, std::int32_t>(kReal + "3000000000 1 0\n") ==
          ": int32 cannot say the indexes of 3000000000; use int64");
    CHECK(refusal("%%MatrixMarket matrix array real general\n1 1\n1\n") ==
          " holds an array and no coordinates");
    CHECK_THROWS_AS(pv::load_mtx("/no/such.mtx"), pv::FormatError);
}

TEST_CASE("a header cannot make a reader allocate what the file does not hold") {
    const File file(kReal +
                    "4611686018427387904 4611686018427387904 1\n4611686018427387904 1 2.5\n");
    CHECK_THROWS_AS(pv::load_mtx(file.path()), pv::FormatError);
    const auto coo = pv::load_mtx_coo(file.path());
    CHECK(coo.row_indices()(0) == 4611686018427387903);
    const File array("%%MatrixMarket matrix array real general\n4611686018427387904 4\n1\n");
    CHECK_THROWS_AS(pv::load_mtx_array(array.path()), pv::FormatError);
    const File large("%%MatrixMarket matrix array real symmetric\n3000000000 3000000000\n1\n");
    CHECK_THROWS_AS(pv::load_mtx_array(large.path()), pv::FormatError);
}

TEST_CASE("an integer is read as a floating-point number only if that has all its digits") {
    // Those that a double has are the multiples of 2^(k-53) below 2^k; of a float, of 2^(k-24).
    const auto read = [](const std::string& digits, auto type) {
        using T = decltype(type);
        const File array("%%MatrixMarket matrix array integer general\n1 1\n" + digits + "\n");
        const File entry("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + digits +
                         "\n");
        const T result = pv::load_mtx_array<T>(array.path())(0, 0);
        CHECK(entries_of(pv::load_mtx<T>(entry.path())).at({0, 0}) == result);
        return result;
    };
    CHECK(read("9007199254740992", 0.) == 0x1p53);
    CHECK(read("-0009007199254740994", 0.) == -0x1.0000000000001p53);
    CHECK(read("-9223372036854775808", 0.) == -0x1p63);
    CHECK(read("18446744073709551616", 0.) == 0x1p64);
    CHECK(read("-18446744073709551616", 0.) == -0x1p64);
    CHECK(read("+16777216", 0.F) == 0x1p24F);
    for (const char* const digits : {"9007199254740993", "-9007199254740993", "9223372036854775807",
                                     "18446744073709551615", "-18446744073709551617"})
        CHECK_THROWS_AS(read(digits, 0.), pv::CastError);
    for (const char* const digits : {"16777217", "-16777217", "9223372036854775807",
                                     "1000000000000000000000000000000000000000"})
        CHECK_THROWS_AS(read(digits, 0.F), pv::CastError);
    // Real numbers are rounded, as their field says that they may be.
    const File real("%%MatrixMarket matrix array real general\n1 1\n9007199254740993\n");
    CHECK(pv::load_mtx_array<double>(real.path())(0, 0) == 0x1p53);
}

TEST_CASE("array files") {
    const File general("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    CHECK(
        pv::all_of(pv::load_mtx_array(general.path()) == pv::tensor({{1., 3., 5.}, {2., 4., 6.}})));
    const File large_integer("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n"
                             "1 1 18446744073709551615\n");
    CHECK_THROWS_AS(pv::load_mtx_coo(large_integer.path()), pv::CastError);
    CHECK_THROWS_AS(pv::load_mtx_coo<std::int64_t>(large_integer.path()), pv::CastError);
    const File symmetric("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
    CHECK(pv::all_of(pv::load_mtx_array<int>(symmetric.path()) ==
                     pv::tensor({{1, 2, 3}, {2, 4, 5}, {3, 5, 6}})));
    const File skew("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
    CHECK(pv::all_of(pv::load_mtx_array(skew.path()) ==
                     pv::tensor({{0., -1., -2.}, {1., 0., -3.}, {2., 3., 0.}})));
    const File few("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n");
    CHECK_THROWS_AS(pv::load_mtx_array(few.path()), pv::FormatError);
    CHECK_THROWS_AS(pv::load_mtx(few.path()), pv::FormatError);
}

TEST_CASE("what is saved is loaded again") {
    Random random(31);
    const temporary::Folder folder;
    const std::string path = folder / "saved.mtx";
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const auto coo = oracle::random_coo<double, std::int32_t>(
            random, random.between(0, 9), random.between(0, 9), random.between(0, 30));
        for (auto value : pv::MutableTensor<double>(coo.values().operand())) value = value / 7.0;
        const auto csr = pv::to_csr(coo);
        pv::save_mtx(path, csr);
        CHECK(entries_of(pv::load_mtx(path)) == entries_of(csr));
        pv::save_mtx(path, pv::to_csc(coo));
        CHECK(entries_of(pv::load_mtx(path)) == entries_of(csr));
        const auto dense = pv::to_tensor(csr);
        pv::save_mtx(path, dense * 2.0);
        CHECK(pv::all_of(pv::load_mtx_array(path) == dense * 2.0));
    }
    pv::save_mtx(path, pv::tensor({{1, -2}, {3, 4}}) | pv::transpose);
    CHECK(temporary::content(path) ==
          "%%MatrixMarket matrix array integer general\n2 2\n1\n-2\n3\n4\n");
    CHECK_THROWS_AS(pv::save_mtx(path, pv::zeros({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::save_mtx("/no/such/folder.mtx", pv::zeros({2, 2})), pv::FormatError);
}

TEST_CASE("a file of many chunks, on one thread or two", "[thread]") {
    Random random(32);
    const temporary::Folder folder;
    const std::string path = folder / "large.mtx";
    const auto coo = oracle::random_coo<double, index_t>(random, 100'000, 200'000, 300'000);
    pv::save_mtx(path, coo);
    const int before = pv::threads();
    for (const int threads : {1, 2}) {
        pv::set_threads(threads);
        const auto loaded = pv::load_mtx_coo(path);
        CHECK(pv::all_of(loaded.row_indices() == coo.row_indices()));
        CHECK(pv::all_of(loaded.column_indices() == coo.column_indices()));
        CHECK(pv::all_of(loaded.values() == coo.values()));
    }
    // The first of several errors is told, whoever meets it first.
    std::ofstream(path, std::ios::app) << "\n\n";
    CHECK(pv::load_mtx_coo(path).stored() == 300'000);
    std::ofstream(path, std::ios::app) << "1 1 x\n";
    CHECK_THROWS_WITH(pv::load_mtx_coo(path), Catch::Matchers::ContainsSubstring("has 300001"));
    pv::set_threads(before);
}

} // namespace matrix_market_test
