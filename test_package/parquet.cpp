// A program that links purview::parquet from outside: a table that is written and read.
#include <purview/parquet.hpp>
#include <purview/purview.hpp>

#include <cstdio>

namespace pv = purview;

int main() {
    const char* const path = "purview_test_package.parquet";
    pv::save_parquet(path, {{"x", pv::arange(10) * 2}}, {.compression = "none"});
    const bool is_read = pv::open_parquet(path).get<double>("x")(9) == 18;
    std::remove(path);
    return is_read ? 0 : 1;
}
