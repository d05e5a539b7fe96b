// A program that links purview::archives from outside: files that are not there.
#include <purview/archives.hpp>
#include <purview/purview.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    try {
        pv::open_many("/nowhere/*.nc", {.variable = "t2m", .along = "time"});
    } catch (const pv::FormatError& error) {
        std::cout << error.what() << '\n';
        return 0;
    }
    return 1;
}
