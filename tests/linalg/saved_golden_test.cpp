// What version 3 of the format saved is loaded, run, and saved as the same.
#include "random_matrices.hpp"
#include "support/source_path.hpp"

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/functional/applied/saved.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace saved_golden_test {
namespace {

using namespace linalg_tests;

void check_output(const pv::AnyTensor& output, const std::vector<double>& expected) {
    const auto values = pv::clone(pv::reshape(pv::cast<double>(output), {-1}));
    REQUIRE(values.size() == static_cast<index_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::abs(pv::as_span(values)[i] - expected[i]) < 1e-14);
}

} // namespace

TEST_CASE("matrices of version 3 are loaded, run, and saved as the same") {
    const std::string path = source_path("tests/linalg/data/computation_3");
    const std::string bytes = temporary::content(path + ".purview");
    const std::string text = temporary::content(path + ".txt");
    CHECK(bytes.substr(0, 20) == std::string_view("\x89purview\r\n\x1a\n\1\0\0\0\3\0\0\0", 20));
    CHECK(text.starts_with("purview computation, version 3\n"));
    for (const char* const kind : {".purview", ".txt"}) {
        CAPTURE(kind);
        const pv::AnyComputation c = pv::load_computation(path + kind);
        CHECK(pv::computation_bytes(c) == bytes);
        CHECK(pv::computation_text(c) == text);
        const auto results = c(std::vector<pv::AnyTensor>{pv::tensor({{4., 0.}, {0., -2.}}),
                                                          pv::tensor({{8.}, {2.}})});
        REQUIRE(results.size() == 21);
        check_output(results[0], {2, -1});
        check_output(results[1], {0.25, 0, 0, -0.5});
        check_output(results[2], {-8});
        check_output(results[3], {-1});
        check_output(results[4], {std::log(8.)});
        check_output(results[5], {4, 0, 0, 2});
        check_output(results[6], {1, 0, 0, -1});
        check_output(results[7], {4, 0, 0, 2});
        check_output(results[8], {0, 1});
        check_output(results[9], {1, 0, 0, 1});
        check_output(results[10], {4, 0, 0, -2});
        check_output(results[11], {1, 0, 0, 1});
        check_output(results[12], {4, 2});
        check_output(results[13], {1, 0, 0, -1});
        check_output(results[14], {4, 2});
        check_output(results[15], {-2, 4});
        check_output(results[16], {0, 1, 1, 0});
        check_output(results[17], {-2, 4});
        check_output(results[18], {1, 0, 0, 1});
        check_output(results[19], {2, -1});
        check_output(results[20], {-2, 1, -2, 1});
    }
    for (const char* const name : {"solve", "inv", "det", "slogdet", "cholesky", "qr", "lu", "svd",
                                   "svdvals", "eigh", "eigvalsh", "expm", "solve_triangular"}) {
        CAPTURE(name);
        CHECK(text.find("\"linalg." + std::string(name) + '"') != std::string::npos);
    }
}

} // namespace saved_golden_test
