// A program that links purview::hdf5 from outside: a file that is none.
#include <purview/hdf5.hpp>
#include <purview/purview.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    try {
        pv::open_hdf5("/nowhere/x.h5");
    } catch (const pv::FormatError& error) {
        std::cout << error.what() << '\n';
        return 0;
    }
    return 1;
}
