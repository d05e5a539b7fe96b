// A table in a file of Arrow's (Feather 2): written batch by batch, read where it lies, and compressed.
#include <purview/arrow.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace pv = purview;

void check(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

int main() try {
    // [save]
    const pv::index_t rows = 1'000'000;
    const auto price = pv::compute_tensor(pv::Shape{rows}, [](pv::index_t r) {
        return 100 + std::sin(static_cast<double>(r) / 1e4);
    });
    const auto word = pv::compute_tensor(
        pv::Shape{rows}, [](pv::index_t r) { return "shop " + std::to_string(r % 7); });
    const auto is_unknown =
        pv::compute_tensor(pv::Shape{rows}, [](pv::index_t r) { return r % 5 == 0; });
    const pv::Columns table{{"price", price, is_unknown}, {"shop", word}};
    pv::save_arrow_file("prices.arrow", table); // computed and written a batch at a time
    pv::save_arrow_file("prices_zstd.arrow", table, {.compression = pv::ArrowCompression::zstd});
    // [/save]

    // [open]
    const pv::Columns read = pv::open_arrow_file("prices.arrow"); // mapped: nothing is copied
    const auto known = !read["price"].missing;
    const double mean = pv::mean(read.get<double>("price")(known));

    // Of a compressed file, a column of a batch is decoded when it is read, within the memory limit.
    const auto prices = pv::open_arrow_file("prices_zstd.arrow", {.columns = {"price"}, .fill = 0});
    const double most = pv::max(prices.get<double>("price"));
    // [/open]
    std::cout << read << "\nmean " << mean << ", most " << most << '\n';
    check(std::abs(mean - 100) < 1 && most > 100.9 && most <= 101, "prices are as they were");
    check(read.get<std::string>("shop")(9) == "shop 2", "and so are the shops");
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
