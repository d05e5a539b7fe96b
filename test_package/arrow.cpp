// A program that links purview::arrow from outside: a table written to a file, and read where it lies.
#include <purview/arrow.hpp>
#include <purview/tensor/create.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

namespace pv = purview;

int main() try {
    const pv::Columns table{{"day", pv::tensor<int>({1, 2, 3})}};
    pv::save_arrow_file("test_package.arrow", table, {.compression = pv::ArrowCompression::zstd});
    const pv::Columns read = pv::open_arrow_file("test_package.arrow");
    std::remove("test_package.arrow");
    std::cout << read << '\n';
    return read.get<int>("day")(2) == 3 ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
