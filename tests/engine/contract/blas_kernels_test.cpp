#include "engine/contract/blas.hpp"
#include "engine/contract/blas_kernels.hpp"

#include <purview/evaluation/blas.hpp>

#include <support/catch.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

using namespace purview::engine;

namespace blas_kernels_test {

TEST_CASE("A variable is there meanwhile, and no longer") {
    REQUIRE(std::getenv("PURVIEW_MEANWHILE") == nullptr);
    const std::string path = std::getenv("PATH");
    {
        const VariableMeanwhile set("PURVIEW_MEANWHILE=1");
        CHECK(std::getenv("PURVIEW_MEANWHILE") == std::string_view("1"));
        CHECK(std::getenv("PATH") == path);
    }
    CHECK(std::getenv("PURVIEW_MEANWHILE") == nullptr);
    CHECK(std::getenv("PATH") == path);
}

TEST_CASE("A variable that is set meanwhile stays") {
    {
        const VariableMeanwhile set("PURVIEW_MEANWHILE=1");
        REQUIRE(setenv("PURVIEW_SET_MEANWHILE", "2", 1) == 0);
    }
    CHECK(std::getenv("PURVIEW_MEANWHILE") == nullptr);
    CHECK(std::getenv("PURVIEW_SET_MEANWHILE") == std::string_view("2"));
    REQUIRE(unsetenv("PURVIEW_SET_MEANWHILE") == 0);
}

TEST_CASE("Kernels fit the processor or are those of an older one") {
    CHECK(fit_processor("of tomorrow"));
    const std::string_view fitting = fitting_blas_kernels();
    if (fitting.empty()) return; // OpenBLAS chooses
    CHECK(fit_processor(fitting));
    CHECK_FALSE(fit_processor("Prescott"));
    CHECK_FALSE(fit_processor("Sandybridge"));
    CHECK(fit_processor("Haswell") == (fitting == "Haswell"));
}

TEST_CASE("An OpenBLAS that is loaded here has kernels that fit") {
    if (blas() == nullptr) {
        CHECK_THAT(purview::blas_library(), Catch::Matchers::StartsWith("no BLAS: "));
        return;
    }
    const bool chosen_by_user = std::getenv("OPENBLAS_CORETYPE") != nullptr;
    INFO(purview::blas_library());
    CHECK((chosen_by_user ||
           purview::blas_library().find("kernels of an older processor") == std::string::npos));
}

} // namespace blas_kernels_test
